import { join } from "node:path";
import { openRememberedFile } from "../../snapshots/base/durable-files.ts";
import { Failure } from "../../snapshots/base/failure.ts";
import { SEQUENCE_MAX } from "../../snapshots/format/limits.ts";
import { snapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";

export const SEQUENCE_FILE = "highest-sequence";

/**
 * Opens the memory of the highest sequence ever served, in the proxy's home; without it, a restart would accept an old version restored there. A machine that
 * has served nothing yet may be given the lowest sequence to accept. With `mayGoBack` the last sequence is remembered but
 * refuses none: without signatures, the following process decides which older versions are accepted.
 */
export function openSequenceMemory(home: string, { sequenceMin = 0, mayGoBack = false } = {}) {
  const file = openRememberedFile({
    path: join(home, SEQUENCE_FILE),
    read: (line) => {
      const sequence = /^[1-9][0-9]{0,14}$/.test(line) ? Number(line) : Number.NaN;
      return sequence <= SEQUENCE_MAX ? sequence : undefined;
    },
    write: String,
    damaged: () =>
      snapshotFailure(
        "SNAPSHOT_INVALID",
        "The record of the highest sequence served is damaged; delete the file to accept whatever is published.",
        { path: SEQUENCE_FILE },
      ),
  });
  return {
    /** The highest sequence; no lower one is served. 0 if nothing was served yet. */
    highest: (): number => (mayGoBack ? sequenceMin : Math.max(sequenceMin, file.last() ?? 0)),
    /** Resolves when it is on disk. Asynchronous because a flush can be slow while a version is being published. */
    remember: async (sequence: number): Promise<void> => {
      if (sequence === file.last()) return;
      try {
        await file.remember(sequence);
      } catch (cause) {
        const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
        const message = `${SEQUENCE_FILE} in the proxy's home cannot be written${code}`;
        // No new version is served, since it would be forgotten at a restart.
        throw new Failure("RELOAD_FAILED", message, { cause });
      }
    },
  };
}
