import type { SpaceSink } from "../../facts/governance-source.ts";
import { RowError, type RowErrorCode } from "./row-error.ts";

/** Rows of a wrong form: too many of them, and the source is not what it says. */
const MALFORMED: ReadonlySet<RowErrorCode> = new Set(["BAD_JSON", "BAD_SHAPE", "ROW_TOO_LONG"]);
/** Well-formed rows that are left out for what stands in other rows. */
const SET_ASIDE: ReadonlySet<RowErrorCode> = new Set([
  "PROPOSAL_DUPLICATE",
  "PROPOSAL_UNKNOWN",
  "DELEGATE_DUPLICATE",
  "LOG_DUPLICATE",
  "NAME_UNSAFE",
]);

/** Where a row stands: its file or listing, and its line, from 1. */
export interface RowPosition {
  readonly file: string;
  readonly line: number | undefined;
  /** What the report says before the reason. */
  readonly prefix?: string;
}

/** Counts rows as they are read, and reports those that are not taken. Who trusts the rest judges by the counts. */
export interface RowTally {
  readonly rows: number;
  /** Rows of a wrong form. */
  readonly malformed: number;
  /** Rows that were not taken for what stands in themselves. */
  readonly refused: number;
  /** Counts a row and answers what `take` makes of it; a `RowError` out of it becomes a rejection and `undefined`. */
  row<Taken>(at: RowPosition, take: () => Taken): Taken | undefined;
  /** Counts a row that was taken in another way. */
  addTaken(): void;
}

/** Starts with no rows. */
export function createRowTally(sink: Pick<SpaceSink, "put">): RowTally {
  const counts = { rows: 0, malformed: 0, refused: 0 };
  return {
    get rows() {
      return counts.rows;
    },
    get malformed() {
      return counts.malformed;
    },
    get refused() {
      return counts.refused;
    },
    row({ file, line, prefix = "" }, take) {
      counts.rows += 1;
      try {
        return take();
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        if (MALFORMED.has(error.code)) counts.malformed += 1;
        if (!SET_ASIDE.has(error.code)) counts.refused += 1;
        reject(sink, { file, line }, error.code, `${prefix}${error.message}`);
        return undefined;
      }
    },
    addTaken() {
      counts.rows += 1;
    },
  };
}

/** Reports what was not taken as it stood. Without a line it is about the file or listing as a whole. */
export function reject(
  sink: Pick<SpaceSink, "put">,
  { file, line }: { readonly file: string; readonly line?: number | undefined },
  code: string,
  message: string,
): void {
  sink.put({ kind: "rejection", file, line, code, message });
}
