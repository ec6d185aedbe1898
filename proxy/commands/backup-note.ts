import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Sha256, Timestamp } from "../../snapshots/format/ids.ts";
import { OperatorError } from "../operator-error.ts";

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

/** A note, and a sequence, are much smaller; a database is as large as it is. */
const SMALL_BYTES_MAX = 65_536;

/** The bytes of a regular file: a pipe would be waited for, and a device never ends. */
export function readRegular(path: string, bytesMax = Number.MAX_SAFE_INTEGER): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    // A folder is left to the system, which says so itself.
    if (!found.isFile() && !found.isDirectory()) throw new Error(`${path} is no regular file`);
    if (found.size > bytesMax) throw new Error(`${path} is larger than ${bytesMax} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The bytes of one file of a backup together with their hash. */
export function readHashed(path: string): { readonly bytes: Buffer; readonly sha256: string } {
  const bytes = readRegular(path, path.endsWith(".db") ? undefined : SMALL_BYTES_MAX);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The note of the backup in `directory`; refuses a folder that is no whole backup of this format. */
export function readBackupNote(directory: string): BackupNote {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegular(notePath(directory), SMALL_BYTES_MAX).toString("utf8"));
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
