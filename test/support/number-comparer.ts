import { roundTo } from "../../snapshots/format/ids.ts";

/** Numbers with at most this relative difference count as equal. */
const TOLERANCE = 1e-9;
/** Rounding at a tie may differ if the last bits differ. */
const TIE_SLACK = 1e-6;

/** Compares numbers of two origins and keeps the differences. */
export interface NumberComparer {
  /** Compares values: null, undefined and NULL are gaps, texts must be equal, true is 1. */
  same(what: string, own: unknown, theirs: unknown): void;
  /** Compares numbers that are published with this many decimals. */
  rounded(what: string, own: unknown, theirs: unknown, decimals: number): void;
  note(mismatch: string): void;
  readonly mismatches: readonly string[];
  /** Count of numbers that exist on both sides. */
  compared(): number;
  /** Largest relative difference among equal numbers. */
  furthest(): number;
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined;
const plain = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value);

/** Creates a comparer without results. */
export function createNumberComparer(): NumberComparer {
  const mismatches: string[] = [];
  let compared = 0;
  let furthest = 0;
  const note = (mismatch: string): void => void mismatches.push(mismatch);

  const same = (what: string, own: unknown, theirs: unknown): void => {
    if (isAbsent(own) || isAbsent(theirs)) {
      if (isAbsent(own) !== isAbsent(theirs)) note(`${what}: published ${own}, by SQL ${theirs}`);
      return;
    }
    const [a, b] = [Number(plain(own)), Number(plain(theirs))];
    if (Number.isNaN(a) && Number.isNaN(b) && own === theirs) return;
    compared += 1;
    // A number that should be 0 may differ by the rounding of sums.
    if (Math.abs(a - b) <= 1e-12) return;
    const relative = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
    if (relative <= TOLERANCE) furthest = Math.max(furthest, relative);
    else note(`${what}: published ${own}, by SQL ${theirs}`);
  };
  const rounded = (what: string, own: unknown, theirs: unknown, decimals: number): void => {
    if (isAbsent(own) || isAbsent(theirs)) {
      same(what, own, theirs);
      return;
    }
    compared += 1;
    const [a, b] = [Number(own), Number(theirs)];
    if (roundTo(b, decimals) === a || Math.abs(a - b) <= 0.5 / 10 ** decimals + TIE_SLACK) return;
    note(`${what}: published ${own}, by SQL ${theirs}`);
  };
  return { same, rounded, note, mismatches, compared: () => compared, furthest: () => furthest };
}
