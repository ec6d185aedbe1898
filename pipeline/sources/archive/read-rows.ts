import { sourceFailed } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import { createRowTally, isRowFailure, judgeRows, type RowTally, rowFailure } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, parseJson } from "./read-document.ts";
import { type Line, readLines, type ScanLine } from "./read-lines.ts";

export interface ArchiveReading {
  readonly directory: string;
  readonly sink: SpaceSink;
}

/**
 * Reads a file with one object per line. `scan` may consume a line as bytes; all others go to `take`, which
 * throws `RowFailure` for a row that it rejects. Returns whether the file exists. Throws `PipelineFailure`
 * SOURCE_FAILED if it cannot be read or too many rows were rejected.
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
      throw sourceFailed(`${file} has more than ${ARCHIVE_LIMITS.rowsMax} rows`);
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
        tally.rows += 1;
        boundRows();
        return next;
      });
    await readLines(directory, file, ARCHIVE_LIMITS.rowBytesMax, takeLine, scanLine);
    return true;
  });
  judgeFile(file, tally);
  return wasRead === true;
}

/** Throws `SOURCE_FAILED` if too many rows of a file were rejected to trust the rest. */
export function judgeFile(file: string, tally: RowTally): void {
  judgeRows(`rows of ${file}`, tally);
  const { rows, refused } = tally;
  // For example milliseconds instead of seconds: every row is well-formed, and still useless.
  if (rows > 0 && refused === rows) {
    throw sourceFailed(`${file}: none of ${rows} rows is valid`, {
      hint: "The reasons are among the rejected rows. Data fetched earlier is kept.",
    });
  }
}

function parsedLine(file: string, { line, text, problem, isUnterminated }: Line): unknown {
  if (problem === "too long") {
    throw rowFailure("ROW_TOO_LONG", `it is longer than ${ARCHIVE_LIMITS.rowBytesMax} bytes`);
  }
  try {
    if (text === undefined) throw rowFailure("BAD_JSON", "it is not UTF-8");
    return parseJson(text);
  } catch (error) {
    if (isUnterminated && isRowFailure(error)) {
      // One row is lost, and an unknown number after it: the rows read so far must not pass for the whole
      // file.
      const message = `${file}: line ${line}: the file ends in the middle of a row`;
      const hint = "The file was cut off. Data fetched earlier is kept.";
      throw sourceFailed(message, { hint });
    }
    throw error;
  }
}
