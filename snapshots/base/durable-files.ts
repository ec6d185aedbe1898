import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./failure.ts";

const PRIVATE_MODE = 0o600;

/** Bytes that this user may still write on the disk of an existing folder. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Flushes a file, or a folder, without which a rename may not survive a power cut. */
export function flushSync(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export async function flush(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a file readable by its owner only, and flushes it; throws if it exists. */
export function writeNew(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: "wx", mode: PRIVATE_MODE, flush: true });
}

/**
 * Creates a file that `write` fills and flushes under another name; returns false if the file exists. A link instead of a
 * rename: if two processes create the same secret at once, both then use that of the first.
 */
export function createOnce(path: string, write: (draft: string) => void): boolean {
  const draft = draftOf(path);
  try {
    write(draft);
    linkSync(draft, path);
    flushSync(dirname(path));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    // Also if the disk was full: half a secret must not be left behind.
    rmSync(draft, { force: true });
  }
}

/** A name beside the file that no other process uses. */
function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString("hex")}.new`;
}

/** Creates an empty file readable by its owner only, unless it exists. */
export function touchPrivate(path: string): void {
  try {
    // Never opens an existing file: closing it would release the locks that SQLite holds on it for this process (POSIX).
    closeSync(openSync(path, "wx", PRIVATE_MODE));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

export type Written = ReturnType<typeof fill>;

function fill(descriptor: number, chunks: Iterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const chunk of chunks) {
    // writeSync may write only a part.
    for (let from = 0; from < chunk.length; ) from += writeSync(descriptor, chunk, from);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Writes a new file without flushing it; the caller flushes. Rethrows errors of the system. */
export function writeUnflushed(path: string, chunks: Iterable<Uint8Array>): Written {
  const descriptor = openSync(path, "wx");
  try {
    return fill(descriptor, chunks);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file as `staged`, which must not exist, flushes it and renames it to `path`, so that `path` is never partly
 * written. Rethrows errors of the system and of the callbacks; the previous file is then unchanged.
 */
export function putFile(
  path: string,
  staged: string,
  chunks: Iterable<Uint8Array>,
  {
    mode = PRIVATE_MODE,
    prepare,
    beforeRename,
  }: { mode?: number; prepare?: (descriptor: number) => void; beforeRename?: () => void } = {},
): Written {
  const descriptor = openSync(staged, "wx", mode);
  let written: Written;
  try {
    prepare?.(descriptor);
    written = fill(descriptor, chunks);
    fsyncSync(descriptor);
    beforeRename?.();
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  flushSync(dirname(path));
  return written;
}

/** Moves a folder into place, replacing an existing one, which is restored on failure. Rethrows errors of the system. */
export function replaceFolder(staged: string, directory: string): void {
  const old = `${staged}.old`;
  const exists = existsSync(directory);
  if (exists) renameSync(directory, old);
  try {
    renameSync(staged, directory);
  } catch (error) {
    if (exists) renameSync(old, directory);
    throw error;
  }
  flushSync(dirname(directory));
  rmSync(old, { recursive: true, force: true });
}

export interface RememberedFile<Value> {
  /** The value on disk; undefined if nothing was remembered yet. */
  readonly last: () => Value | undefined;
  /** Resolves when the value is on disk; writes asynchronously, one at a time. Rejects if it cannot be written. */
  readonly remember: (value: Value) => Promise<void>;
}

interface RememberedFileParts<Value> {
  readonly path: string;
  /** Parses its one line; undefined if it is damaged. */
  readonly read: (line: string) => Value | undefined;
  readonly write: (value: Value) => string;
  readonly damaged: () => Error;
}

/** Opens the file, which need not exist yet; throws the system's error if it cannot be read. */
export function openRememberedFile<Value>(parts: RememberedFileParts<Value>): RememberedFile<Value> {
  let last = readLast(parts);
  let writing: Promise<void> = Promise.resolve();
  return {
    last: () => last,
    remember: (value) => {
      const before = writing.catch(() => {});
      writing = before.then(async () => {
        await replaceDurably(parts.path, `${parts.write(value)}\n`);
        last = value;
      });
      return writing;
    },
  };
}

function readLast<Value>({ path, read, damaged }: RememberedFileParts<Value>): Value | undefined {
  try {
    const value = read(readFileSync(path, "utf8").trim());
    if (value !== undefined) return value;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  throw damaged();
}

/** Writes a separate draft and renames it: several processes may share a home, and the last write wins. */
async function replaceDurably(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, text, { mode: PRIVATE_MODE, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await flush(dirname(path));
}
