import type { z } from "zod";
import { Failure, isFailure } from "../../../snapshots/base/failure.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";

/** Why an input row is rejected or changed. Codes are stable; they are counted and published. */
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
type RowErrorCode = (typeof ROW_ERROR_CODES)[number];

export type RowFailure = Failure<RowErrorCode>;

/** A rejected row; the message contains nothing from the row. */
export function rowFailure(code: RowErrorCode, message: string): RowFailure {
  return new Failure(code, message);
}

export const isRowFailure = (error: unknown): error is RowFailure => isFailure(error, ROW_ERROR_CODES);

/** Parses a value; throws `BAD_SHAPE`, which names the field and never its content. */
export function parseShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // The first path element is one of our field names; deeper ones may be keys chosen by somebody else.
  const field = issue?.path.slice(0, 1).map(String).join("") ?? "";
  throw rowFailure(
    "BAD_SHAPE",
    field === "" ? "it is not an object of this kind" : `${field} is missing or of a wrong type`,
  );
}

/** Codes of malformed rows; too many of them mean that the source is not what it claims to be. */
const MALFORMED: ReadonlySet<RowErrorCode> = new Set(["BAD_JSON", "BAD_SHAPE", "ROW_TOO_LONG"]);
/** Codes of valid rows that are left out because of other rows. */
const SET_ASIDE: ReadonlySet<RowErrorCode> = new Set([
  "PROPOSAL_DUPLICATE",
  "PROPOSAL_UNKNOWN",
  "DELEGATE_DUPLICATE",
  "LOG_DUPLICATE",
  "NAME_UNSAFE",
]);

/** Position of a row: its file or listing, and its line, from 1. */
interface RowPosition {
  readonly file: string;
  readonly line: number | undefined;
  /** Prepended to the reason in the report. */
  readonly prefix?: string;
}

/** Counts the rows read and reports rejected ones; callers decide by the counts whether to trust the rest. */
export type RowTally = ReturnType<typeof createRowTally>;

export function createRowTally(sink: Pick<SpaceSink, "put">) {
  const tally = {
    rows: 0,
    malformed: 0,
    /** Rows rejected for their own content. */
    refused: 0,
    /** Counts a row and returns the result of `take`; a `RowFailure` becomes a rejection and `undefined`. */
    row<Taken>({ file, line, prefix = "" }: RowPosition, take: () => Taken): Taken | undefined {
      tally.rows += 1;
      try {
        return take();
      } catch (error) {
        if (!isRowFailure(error)) throw error;
        if (MALFORMED.has(error.code)) tally.malformed += 1;
        if (!SET_ASIDE.has(error.code)) tally.refused += 1;
        reject(sink, { file, line }, error.code, `${prefix}${error.message}`);
        return undefined;
      }
    },
  };
  return tally;
}

/** An answer, a file or a contract with a larger share of malformed rows is rejected as a whole. */
export const MALFORMED_SHARE_MAX = 0.1;

/** Throws `SOURCE_FAILED` if too many rows, named by `what`, are malformed for a real service. */
export function judgeRows(what: string, { rows, malformed }: Pick<RowTally, "rows" | "malformed">): void {
  if (malformed <= rows * MALFORMED_SHARE_MAX) return;
  throw sourceFailed(`${malformed} of ${rows} ${what} are malformed`, {
    hint: "The reasons are among the rejected rows. Data fetched earlier is kept.",
  });
}

/** Reports a rejected or changed row. Without a line, the message is about the whole file or listing. */
export function reject(
  sink: Pick<SpaceSink, "put">,
  { file, line }: { readonly file: string; readonly line?: number | undefined },
  code: string,
  message: string,
): void {
  sink.put({ kind: "rejection", file, line, code, message });
}
