import { join } from "node:path";
import Database from "better-sqlite3";
import { SnapshotError } from "./snapshot-error.ts";

/** The file beside the pointer whose lock makes one writer; it holds nothing. */
export const LOCK_FILE = "publish.lock";

/**
 * Takes the exclusive lock of a snapshot root, or throws `PUBLISH_LOCKED` at once. It is a lock of the
 * kernel on an open file (through SQLite), so it ends with the process, however that ends.
 */
export function acquirePublishLock(root: string): () => void {
  const database = new Database(join(root, LOCK_FILE), { timeout: 0 });
  try {
    // Nothing is ever written, so no journal need lie beside the lock after a crash.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new SnapshotError("PUBLISH_LOCKED", "another process is publishing into this snapshot root", {
        path: LOCK_FILE,
      });
    }
    throw error;
  }
  return () => {
    database.close();
  };
}
