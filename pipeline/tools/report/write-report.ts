import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { replaceFolder } from "../../../snapshots/base/durable-files.ts";
import { errorCode } from "../../../snapshots/base/system-errors.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { isReplaceable } from "../owned-folder.ts";

/** Lies in every report, and says that the folder is ours to replace. */
const MARK_FILE = "report.json";
const MARK = "govdata-report";

function fill(directory: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const target = join(directory, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: "wx" });
  }
}

/**
 * Writes a report beside its folder and renames it into place: whole or not at all. Throws `BAD_OPTION`
 * where the folder holds something else or the disk refuses; what was there then still is.
 */
export function writeReport(
  wished: string,
  files: ReadonlyMap<string, string>,
  mark: Readonly<Record<string, unknown>>,
  runId: string,
): void {
  const directory = resolve(wished);
  if (!isReplaceable(directory, MARK_FILE, MARK)) {
    throw pipelineFailure("BAD_OPTION", `${directory} exists and is not a report`, {
      hint: "Name a new or empty folder, or an earlier report, which is replaced.",
    });
  }
  const staged = join(dirname(directory), `.${basename(directory)}-${runId}.new`);
  try {
    mkdirSync(staged, { recursive: true });
    fill(staged, new Map([...files, [MARK_FILE, `${JSON.stringify({ kind: MARK, ...mark })}\n`]]));
    replaceFolder(staged, directory);
  } catch (cause) {
    rmSync(staged, { recursive: true, force: true });
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    throw pipelineFailure("BAD_OPTION", `${wished} cannot be written (${code})`, {
      cause,
      hint: "Nothing was written. Name a folder that you may write to.",
    });
  }
}
