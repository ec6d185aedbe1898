import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { OperatorError } from "../operator-error.ts";
import { closeDays, openDays } from "../quota/sqlite/edit-counts.ts";
import { openQuotaDatabase } from "../quota/sqlite/open-quota-database.ts";

/** Refuses to keep what is no sound counter: keys over it would be restored into a home in which nothing serves. */
export function assertKeepable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw notKeepable("There is no quota.db in this home to keep.");
  // To open a pipe would be to wait for whoever writes into it.
  if (!found.isFile()) throw notKeepable("The quota.db of this home is no file.");
  if (found.size === 0) throw notKeepable("The quota.db of this home is empty.");
  const database = openQuotaDatabase(path, { mayCreate: false });
  try {
    if (!isSound(database)) throw notKeepable("The quota.db of this home is damaged.");
  } finally {
    database.close();
  }
}

function isSound(database: Database.Database): boolean {
  try {
    return database.pragma("quick_check(1)", { simple: true }) === "ok";
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CORRUPT")) return false;
    throw error;
  }
}

function notKeepable(message: string): OperatorError {
  const hint =
    "Move quota.db with its -wal and -shm elsewhere and leave --keep-quota out: then the backup's count is taken, and the day is closed.";
  return new OperatorError("STORE_UNUSABLE", message, hint);
}

/**
 * Refuses to close a day by a clock that is behind the backup: the day that lacks units would be another one, and be
 * granted a second time as soon as the clock is right.
 */
export function refuseClockBehind(takenAt: string, nowMs: number): void {
  if (nowMs >= Date.parse(takenAt)) return;
  throw new OperatorError(
    "CLOCK_BEHIND",
    `By this machine's clock it is ${timestampOf(nowMs)}, and the backup was taken later, at ${takenAt}: the day to close is not known.`,
    "Set the clock (timedatectl) and try again. Where the clock was wrong when it was taken: --keep-quota with a sound quota.db, or --grant-today.",
  );
}

/** Prepares a counter for its new home, made where it is missing; gives the last day that is closed in it, if one is. */
export function prepareQuota(
  path: string,
  choice: "close-today" | "grant-today",
  nowMs: number,
): string | null {
  if (choice === "grant-today") {
    openDays(path);
    return null;
  }
  const today = dayOf(nowMs);
  closeDays(path, today);
  return today;
}
