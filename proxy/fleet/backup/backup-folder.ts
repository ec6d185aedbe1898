import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Sha256, Timestamp } from "../../../snapshots/format/ids.ts";
import { operatorFailure } from "../../operator-error.ts";
import { SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";

/** What a backup may hold beside its note. The pepper is none of it: with `keys.db` it is what an attacker wants. */
const BackupFile = z.enum(["keys.db", "quota.db", SEQUENCE_FILE]);
export type BackupFile = z.infer<typeof BackupFile>;

/** The note of a backup, written last: a folder without it is no whole backup. */
export const NOTE = "backup.json";

const BackupNote = z.strictObject({
  format: z.literal(1),
  taken_at: Timestamp,
  files: z.partialRecord(BackupFile, Sha256),
});
export type BackupNote = z.infer<typeof BackupNote>;

export const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export type BackupFolder = ReturnType<typeof openBackup>;

/** Opens the backup in `directory`; refuses a folder that is no whole backup of this format. */
export function openBackup(directory: string) {
  const { taken_at: takenAt, files } = readNote(directory);
  return {
    takenAt,
    has: (name: BackupFile) => files[name] !== undefined,
    /** The bytes of one file; refuses those that are not what was taken. */
    bytes: (name: BackupFile): Buffer => {
      const bytes = readFile(directory, name, `${name} of the backup cannot be read.`);
      if (sha256Of(bytes) === files[name]) return bytes;
      throw invalidBackup(`${name} of the backup has changed since it was taken.`);
    },
  };
}

function readNote(directory: string): BackupNote {
  const none = "There is no readable backup.json in that folder, so it is not a complete backup.";
  const bytes = readFile(directory, NOTE, none);
  let note: BackupNote;
  try {
    note = BackupNote.parse(JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    throw invalidBackup("backup.json is not of a known format.", error);
  }
  if (note.files["keys.db"] === undefined) throw invalidBackup("The backup has no keys.db.");
  return note;
}

function readFile(directory: string, name: string, message: string): Buffer {
  const path = join(directory, name);
  try {
    // A pipe would be waited for, and a device never ends.
    if (!statSync(path).isFile()) throw new Error(`${path} is no regular file`);
    return readFileSync(path);
  } catch (error) {
    throw invalidBackup(message, error);
  }
}

function invalidBackup(message: string, cause?: unknown) {
  const hint =
    "Name a folder that `govdata-proxy backup` of this or an older version made, or another backup.";
  return operatorFailure("BACKUP_INVALID", message, hint, cause);
}
