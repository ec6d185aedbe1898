import { touchPrivate } from "./durable-files.ts";
import { isSqliteError, openSqlite } from "./sqlite.ts";

/**
 * Takes the exclusive lock of a file, which it creates empty if it is missing, and returns the function that releases it;
 * `undefined` at once if somebody has it. It is a kernel lock (through SQLite), so it ends with its process, however that
 * ends.
 */
export function takeLock(path: string): (() => void) | undefined {
  // For its owner alone, because whoever can open the file can also hold its lock.
  touchPrivate(path);
  const database = openSqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written, so a crash leaves no journal beside the lock.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return () => void database.close();
  } catch (error) {
    database.close();
    if (isSqliteError(error, "SQLITE_BUSY")) return undefined;
    throw error;
  }
}
