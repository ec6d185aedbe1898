import { join } from "node:path";
import { PipelineError } from "../../base/pipeline-error.ts";
import type { SpaceSink } from "../../facts/space-sink.ts";
import { RowError } from "../upstream/row-error.ts";
import { ifPresent } from "./disk-errors.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";
import { parseJson } from "./parse-json.ts";
import { type Line, readLines, type ScanLine } from "./read-lines.ts";
import { createRowTally } from "./row-tally.ts";

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
