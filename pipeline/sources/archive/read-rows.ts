import { join } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import { createRowTally, RowError, type RowTally } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, parseJson } from "./read-document.ts";
import { type Line, readLines, type ScanLine } from "./read-lines.ts";

/** Where one archive lies, and where the rejected rows of one DAO go. */
export interface ArchiveReading {
  readonly directory: string;
  readonly sink: SpaceSink;
}

/**
 * Reads a file of one object a line. `scan` may take a line as bytes; of others `take` throws `RowError` for a row that it
 * does not take. Answers whether there is such a file; throws `PipelineError` SOURCE_FAILED where it cannot be read or too little of it could be taken.
 */
export async function readRows(
  { directory, sink }: ArchiveReading,
  file: string,
  take: (value: unknown, line: number) => void,
  scan?: ScanLine,
): Promise<boolean> {
  const tally = createRowTally(sink);
  const wasRead = await ifPresent(file, async () => {
    const boundRows = (): void => {
      if (tally.rows <= ARCHIVE_LIMITS.rowsMax) return;
      throw new PipelineError("SOURCE_FAILED", `${file} has more than ${ARCHIVE_LIMITS.rowsMax} rows`);
    };
    const takeLine = (line: Line): void => {
      tally.row({ file, line: line.line }, () => take(parsedLine(file, line), line.line));
      boundRows();
    };
    const scanLine: ScanLine | undefined =
      scan &&
      ((bytes, from, to, line) => {
        const next = scan(bytes, from, to, line);
        if (next === -1) return next;
        tally.addTaken();
        boundRows();
        return next;
      });
    await readLines(join(directory, file), ARCHIVE_LIMITS.rowBytesMax, takeLine, scanLine);
    return true;
  });
  judgeFile(file, tally);
  return wasRead === true;
}

/** Throws `PipelineError` SOURCE_FAILED where too little of a file could be taken to trust it. */
export function judgeFile(file: string, { rows, malformed, refused }: RowTally): void {
  if (malformed > rows * ARCHIVE_LIMITS.malformedShareMax) {
    throw new PipelineError("SOURCE_FAILED", `${file}: ${malformed} of ${rows} rows are malformed`, {
      hint: "The file is truncated or has another format. What was fetched before is kept.",
    });
  }
  // Milliseconds for seconds, say: every row well-formed, and the file still worth nothing.
  if (rows > 0 && refused === rows) {
    throw new PipelineError("SOURCE_FAILED", `${file}: none of ${rows} rows could be taken`, {
      hint: "The reasons are among the rejected rows. What was fetched before is kept.",
    });
  }
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
      const message = `${file}: line ${line}: the file ends in the middle of a row`;
      const hint = "The file was cut off. What was fetched before is kept.";
      throw new PipelineError("SOURCE_FAILED", message, { hint });
    }
    throw error;
  }
}
