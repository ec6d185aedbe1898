import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file that is not there yet, for its owner alone, and flushes it. */
export function writeNew(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: true });
}

/** Flushes a file, or the names in a folder. */
export function flush(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** A small file in the home that remembers one value over restarts. */
export interface RememberedFile<Value> {
  /** What is on disk; undefined where nothing was remembered yet. */
  readonly last: () => Value | undefined;
  /** On disk when it resolves; holds up nobody else, and writes one after the other. Rejects where it cannot be written. */
  readonly remember: (value: Value) => Promise<void>;
}

/** What a remembered file needs. */
export interface RememberedFileParts<Value> {
  readonly path: string;
  /** Reads its one line; undefined where it is damaged. */
  readonly read: (line: string) => Value | undefined;
  readonly write: (value: Value) => string;
  readonly damaged: () => Error;
}

/** Opens the file, which need not be there yet; throws what the system says where it cannot be read. */
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

/** By a draft of its own: several proxies may share a home, and the last one stays. Requests are answered meanwhile. */
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
