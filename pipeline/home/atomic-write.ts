import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { PipelineError, type PipelineErrorCode } from "../facts/errors.ts";

/** Bytes free for this user on the disk of a folder that is there. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What was written. */
export type Written = ReturnType<typeof fill>;

/**
 * Writes a file as `staged`, which must be free, and renames it to `path`: whole or not at all, and on the disk when this
 * returns. Throws what the system or one of the steps throws; what was there before still is then.
 */
function putFile(
  path: string,
  staged: string,
  chunks: Iterable<Uint8Array>,
  { mode, prepare, lastLook }: { mode: number; prepare?: (file: number) => void; lastLook?: () => void },
): Written {
  const file = openSync(staged, "wx", mode);
  let written: Written;
  try {
    prepare?.(file);
    written = fill(file, chunks);
    fsyncSync(file);
    lastLook?.();
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  syncDirectory(dirname(path));
  return written;
}

function fill(file: number, chunks: Iterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const chunk of chunks) {
    // The system may take less than it is given.
    for (let from = 0; from < chunk.length; ) from += writeSync(file, chunk, from);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** A rename is on the disk only when its folder is. */
function syncDirectory(path: string): void {
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Writes a file of the home, for its owner alone, over what is there. Throws what the system throws. */
export function putHomeFile(path: string, bytes: Uint8Array): void {
  const staged = `${path}.new`;
  // Left by a write that was cut off: it is of no use to anybody.
  rmSync(staged, { force: true });
  putFile(path, staged, [bytes], { mode: 0o600 });
}

/**
 * Replaces a file by the text that `edit` makes of its text, with the mode and owner it had; returns what `edit` made,
 * and whether that changed the file. No edit overtakes another: the last look is taken under the new name, which is the
 * lock. A link stays a link. Throws `PipelineError` HOME_INVALID; what `edit` throws goes through.
 */
export function replaceFile<Edited extends { readonly text: string }>(
  path: string,
  edit: (text: string) => Edited,
): Edited & { readonly isChanged: boolean } {
  const name = basename(path);
  const refusal = (systemCode: string) =>
    systemCode === "EEXIST"
      ? {
          message: `${name}.new is there: another edit is under way, or was cut off`,
          hint: `Nothing was written. Try again; where no other edit runs, delete ${name}.new first.`,
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
        mode: 0o600,
        prepare: (file) => takeOwner(file, target),
        lastLook() {
          if (readFileSync(target, "utf8") === before) return;
          throw new PipelineError("HOME_INVALID", `${name} was changed by somebody else meanwhile`, {
            hint: "Nothing was written. Run the command again.",
          });
        },
      });
    }
    return { ...after, isChanged };
  });
}

/** An administrator's edit must not take the file from the user whom the cron job runs as. */
function takeOwner(file: number, target: string): void {
  const { mode, uid, gid } = statSync(target);
  const made = fstatSync(file);
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o777);
}

/** A file that a command is told to write. */
export interface OutputFile {
  readonly path: string;
  /** Whether what lies there may go. */
  readonly isForced: boolean;
  /** Makes the name it is written under until it is whole. */
  readonly runId: string;
}

/** Throws `PipelineError` BAD_OPTION where a file lies that nobody allowed to go. */
export function assertFree({ path, isForced }: OutputFile): void {
  if (isForced || !existsSync(path)) return;
  throw new PipelineError("BAD_OPTION", `${path} already exists`, {
    hint: "Name another file, or allow this one to be replaced with --force.",
  });
}

/** Writes the output of a command, whole or not at all. Throws `PipelineError` OUTPUT_FAILED, or BAD_OPTION where a file lies. */
export function writeOutput(output: OutputFile, chunks: Iterable<Uint8Array>): Written {
  const { path, runId } = output;
  assertFree(output);
  const refusal = (systemCode: string) => ({
    message: `${basename(path)} cannot be written (${systemCode})`,
    hint: "Check that its folder exists, is writable and has room.",
  });
  return onDisk("OUTPUT_FAILED", refusal, () =>
    putFile(path, `${path}.${runId}.partial`, chunks, { mode: 0o666, lastLook: () => assertFree(output) }),
  );
}

/** Writes a new file and leaves it to the caller to wait for the disk. Throws what the system throws. */
export function writeUnflushed(path: string, chunks: Iterable<Uint8Array>): Written {
  const file = openSync(path, "wx");
  try {
    return fill(file, chunks);
  } finally {
    closeSync(file);
  }
}

/** Puts a folder where another one may be; where that fails, the other comes back. Throws what the system throws. */
export function replaceFolder(staged: string, directory: string): void {
  const old = `${staged}.old`;
  const isThere = existsSync(directory);
  if (isThere) renameSync(directory, old);
  try {
    renameSync(staged, directory);
  } catch (error) {
    if (isThere) renameSync(old, directory);
    throw error;
  }
  syncDirectory(dirname(directory));
  rmSync(old, { recursive: true, force: true });
}

/** Does something with the disk; a `PipelineError` says its code, as its own words would name paths and stay in the cause. */
export function onDisk<Result>(
  code: PipelineErrorCode,
  refusal: (systemCode: string) => { readonly message: string; readonly hint: string },
  action: () => Result,
): Result {
  try {
    return action();
  } catch (cause) {
    const systemCode = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    // Errors of ours have codes too.
    const isOfDisk = cause instanceof Error && ("syscall" in cause || systemCode.startsWith("SQLITE_"));
    if (!isOfDisk) throw cause;
    const { message, hint } = refusal(systemCode);
    throw new PipelineError(code, message, { cause, hint });
  }
}

/** Codes of the system and of SQLite that a full or failing disk gives; the last are its shared memory and its journal. */
const FULL_OR_FAILING = /^(ENOSPC|EDQUOT|EIO|SQLITE_FULL|SQLITE_IOERR.*)$/;
const READ_ONLY = /^(EROFS|SQLITE_READONLY.*)$/;

/** What to do about a disk of the home that refused, by its code; `undefined` where the code is of something else. */
export function diskTroubleHint(code: string): string | undefined {
  if (FULL_OR_FAILING.test(code)) {
    return "Its disk is full, or fails: `df -h` and `df -i` on the folder of --home (GOVDATA_HOME), then the system's log.";
  }
  if (READ_ONLY.test(code)) {
    return "Its disk or its files are read-only: look at the mount and the rights of the folder of --home (GOVDATA_HOME).";
  }
  return undefined;
}
