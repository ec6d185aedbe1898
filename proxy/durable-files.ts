import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates a file readable by its owner only, and flushes it; throws if it exists. */
export function writeNew(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: true });
}

/** Flushes a file or a folder's entries to disk. */
export function flush(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** A small file in the home that remembers one value across restarts. */
export interface RememberedFile<Value> {
  /** The value on disk; undefined if nothing was remembered yet. */
  readonly last: () => Value | undefined;
  /** Resolves when the value is on disk; writes asynchronously, one at a time. Rejects if it cannot be written. */
  readonly remember: (value: Value) => Promise<void>;
}

/** The parts of a remembered file. */
export interface RememberedFileParts<Value> {
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
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  throw damaged();
}

/** Writes a separate draft and renames it: several proxies may share a home, and the last write wins. Does not block. */
async function replaceDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString("hex")}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
