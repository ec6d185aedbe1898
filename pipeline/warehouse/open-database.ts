import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import Database from "better-sqlite3";
import { PipelineError } from "../base/pipeline-error.ts";

/** How long a command waits for another process before it says that the warehouse is busy. */
export const BUSY_TIMEOUT_MS = 1_000;

/**
 * The journal goes into the file when it holds this much, and is cut back to it after a large fetch. Four times SQLite's
 * own size, because every going waits for the disk twice, and an archive of a thousand DAOs makes fifty of them.
 */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;

/** SQLite counts its journal in pages. */
const PAGE_BYTES = 4096;

/**
 * A connection to the warehouse's file, which is made when it is not there, readable by its owner alone.
 *
 * `synchronous=NORMAL` is enough here: with a write-ahead log no power cut can damage the file, it can only lose
 * the newest fetch, and a fetch can be repeated. (What cannot be repeated, the quota of the proxy, uses FULL.)
 */
export function openDatabase(path: string): Database.Database {
  touch(path);
  const database = new Database(path);
  try {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.pragma("journal_mode = WAL");
    database.pragma(`journal_size_limit = ${JOURNAL_BYTES_MAX}`);
    database.pragma(`wal_autocheckpoint = ${JOURNAL_BYTES_MAX / PAGE_BYTES}`);
    database.pragma("synchronous = NORMAL");
    database.pragma("foreign_keys = ON");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** SQLite would create the file readable by everybody; its journal files take the mode of this one. */
function touch(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
    throw new PipelineError("HOME_MISSING", `the folder for ${basename(path)} does not exist`, {
      hint: "create it with `govdata init`",
      cause: error,
    });
  }
}
