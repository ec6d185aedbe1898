import { closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { OperatorError } from "../operator-error.ts";

/** An empty file that only one process can hold. */
const LOCK = ".restore-lock";

/**
 * Lets one restore at a time work in a home, as each clears away what a killed one left. The lock is one of the system:
 * it ends with its process, however that ends.
 */
export function holdingRestoreLock<Result>(home: string, work: () => Result): Result {
  const path = join(home, LOCK);
  const file = openSync(path, "a", 0o600);
  const lock = new Database(path, { timeout: 0 });
  try {
    take(lock);
    // Who held it before may have taken the file away in between: then this lock keeps nobody out.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) throw atWork();
    try {
      return work();
    } finally {
      rmSync(path, { force: true });
    }
  } finally {
    lock.close();
    closeSync(file);
  }
}

function take(lock: Database.Database): void {
  try {
    // Nothing is written, so no journal of it need lie in the home.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    throw error instanceof Database.SqliteError && error.code === "SQLITE_BUSY" ? atWork(error) : error;
  }
}

function atWork(cause?: unknown): OperatorError {
  return new OperatorError(
    "RESTORE_AT_WORK",
    "Another restore is at work in this home.",
    "Wait until it has ended, and look at what it says.",
    cause,
  );
}
