import type { z } from "zod";
import type { SpaceSink } from "../../facts/governance-source.ts";

/** Why a row of input is not taken as it stands. Codes are stable; they are counted and published. */
export const ROW_ERROR_CODES = [
  "BAD_JSON",
  "BAD_SHAPE",
  "ROW_TOO_LONG",
  "ADDRESS_INVALID",
  "ID_INVALID",
  "TIME_IMPOSSIBLE",
  "ENDS_BEFORE_START",
  "POWER_INVALID",
  "PROPOSAL_DUPLICATE",
  "PROPOSAL_UNKNOWN",
  "DELEGATE_DUPLICATE",
  "LIST_DATE_INVALID",
  "NAME_UNSAFE",
  "LOG_MALFORMED",
  "LOG_DUPLICATE",
] as const;
export type RowErrorCode = (typeof ROW_ERROR_CODES)[number];

/** One row that cannot be taken: a code, and a sentence that holds nothing of the row. */
export class RowError extends Error {
  override readonly name = "RowError";
  readonly code: RowErrorCode;

  constructor(code: RowErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A value in the shape it should have; throws `RowError` BAD_SHAPE that names the field and never its content. */
export function parseShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // Paths are ours as far as the shape goes; what lies below may be a key that somebody chose.
  const field = issue?.path.slice(0, 1).map(String).join("") ?? "";
  throw new RowError(
    "BAD_SHAPE",
    field === "" ? "it is not such an object" : `${field} is missing or of a wrong type`,
  );
}

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
interface RowPosition {
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
  const tally = {
    rows: 0,
    malformed: 0,
    refused: 0,
    row<Taken>({ file, line, prefix = "" }: RowPosition, take: () => Taken): Taken | undefined {
      tally.rows += 1;
      try {
        return take();
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        if (MALFORMED.has(error.code)) tally.malformed += 1;
        if (!SET_ASIDE.has(error.code)) tally.refused += 1;
        reject(sink, { file, line }, error.code, `${prefix}${error.message}`);
        return undefined;
      }
    },
    addTaken() {
      tally.rows += 1;
    },
  };
  return tally;
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
