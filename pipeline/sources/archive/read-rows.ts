import { join } from "node:path";
import type { SpaceSink } from "../../facts/space-sink.ts";
import { RowError } from "../upstream/row-error.ts";
import { ifPresent } from "./disk-errors.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";
import { parseJson } from "./parse-json.ts";
import { type Line, readLines } from "./read-lines.ts";
import { createRowTally } from "./row-tally.ts";

/** Where one archive lies, and where the rejected rows of one DAO go. */
export interface ArchiveReading {
  readonly directory: string;
  readonly sink: SpaceSink;
}

/**
 * Reads a file of one object a line. `take` throws `RowError` for a row that it does not take. Answers whether there
 * is such a file; throws `PipelineError` SOURCE_FAILED where it cannot be read or too little of it could be taken.
 */
export async function readRows(
  { directory, sink }: ArchiveReading,
  file: string,
  take: (value: unknown, line: number) => void,
): Promise<boolean> {
  const tally = createRowTally(file, sink);
  const wasRead = await ifPresent(file, async () => {
    for await (const lines of readLines(join(directory, file), ARCHIVE_LIMITS.rowBytesMax)) {
      for (const line of lines) tally.row(line, () => take(parsedLine(line), line.line));
    }
    return true;
  });
  tally.judge();
  return wasRead === true;
}

function parsedLine({ text, problem, isUnterminated }: Line): unknown {
  if (problem === "too long") {
    throw new RowError("ROW_TOO_LONG", `it is longer than ${ARCHIVE_LIMITS.rowBytesMax} bytes`);
  }
  try {
    if (text === undefined) throw new RowError("BAD_JSON", "it is not UTF-8");
    return parseJson(text);
  } catch (error) {
    if (isUnterminated && error instanceof RowError) {
      throw new RowError("BAD_JSON", "the file ends in the middle of a row");
    }
    throw error;
  }
}
