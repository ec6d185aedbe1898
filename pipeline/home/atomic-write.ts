import { existsSync, fchmodSync, fchownSync, fstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { putFile, type Written } from "../../snapshots/base/durable-files.ts";
import { systemErrorCode } from "../../snapshots/base/failure.ts";
import { isSqliteError } from "../../snapshots/base/sqlite.ts";
import { type PipelineErrorCode, pipelineFailure } from "../facts/errors.ts";

/**
 * Replaces a file by the text that `edit` returns, keeping mode, owner and symbolic links. Returns the result of `edit`
 * and whether the file changed. Concurrent edits cannot overwrite each other: the `.new` file serves as lock, and the
 * file is compared once more before the rename. Throws `HOME_INVALID`, and whatever `edit` throws.
 */
export function replaceFile<Edited extends { readonly text: string }>(
  path: string,
  edit: (text: string) => Edited,
): Edited & { readonly isChanged: boolean } {
  const name = basename(path);
  const refusal = (systemCode: string) =>
    systemCode === "EEXIST"
      ? {
          message: `${name}.new exists: another edit is running or was interrupted`,
          hint: `Nothing was written. Try again; if no other edit is running, delete ${name}.new first.`,
        }
      : {
          message: `${name} cannot be edited (${systemCode})`,
          hint: "Nothing was written. You need write permission for its folder.",
        };
  return onDisk("HOME_INVALID", refusal, () => {
    const target = realpathSync(path);
    const before = readFileSync(target, "utf8");
    const after = edit(before);
    const isChanged = after.text !== before;
    if (isChanged) {
      putFile(target, `${target}.new`, [Buffer.from(after.text)], {
        prepare: (file) => takeOwner(file, target),
        beforeRename() {
          if (readFileSync(target, "utf8") === before) return;
          throw pipelineFailure("HOME_INVALID", `${name} was changed by somebody else during the edit`, {
            hint: "Nothing was written. Run the command again.",
          });
        },
      });
    }
    return { ...after, isChanged };
  });
}

/** Keeps mode and owner, so that an edit by an administrator does not take the file from the user of the cron job. */
function takeOwner(file: number, target: string): void {
  const { mode, uid, gid } = statSync(target);
  const made = fstatSync(file);
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o777);
}

export interface OutputFile {
  readonly path: string;
  readonly isForced: boolean;
  /** Part of the temporary name. */
  readonly runId: string;
}

/** Throws `BAD_OPTION` if the file exists and may not be replaced. */
export function assertFree({ path, isForced }: OutputFile): void {
  if (isForced || !existsSync(path)) return;
  throw pipelineFailure("BAD_OPTION", `${path} already exists`, {
    hint: "Name another file, or allow this one to be replaced with --force.",
  });
}

/** Writes the output of a command atomically. Throws `OUTPUT_FAILED`, or BAD_OPTION as `assertFree`. */
export function writeOutput(output: OutputFile, chunks: Iterable<Uint8Array>): Written {
  const { path, runId } = output;
  assertFree(output);
  const refusal = (systemCode: string) => ({
    message: `${basename(path)} cannot be written (${systemCode})`,
    hint: "Check that its folder exists and is writable, and that the disk is not full.",
  });
  return onDisk("OUTPUT_FAILED", refusal, () =>
    putFile(path, `${path}.${runId}.partial`, chunks, {
      mode: 0o666,
      beforeRename: () => assertFree(output),
    }),
  );
}

/** Runs `action`; turns errors of the disk into a `PipelineFailure` that shows their code but not their text, with paths. */
export function onDisk<Result>(
  code: PipelineErrorCode,
  refusal: (systemCode: string) => { readonly message: string; readonly hint: string },
  action: () => Result,
): Result {
  try {
    return action();
  } catch (cause) {
    const systemCode = systemErrorCode(cause) ?? (isSqliteError(cause) ? cause.code : undefined);
    if (systemCode === undefined) throw cause;
    const { message, hint } = refusal(systemCode);
    throw pipelineFailure(code, message, { cause, hint });
  }
}

/** Error codes of a full or failing disk, from the system and from SQLite (including its shared memory and journal). */
const FULL_OR_FAILING = /^(ENOSPC|EDQUOT|EIO|SQLITE_FULL|SQLITE_IOERR.*)$/;
const READ_ONLY = /^(EROFS|SQLITE_READONLY.*)$/;

/** The hint for an error of the home's disk, by its code; `undefined` for other codes. */
export function diskTroubleHint(code: string): string | undefined {
  if (FULL_OR_FAILING.test(code)) {
    return "The disk is full or failing: check `df -h` and `df -i` on the folder of --home (GOVDATA_HOME), and the system log.";
  }
  if (READ_ONLY.test(code)) {
    return "The disk or its files are read-only: check mount and permissions of the folder of --home (GOVDATA_HOME).";
  }
  return undefined;
}
