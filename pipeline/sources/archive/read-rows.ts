import { join } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import { RowError, type RowErrorCode } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, parseJson } from "./read-document.ts";
import { type Line, readLines, type ScanLine } from "./read-lines.ts";

/** Rows of a wrong form: too many of them, and the file is not what it says. */
const MALFORMED: ReadonlySet<RowErrorCode> = new Set(["BAD_JSON", "BAD_SHAPE", "ROW_TOO_LONG"]);
/** Well-formed rows that are left out for what stands in other rows. */
const SET_ASIDE: ReadonlySet<RowErrorCode> = new Set([
  "PROPOSAL_DUPLICATE",
  "PROPOSAL_UNKNOWN",
  "DELEGATE_DUPLICATE",
  "LOG_DUPLICATE",
  "NAME_UNSAFE",
]);

/** Counts the rows of one file and reports those that are not taken. */
export interface RowTally {
  /** Runs `take` for one row; a `RowError` out of it becomes a rejection. Answers whether the row was taken. */
  row(place: { readonly line: number | undefined; readonly prefix?: string }, take: () => void): boolean;
  /** Counts a row that was taken. */
  taken(): void;
  /** Reports something about a row that is taken all the same. */
  note(place: { readonly line: number | undefined }, error: RowError): void;
  /** Throws `PipelineError` SOURCE_FAILED where too little of the file could be taken to trust it. */
  judge(): void;
}

/** Starts with no rows. `file` is the path within the archive. */
export function createRowTally(file: string, sink: Pick<SpaceSink, "put">): RowTally {
  let rows = 0;
  let malformed = 0;
  let refused = 0;
  const reject = (line: number | undefined, error: RowError, prefix = "") =>
    sink.put({ kind: "rejection", file, line, code: error.code, message: `${prefix}${error.message}` });

  const countRow = (): void => {
    rows += 1;
    if (rows > ARCHIVE_LIMITS.rowsMax) {
      throw new PipelineError("SOURCE_FAILED", `${file} has more than ${ARCHIVE_LIMITS.rowsMax} rows`);
    }
  };

  return {
    taken: countRow,
    row({ line, prefix }, take) {
      countRow();
      try {
        take();
        return true;
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        if (MALFORMED.has(error.code)) malformed += 1;
        if (!SET_ASIDE.has(error.code)) refused += 1;
        reject(line, error, prefix);
        return false;
      }
    },
    note: ({ line }, error) => reject(line, error),
    judge() {
      if (malformed > rows * ARCHIVE_LIMITS.malformedShareMax) {
        throw new PipelineError("SOURCE_FAILED", `${file}: ${malformed} of ${rows} rows are malformed`, {
          hint: "The file is cut off or of another format. What was fetched before is kept.",
        });
      }
      // Milliseconds for seconds, say: every row well-formed, and the file still worth nothing.
      if (rows > 0 && refused === rows) {
        throw new PipelineError("SOURCE_FAILED", `${file}: none of ${rows} rows could be taken`, {
          hint: "The reasons are among the rejected rows. What was fetched before is kept.",
        });
      }
    },
  };
}

/** Where one archive lies, and where the rejected rows of one DAO go. */
export interface ArchiveReading {
  readonly directory: string;
  readonly sink: SpaceSink;
}

/**
 * Reads a file of one object a line. `scan` may take a line as bytes; of others `take` throws `RowError` for a row that it
 * does not take. Answers whether there
 * is such a file; throws `PipelineError` SOURCE_FAILED where it cannot be read or too little of it could be taken.
 */
export async function readRows(
  { directory, sink }: ArchiveReading,
  file: string,
  take: (value: unknown, line: number) => void,
  scan?: ScanLine,
): Promise<boolean> {
  const tally = createRowTally(file, sink);
  const wasRead = await ifPresent(file, async () => {
    const takeLine = (line: Line): void =>
      void tally.row(line, () => take(parsedLine(file, line), line.line));
    const scanLine: ScanLine | undefined =
      scan &&
      ((bytes, from, to, line) => {
        const next = scan(bytes, from, to, line);
        if (next !== -1) tally.taken();
        return next;
      });
    await readLines(join(directory, file), ARCHIVE_LIMITS.rowBytesMax, takeLine, scanLine);
    return true;
  });
  tally.judge();
  return wasRead === true;
}

function parsedLine(file: string, { line, text, problem, isUnterminated }: Line): unknown {
  if (problem === "too long") {
    throw new RowError("ROW_TOO_LONG", `it is longer than ${ARCHIVE_LIMITS.rowBytesMax} bytes`);
  }
  try {
    if (text === undefined) throw new RowError("BAD_JSON", "it is not UTF-8");
    return parseJson(text);
  } catch (error) {
    if (isUnterminated && error instanceof RowError) {
      // One row is known to be lost, and nobody knows how many after it: the rest must not pass for all.
      throw new PipelineError(
        "SOURCE_FAILED",
        `${file}: line ${line}: the file ends in the middle of a row`,
        {
          hint: "The file was cut off. What was fetched before is kept.",
        },
      );
    }
    throw error;
  }
}
