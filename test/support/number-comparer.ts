import { roundTo } from "../../snapshots/format/ids.ts";

/** What one number differs by no more than this, relatively, is the same. */
const TOLERANCE = 1e-9;
/** Rounding at a tie may go either way where the last bits differ. */
const TIE_SLACK = 1e-6;

/** How far numbers of two origins lie from each other. */
export interface NumberComparer {
  /** Published `null` or nothing is a gap, and so is NULL; words must be equal, yes is 1. */
  same(what: string, own: unknown, theirs: unknown): void;
  /** Of what is published with so many decimals. */
  rounded(what: string, own: unknown, theirs: unknown, decimals: number): void;
  note(mismatch: string): void;
  readonly mismatches: readonly string[];
  /** Numbers that were there on both sides. */
  compared(): number;
  /** Largest relative difference among those that are the same. */
  furthest(): number;
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined;
const plain = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value);

/** A comparer that has seen nothing. */
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
    // What should be 0 is so but for the rounding of the sums around it.
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
