import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { OperatorError } from "../operator-error.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../snapshot/sequence-memory.ts";
import { flush, writeNew } from "./backup-files.ts";
import { type BackupNote, checkedBytes, invalidBackup } from "./backup-note.ts";

/** The highest sequence of a backup, read by way of `stage` as a server would read it; 0 where it holds none. */
export function stageSequence(directory: string, stage: string, note: BackupNote): number {
  if (note.files["highest-sequence"] === undefined) return 0;
  writeNew(join(stage, "highest-sequence"), checkedBytes(directory, note, "highest-sequence"));
  try {
    return openSequenceMemory(stage).highest();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    throw invalidBackup("highest-sequence of the backup is no number.", error);
  }
}

/**
 * Raises the home's highest sequence to that of a backup, never lowers it, and gives what takes the change back: a
 * restore that is refused afterwards leaves the home as it was.
 */
export function restoreSequence(home: string, saved: number): () => void {
  const before = openSequenceMemory(home).highest();
  if (saved <= before) return () => {};
  remember(home, saved);
  return () => {
    // A server that started meanwhile may have gone on from it.
    if (openSequenceMemory(home).highest() !== saved) return;
    if (before === 0) rmSync(join(home, "highest-sequence"), { force: true });
    else remember(home, before);
  };
}

function remember(home: string, sequence: number): void {
  const path = join(home, SEQUENCE_FILE);
  try {
    writeFileSync(`${path}.new`, `${sequence}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    flush(home);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const hint = "Look at the disk of the home (df) and at its rights, and try again.";
    const message = `${SEQUENCE_FILE} in the proxy's home cannot be written (${String(error.code)}).`;
    throw new OperatorError("HOME_UNUSABLE", message, hint, error);
  }
}
