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
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { PipelineError } from "../facts/errors.ts";

/** Where to write, and whether what lies there may go. */
export interface OutputFile {
  readonly path: string;
  readonly isForced: boolean;
  /** Makes the name it is written under until it is whole. */
  readonly runId: string;
}

/** What was written. */
export interface Written {
  readonly bytes: number;
  readonly sha256: string;
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let from = 0; from < chunk.length; ) from += writeSync(descriptor, chunk, from);
}

/** Writes a new file, and unless somebody else sees to it waits until the disk has it; throws what the system throws. */
export function writeChunks(
  path: string,
  chunks: Iterable<Uint8Array>,
  { isFlushed }: { readonly isFlushed: boolean } = { isFlushed: true },
): Written {
  const hash = createHash("sha256");
  let bytes = 0;
  const descriptor = openSync(path, "wx");
  try {
    for (const chunk of chunks) {
      writeAll(descriptor, chunk);
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (isFlushed) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Throws `PipelineError` BAD_OPTION where a file lies that nobody allowed to go. */
export function assertFree({ path, isForced }: OutputFile): void {
  if (isForced || !existsSync(path)) return;
  throw new PipelineError("BAD_OPTION", `${path} is there already`, {
    hint: "Name another file, or allow this one to be replaced with --force.",
  });
}

/**
 * Writes a file beside its place and renames it there once it is whole: what fails on the way leaves nothing, and what
 * was there before stays. Throws `PipelineError` OUTPUT_FAILED.
 */
export function writeOutput(file: OutputFile, chunks: Iterable<Uint8Array>): Written {
  assertFree(file);
  const partial = `${file.path}.${file.runId}.partial`;
  try {
    const written = writeChunks(partial, chunks);
    assertFree(file);
    renameSync(partial, file.path);
    return written;
  } catch (cause) {
    rmSync(partial, { force: true });
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new PipelineError("OUTPUT_FAILED", `${basename(file.path)} cannot be written (${cause.code})`, {
      cause,
      hint: "Check that its folder is there, may be written to and has room.",
    });
  }
}

/**
 * Replaces a file by what `edit` makes of its text: whole or not at all, on the disk when this returns, with the mode
 * and owner it had. Two edits cannot overtake each other: the new file's name is the lock. A link stays a link.
 * Throws `PipelineError` HOME_INVALID where the disk refuses; what `edit` throws goes through.
 */
export function replaceFile(path: string, edit: (text: string) => string): void {
  const name = basename(path);
  const target = onDisk(name, () => realpathSync(path));
  const staged = `${target}.new`;
  const file = onDisk(name, () => openSync(staged, "wx", 0o600));
  let isStaged = true;
  try {
    const before = onDisk(name, () => readFileSync(target, "utf8"));
    const after = edit(before);
    if (after === before) return;
    onDisk(name, () => fill(file, after, target));
    if (onDisk(name, () => readFileSync(target, "utf8")) !== before) {
      throw new PipelineError("HOME_INVALID", `${name} was changed by somebody else meanwhile`, {
        hint: "Nothing was written. Run the command again.",
      });
    }
    onDisk(name, () => renameSync(staged, target));
    isStaged = false;
    onDisk(name, () => syncDirectory(dirname(target)));
  } finally {
    closeSync(file);
    if (isStaged) rmSync(staged, { force: true });
  }
}

function fill(file: number, text: string, target: string): void {
  const { mode, uid, gid } = statSync(target);
  const made = fstatSync(file);
  // An administrator's edit must not take the file from the user whom the cron job runs as.
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o777);
  writeFileSync(file, text);
  fsyncSync(file);
}

/** The rename is on the disk only when its folder is. */
function syncDirectory(path: string): void {
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function onDisk<Result>(name: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    if (cause.code === "EEXIST") {
      throw new PipelineError(
        "HOME_INVALID",
        `${name}.new is there: another edit is under way, or was cut off`,
        {
          cause,
          hint: `Nothing was written. Try again; where no other edit runs, delete ${name}.new first.`,
        },
      );
    }
    throw new PipelineError("HOME_INVALID", `${name} cannot be edited (${String(cause.code)})`, {
      cause,
      hint: "Nothing was written. Whoever edits it must be allowed to write to its folder.",
    });
  }
}
