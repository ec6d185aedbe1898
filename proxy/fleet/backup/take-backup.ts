import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { flushSync, writeNew } from "../../../snapshots/base/durable-files.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS, findHome, type Home, homeAt } from "../../home.ts";
import { openKeyTable } from "../../keys/key-table.ts";
import { operatorFailure, systemReason } from "../../operator-error.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";
import { entriesOf, fillTable } from "../keys/key-entries.ts";
import { commandKeys, withRedis } from "../redis-commands.ts";
import { BACKUP_FILES, type BackupFile, type BackupNote, NOTE, readHashed } from "./backup-folder.ts";

/** A backup is usually on another disk than the home, so either disk may be the one that fails. */
const DISKS_HINT =
  "Check the disks of the home and of the backup (df, mount). Reading a database also writes beside it, so a read-only home cannot be backed up. Keep older backups until one succeeds.";

/** A query that only the right kind of file can answer. */
const PROOFS = {
  "keys.db": "SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM keys) AS keys",
  "quota.db": "SELECT 0 AS accounts, count AS keys FROM settled",
} as const;

/** Backs up a home, or the keys in the Redis at `url`, which any host of them can do. */
export async function takeBackup(home: string, directory: string, nowMs: number, url: string | undefined) {
  if (url === undefined) return writeBackup(findHome(home), directory, nowMs);
  const loaded = await withRedis(url, (link) => commandKeys(link, randomBytes, false).load());
  try {
    return writeBackup(homeAt(home), directory, nowMs, (path) => {
      const table = openKeyTable(path, COMMAND_BUSY_TIMEOUT_MS);
      try {
        fillTable(table, entriesOf(loaded));
      } finally {
        table.close();
      }
    });
  } finally {
    loaded.close();
  }
}

/**
 * Copies the home into a new folder for its owner alone, while servers run: each database as it is between two commits,
 * and flushed. `saveKeys` writes the keys where keys and counts are not in the home. A folder that fails is taken away
 * again; the pepper stays where it is.
 */
function writeBackup(home: Home, directory: string, nowMs: number, saveKeys?: (path: string) => void) {
  makeNew(directory);
  try {
    const { accounts, keys } = writeDatabase(directory, "keys.db", saveKeys ?? copyOf(home.keysPath));
    // Only a server makes the counter; before the first one there is nothing to keep.
    if (saveKeys === undefined && existsSync(home.quotaPath)) {
      writeDatabase(directory, "quota.db", copyOf(home.quotaPath));
    }
    copySequence(home.directory, directory);
    const note = { format: 1 as const, taken_at: timestampOf(nowMs), files: hashesOf(directory) };
    writeNew(join(directory, NOTE), `${JSON.stringify(note, null, 2)}\n`);
    for (const folder of [directory, dirname(resolve(directory))]) flushSync(folder);
    return { note, accounts, keys };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw operatorFailure("BACKUP_UNWRITABLE", `The backup failed: ${reason}.`, DISKS_HINT, error);
  }
}

/** Never creates parent folders: a path on an unmounted disk would become a folder on another disk. */
function makeNew(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      const hint = "A backup overwrites nothing: name a new folder, for example after the date.";
      throw operatorFailure("BACKUP_EXISTS", "That folder or file already exists.", hint, error);
    }
    const hint = "Its parent folder must exist and be writable for the proxy's user.";
    const message = `The folder of the backup cannot be created${reasonFor(error)}.`;
    throw operatorFailure("BACKUP_UNWRITABLE", message, hint, error);
  }
}

/**
 * One read transaction: what another process commits meanwhile is in it whole or not at all. Opened without the
 * program's own preparations, so that a store of an older program is copied as it is, before an upgrade.
 */
function copyOf(path: string): (target: string) => void {
  return (target) => {
    const source = openSqlite(path, { fileMustExist: true, timeout: COMMAND_BUSY_TIMEOUT_MS });
    try {
      source.prepare<[string]>("VACUUM INTO ?").run(target);
    } finally {
      source.close();
    }
  };
}

function writeDatabase(
  directory: string,
  name: keyof typeof PROOFS,
  save: (target: string) => void,
): { accounts: number; keys: number } {
  const target = join(directory, name);
  try {
    writeNew(target, "");
    save(target);
    flushSync(target);
    return proofOf(target, name);
  } catch (error) {
    const message = `${name} could not be copied completely${reasonFor(error)}.`;
    throw operatorFailure("STORE_UNUSABLE", message, DISKS_HINT, error);
  }
}

/** The copy is read as a server would: one that it refuses could not be restored either. */
function copySequence(from: string, to: string): void {
  const [source, copy] = [from, to].map((folder) => join(folder, SEQUENCE_FILE)) as [string, string];
  if (!existsSync(source)) return;
  try {
    writeNew(copy, readHashed(source).bytes);
    openSequenceMemory(to);
  } catch (error) {
    if (systemReason(error) !== undefined) throw error;
    const hint = `No server starts with it either. Delete ${SEQUENCE_FILE} in the home to accept whatever is published, then back up again.`;
    throw operatorFailure("HOME_UNUSABLE", `${SEQUENCE_FILE} in the home is not a number.`, hint, error);
  }
}

/** Reads the copy, because the source keeps changing. */
function proofOf(copy: string, name: keyof typeof PROOFS): { accounts: number; keys: number } {
  const database = openSqlite(copy, { readonly: true, fileMustExist: true });
  try {
    const proof = database.prepare<[], { accounts: number; keys: number }>(PROOFS[name]).get();
    if (proof === undefined) throw new Error(`${name} lacks what every such file has`);
    return proof;
  } finally {
    database.close();
  }
}

function reasonFor(error: unknown): string {
  const reason = systemReason(error);
  return reason === undefined ? "" : `: ${reason}`;
}

function hashesOf(directory: string): BackupNote["files"] {
  const hashes: Partial<Record<BackupFile, string>> = {};
  for (const name of BACKUP_FILES) {
    const path = join(directory, name);
    if (existsSync(path)) hashes[name] = readHashed(path).sha256;
  }
  return hashes;
}
