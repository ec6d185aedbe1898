import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { inHome } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";

/** Position of stored data in the scratch file. */
export interface PutAside {
  readonly at: number;
  readonly length: number;
}

/**
 * A temporary file for data that a run needs again later. It is plain data, so that each thread can write its own
 * results: posted between threads, they would be copied twice and held until the garbage is collected.
 */
export interface ScratchFile extends Pick<Settings, "homeDirectory"> {
  readonly descriptor: number;
  /** Bytes taken so far, counted by all threads. */
  readonly taken: BigInt64Array;
}

/**
 * Runs work with a scratch file in the home. The file is unlinked, so that it disappears with the process.
 * Threads that use it must have ended before the work does.
 */
export async function withScratch<Result>(
  settings: Settings,
  work: (scratch: ScratchFile) => Promise<Result>,
): Promise<Result> {
  const { homeDirectory } = settings;
  const descriptor = inHome(settings, () => {
    // Not named by process id: in a container that is always the same, and a leftover file would stop every
    // run.
    const path = join(homeDirectory, `.scratch-${randomUUID()}`);
    const opened = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return opened;
  });
  try {
    return await work({ homeDirectory, descriptor, taken: new BigInt64Array(new SharedArrayBuffer(8)) });
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes stored so far. */
export const scratchBytes = ({ taken }: ScratchFile): number => Number(Atomics.load(taken, 0));

/** Stores a value for `readBack`. Throws `HOME_INVALID` if the disk refuses. */
export function putAside(scratch: ScratchFile, value: unknown): PutAside {
  const bytes = serialize(value);
  const at = Number(Atomics.add(scratch.taken, 0, BigInt(bytes.length)));
  inHome(scratch, () => {
    for (let done = 0; done < bytes.length; )
      done += writeSync(scratch.descriptor, bytes, done, bytes.length - done, at + done);
  });
  return { at, length: bytes.length };
}

/** Reads stored data; `Value` is its type. */
export function readBack<Value>(
  { descriptor }: Pick<ScratchFile, "descriptor">,
  { at, length }: PutAside,
): Value {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, at + done);
    if (read === 0) throw new Error("invariant: the scratch file is shorter than what was stored");
    done += read;
  }
  return deserialize(bytes) as Value;
}
