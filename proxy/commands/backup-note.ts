import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Sha256, Timestamp } from "../../snapshots/format/ids.ts";
import { OperatorError } from "../http/operator-error.ts";

/** What a backup may hold beside its note. The pepper is none of it: with `keys.db` it is what an attacker wants. */
export const BACKUP_FILES = ["keys.db", "quota.db", "highest-sequence"] as const;
export type BackupFile = (typeof BACKUP_FILES)[number];

/** The note of a backup, written last: a folder without it is no whole backup. */
const NOTE = "backup.json";

const BackupNote = z.strictObject({
  format: z.literal(1),
  taken_at: Timestamp,
  files: z.partialRecord(z.enum(BACKUP_FILES), Sha256),
});

/** When a backup was taken, and the hash of each of its files. */
export type BackupNote = z.infer<typeof BackupNote>;

/** Where the note of the backup in `directory` lies. */
export function notePath(directory: string): string {
  return join(directory, NOTE);
}

/** The bytes of one file of a backup together with their hash. */
export function readHashed(path: string): { readonly bytes: Buffer; readonly sha256: string } {
  const bytes = readFileSync(path);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The note of the backup in `directory`; refuses a folder that is no whole backup of this format. */
export function readBackupNote(directory: string): BackupNote {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(notePath(directory), "utf8"));
  } catch (error) {
    throw invalidBackup("There is no readable backup.json in that folder, so it is no whole backup.", error);
  }
  const note = BackupNote.safeParse(parsed);
  if (!note.success) throw invalidBackup("backup.json is not one of this format.", note.error);
  if (note.data.files["keys.db"] === undefined) throw invalidBackup("The backup holds no keys.db.");
  return note.data;
}

/** A backup that cannot be trusted to be what was taken. */
export function invalidBackup(message: string, cause?: unknown): OperatorError {
  const hint =
    "Name a folder that `govdata-proxy backup` of this or an older program made; or take another one.";
  return new OperatorError("BACKUP_INVALID", message, hint, cause);
}

/** The bytes of one file of a backup; refuses those that are not what was taken. */
export function checkedBytes(directory: string, note: BackupNote, name: BackupFile): Buffer {
  let read: ReturnType<typeof readHashed>;
  try {
    read = readHashed(join(directory, name));
  } catch (error) {
    throw invalidBackup(`${name} of the backup cannot be read.`, error);
  }
  if (read.sha256 === note.files[name]) return read.bytes;
  throw invalidBackup(`${name} of the backup has changed since it was taken.`);
}
