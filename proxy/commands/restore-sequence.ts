import { rmSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../http/operator-error.ts";
import { openSequenceMemory, SequenceMemoryError } from "../snapshot/sequence-memory.ts";
import { type BackupNote, checkedBytes, invalidBackup } from "./backup-note.ts";

/**
 * Raises the home's highest sequence to that of a backup, never lowers it, and gives what takes the change back: a
 * restore that is refused afterwards leaves the home as it was.
 */
export function restoreSequence(directory: string, home: string, note: BackupNote): () => void {
  if (note.files["highest-sequence"] === undefined) return () => {};
  const saved = Number(checkedBytes(directory, note, "highest-sequence").toString("utf8").trim());
  if (!Number.isSafeInteger(saved) || saved < 1)
    throw invalidBackup("highest-sequence of the backup is no number.");
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
  try {
    openSequenceMemory(home).remember(sequence);
  } catch (error) {
    if (!(error instanceof SequenceMemoryError)) throw error;
    const hint = "Look at the disk of the home (df) and at its rights, and try again.";
    throw new OperatorError("HOME_UNUSABLE", `${error.message}.`, hint, error);
  }
}
