import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Sha256, Timestamp } from "../../../snapshots/format/ids.ts";
import { type OperatorFailure, operatorFailure } from "../../operator-error.ts";
import { SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";

/** What a backup may hold beside its note. The pepper is none of it: with `keys.db` it is what an attacker wants. */
export const BACKUP_FILES = ["keys.db", "quota.db", SEQUENCE_FILE] as const;
/** A file that a backup may hold. */
export type BackupFile = (typeof BACKUP_FILES)[number];

/** The note of a backup, written last: a folder without it is no whole backup. */
export const NOTE = "backup.json";

const BackupNote = z.strictObject({
  format: z.literal(1),
  taken_at: Timestamp,
  files: z.partialRecord(z.enum(BACKUP_FILES), Sha256),
});

/** When a backup was taken, and the hash of each of its files. */
export type BackupNote = z.infer<typeof BackupNote>;

/** A note, and a sequence, are much smaller; a database is as large as it is. */
const SMALL_BYTES_MAX = 65_536;

/** The bytes of a regular file: a pipe would be waited for, and a device never ends. */
function readRegular(path: string, bytesMax = Number.MAX_SAFE_INTEGER): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    // For a folder, the system reports the error.
    if (!stats.isFile() && !stats.isDirectory()) throw new Error(`${path} is no regular file`);
    if (stats.size > bytesMax) throw new Error(`${path} is larger than ${bytesMax} bytes`);
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

export type BackupFolder = ReturnType<typeof openBackup>;

/** Opens the backup in `directory`; refuses a folder that is no whole backup of this format. */
export function openBackup(directory: string) {
  const { taken_at: takenAt, files } = readNote(directory);
  return {
    takenAt,
    has: (name: BackupFile) => files[name] !== undefined,
    /** The bytes of one file; refuses those that are not what was taken. */
    bytes: (name: BackupFile): Buffer => {
      let read: ReturnType<typeof readHashed>;
      try {
        read = readHashed(join(directory, name));
      } catch (error) {
        throw invalidBackup(`${name} of the backup cannot be read.`, error);
      }
      if (read.sha256 === files[name]) return read.bytes;
      throw invalidBackup(`${name} of the backup has changed since it was taken.`);
    },
  };
}

function readNote(directory: string): BackupNote {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegular(join(directory, NOTE), SMALL_BYTES_MAX).toString("utf8"));
  } catch (error) {
    throw invalidBackup(
      "There is no readable backup.json in that folder, so it is not a complete backup.",
      error,
    );
  }
  const note = BackupNote.safeParse(parsed);
  if (!note.success) throw invalidBackup("backup.json is not of a known format.", note.error);
  if (note.data.files["keys.db"] === undefined) throw invalidBackup("The backup has no keys.db.");
  return note.data;
}

/** The error for a backup that may differ from what was taken. */
export function invalidBackup(message: string, cause?: unknown): OperatorFailure {
  const hint =
    "Name a folder that `govdata-proxy backup` of this or an older version made, or another backup.";
  return operatorFailure("BACKUP_INVALID", message, hint, cause);
}
