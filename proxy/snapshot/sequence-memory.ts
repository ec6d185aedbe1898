import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";

/** Remembers, over restarts, the highest sequence that was ever served. */
export interface SequenceMemory {
  /** 0 where nothing was served yet. */
  readonly highest: () => number;
  /** On disk when it returns. */
  readonly remember: (sequence: number) => void;
  /** `remember` that holds up nobody: while a version is published, a disk takes its time to flush. */
  readonly rememberAside: (sequence: number) => Promise<void>;
}

const FILE = "highest-sequence";

/** The memory could not be written: nothing new is served, as nobody would know of it after a restart. */
export class SequenceMemoryError extends Error {
  override readonly name = "SequenceMemoryError";
}

/** The memory in the proxy's home: without it, a restart would accept an old version put back in place. */
export function openSequenceMemory(home: string): SequenceMemory {
  const path = join(home, FILE);
  let highest = readSequence(path);
  return {
    highest: () => highest,
    remember: (sequence) => {
      try {
        replaceDurably(home, path, `${sequence}\n`);
      } catch (cause) {
        throw notWritten(cause);
      }
      highest = sequence;
    },
    rememberAside: async (sequence) => {
      try {
        await replaceDurablyAside(home, path, `${sequence}\n`);
      } catch (cause) {
        throw notWritten(cause);
      }
      highest = sequence;
    },
  };
}

function notWritten(cause: unknown): SequenceMemoryError {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new SequenceMemoryError(`${FILE} in the proxy's home cannot be written${code}`, { cause });
}

function readSequence(path: string): number {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new SnapshotError(
    "SNAPSHOT_INVALID",
    "The proxy's memory of the highest sequence served is damaged; delete the file to accept whatever is published.",
    { path: FILE },
  );
}

function replaceDurably(directory: string, path: string, text: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const folder = openSync(directory, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

async function replaceDurablyAside(directory: string, path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.write(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
