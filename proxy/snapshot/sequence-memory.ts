import { join } from "node:path";
import { SEQUENCE_MAX } from "../../snapshots/format/limits.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { openRememberedFile } from "../durable-files.ts";

/** Remembers, over restarts, the highest sequence that was ever served. */
export interface SequenceMemory {
  /** No lower one is served; 0 where nothing was served yet. */
  readonly highest: () => number;
  /** On disk when it is done; nobody waits meanwhile, as a disk takes its time to flush while a version is published. */
  readonly remember: (sequence: number) => Promise<void>;
}

/** Its name in the proxy's home. */
export const SEQUENCE_FILE = "highest-sequence";

/** The memory could not be written: nothing new is served, as nobody would know of it after a restart. */
export class SequenceMemoryError extends Error {
  override readonly name = "SequenceMemoryError";
}

/**
 * The memory in the proxy's home: without it, a restart would accept an old version put back in place. A machine that has
 * served nothing yet may be given the lowest sequence to accept. With `mayGoBack` the last sequence is remembered and refuses
 * none: where nobody signs, the process that follows decides which older versions are taken.
 */
export function openSequenceMemory(
  home: string,
  { sequenceMin = 0, mayGoBack = false } = {},
): SequenceMemory {
  const file = openRememberedFile({
    path: join(home, SEQUENCE_FILE),
    read: (line) => {
      const sequence = /^[1-9][0-9]{0,14}$/.test(line) ? Number(line) : Number.NaN;
      return sequence <= SEQUENCE_MAX ? sequence : undefined;
    },
    write: String,
    damaged: () =>
      new SnapshotError(
        "SNAPSHOT_INVALID",
        "The record of the highest sequence served is damaged; delete the file to accept whatever is published.",
        { path: SEQUENCE_FILE },
      ),
  });
  return {
    highest: () => (mayGoBack ? sequenceMin : Math.max(sequenceMin, file.last() ?? 0)),
    remember: async (sequence) => {
      if (sequence === file.last()) return;
      try {
        await file.remember(sequence);
      } catch (cause) {
        const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
        const message = `${SEQUENCE_FILE} in the proxy's home cannot be written${code}`;
        throw new SequenceMemoryError(message, { cause });
      }
    },
  };
}
