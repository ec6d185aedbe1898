import type Database from "better-sqlite3";

const FULL = 2;

/**
 * Refuses a handle whose commits may not be on disk when they return. To ask after its first access: that is when this
 * binding would fall back to NORMAL, and only then is it known whether the file system can hold a WAL file.
 */
export function assertDurable(database: Pick<Database.Database, "pragma">): void {
  const mode = database.pragma("journal_mode", { simple: true });
  if (mode !== "wal") throw new Error("quota.db cannot be used in WAL mode");
  if (database.pragma("synchronous", { simple: true }) !== FULL) throw new Error("synchronous is not FULL");
}
