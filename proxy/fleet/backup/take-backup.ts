import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { flushSync, writeNew } from "../../../snapshots/base/durable-files.ts";
import { errorCode } from "../../../snapshots/base/failure.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS, findHome } from "../../home.ts";
import { openKeyTable } from "../../keys/key-table.ts";
import { operatorFailure, systemReason } from "../../operator-error.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";
import { entriesOf, fillTable } from "../keys/key-entries.ts";
import { createKeyScripts, NO_POINT } from "../keys/key-scripts.ts";
import { loadKeys } from "../keys/redis-keys.ts";
import { withRedis } from "../redis-commands.ts";
import { type BackupFile, type BackupNote, NOTE, sha256Of } from "./backup-folder.ts";

/** A backup is usually on another disk than the home, so either disk may be the one that fails. */
const DISKS_HINT =
  "Check the disks of the home and of the backup (df, mount). Reading a database also writes beside it, so a read-only home cannot be backed up. Keep older backups until one succeeds.";

/** Writes a database into an empty file. */
type Save = (target: string) => void;

/**
 * Backs up a home into a new folder for its owner alone, while servers run; or the keys in the Redis at `url`, which any
 * host of them can do. A folder that fails is deleted again; the pepper stays where it is.
 */
export async function takeBackup(
  homeDirectory: string,
  directory: string,
  nowMs: number,
  url: string | undefined,
) {
  if (url === undefined) {
    const { keysPath, quotaPath } = findHome(homeDirectory);
    // Only a server makes the counter; before the first one there is nothing to keep.
    const saveCounts = existsSync(quotaPath) ? copyOf(quotaPath) : undefined;
    return writeBackup(homeDirectory, directory, nowMs, copyOf(keysPath), saveCounts);
  }
  const { table: keys } = await withRedis(url, (link) => loadKeys(createKeyScripts(link), NO_POINT));
  try {
    return writeBackup(homeDirectory, directory, nowMs, (target) => {
      const table = openKeyTable(target, COMMAND_BUSY_TIMEOUT_MS);
      try {
        fillTable(table, entriesOf(keys));
      } finally {
        table.close();
      }
    });
  } finally {
    keys.close();
  }
}

/**
 * One read transaction: what another process commits meanwhile is in it whole or not at all. Opened without the
 * program's own preparations, so that a store of an older program is copied as it is, before an upgrade.
 */
function copyOf(path: string): Save {
  return (target) => {
    const source = openSqlite(path, { fileMustExist: true, timeout: COMMAND_BUSY_TIMEOUT_MS });
    try {
      source.prepare<[string]>("VACUUM INTO ?").run(target);
    } finally {
      source.close();
    }
  };
}

/** A query that only the right kind of file can answer. */
const PROOFS = {
  "keys.db": "SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM keys) AS keys",
  "quota.db": "SELECT 0 AS accounts, count AS keys FROM settled",
} as const;

function writeBackup(home: string, directory: string, nowMs: number, saveKeys: Save, saveCounts?: Save) {
  makeNew(directory);
  try {
    const { accounts, keys } = writeDatabase(directory, "keys.db", saveKeys);
    const names: BackupFile[] = ["keys.db"];
    if (saveCounts !== undefined) {
      writeDatabase(directory, "quota.db", saveCounts);
      names.push("quota.db");
    }
    const sequence = openSequenceMemory(home).highest();
    if (sequence > 0) {
      writeNew(join(directory, SEQUENCE_FILE), `${sequence}\n`);
      names.push(SEQUENCE_FILE);
    }
    const hashes = names.map((name) => [name, sha256Of(readFileSync(join(directory, name)))]);
    const note: BackupNote = {
      format: 1,
      taken_at: timestampOf(nowMs),
      files: Object.fromEntries(hashes),
    };
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
    if (errorCode(error) === "EEXIST") {
      const hint = "A backup overwrites nothing: name a new folder, for example after the date.";
      throw operatorFailure("BACKUP_EXISTS", "That folder or file already exists.", hint, error);
    }
    const hint = "Its parent folder must exist and be writable for the proxy's user.";
    const message = `The folder of the backup cannot be created${reasonFor(error)}.`;
    throw operatorFailure("BACKUP_UNWRITABLE", message, hint, error);
  }
}

function writeDatabase(directory: string, name: keyof typeof PROOFS, save: Save) {
  const target = join(directory, name);
  try {
    writeNew(target, "");
    save(target);
    flushSync(target);
    // Of the copy, because the source keeps changing.
    const database = openSqlite(target, { readonly: true, fileMustExist: true });
    try {
      const proof = database.prepare<[], { accounts: number; keys: number }>(PROOFS[name]).get();
      if (proof === undefined) throw new Error(`${name} lacks what every such file has`);
      return proof;
    } finally {
      database.close();
    }
  } catch (error) {
    const message = `${name} could not be copied completely${reasonFor(error)}.`;
    throw operatorFailure("STORE_UNUSABLE", message, DISKS_HINT, error);
  }
}

function reasonFor(error: unknown): string {
  const reason = systemReason(error);
  return reason === undefined ? "" : `: ${reason}`;
}
