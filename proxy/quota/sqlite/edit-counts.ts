import { lstatSync } from "node:fs";
import { basename } from "node:path";
import type Database from "better-sqlite3";
import { OperatorError, systemReason } from "../../operator-error.ts";
import { emptyLog, openQuotaDatabase } from "./open-quota-database.ts";
import type { DayUse } from "./quota-rows.ts";

/**
 * Closes all days up to `throughDay` in the counter at `path`, which is made where it is missing: every account is at its
 * limit until they are over. For a counter that may lack units which were granted.
 */
export function closeDays(path: string, throughDay: string): void {
  changeWhole(path, (database) => {
    database
      .prepare<[string]>(
        `INSERT INTO closed VALUES (1, ?)
         ON CONFLICT DO UPDATE SET through_day = max(through_day, excluded.through_day)`,
      )
      .run(throughDay);
    // What was set before may lack units again.
    database.exec("DELETE FROM opened");
  });
}

/** Opens days again that an earlier restore had closed: its operator takes the count as it is. */
export function openDays(path: string): void {
  changeWhole(path, (database) => void database.exec("DELETE FROM closed; DELETE FROM opened"));
}

/** What an account has used, as its operator knows it. */
export interface SaidUse extends DayUse {
  readonly account: string;
}

/**
 * Sets what an account has used of a day, and opens that day again for it where a restore has closed it; gives what it
 * was before. Servers may run meanwhile.
 */
export function setCount(path: string, { account, day, used }: SaidUse): number {
  const database = openQuotaDatabase(path, { mayCreate: false });
  try {
    const before = database.prepare<[string, string], { readonly used: number }>(
      "SELECT used FROM quota WHERE account = ? AND day = ?",
    );
    const set = database.transaction((): number => {
      const was = before.get(account, day)?.used ?? 0;
      database
        .prepare<[string, string, number]>(
          "INSERT INTO quota VALUES (?, ?, ?) ON CONFLICT (account, day) DO UPDATE SET used = excluded.used",
        )
        .run(account, day, used);
      database
        .prepare<[string, string, string]>(
          "INSERT INTO opened SELECT ?, ? FROM closed WHERE through_day >= ? ON CONFLICT DO NOTHING",
        )
        .run(account, day, day);
      // It only ever grows, so that what follows is no older state of the file.
      database.exec("UPDATE settled SET count = count + 1");
      return was;
    });
    return set.immediate();
  } finally {
    database.close();
  }
}

/** Refuses a store that was closed and has not all of itself in its one file: whoever takes the file alone would lose it. */
export function assertWhole(path: string): void {
  // What is still there after the close is what SQLite could not bring into the file, and it says so nowhere else.
  const isThere = (end: string) => lstatSync(`${path}${end}`, { throwIfNoEntry: false }) !== undefined;
  if (["-wal", "-journal"].some(isThere)) throw notWhole(path, "part of it is still in its log");
}

/** A commit lies in the log at first, and a close that cannot bring it into the file fails in silence. */
function changeWhole(path: string, change: (database: Database.Database) => void): void {
  const database = openQuotaDatabase(path);
  try {
    change(database);
    if (!emptyLog(database)) throw notWhole(path, "another program has it open");
  } catch (error) {
    const reason = systemReason(error);
    throw reason === undefined ? error : notWhole(path, reason, error);
  } finally {
    database.close();
  }
  assertWhole(path);
}

/** What stands in a store's log did not get into the store. */
function notWhole(path: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "STORE_UNUSABLE",
    `${basename(path)} could not be written completely: ${why}.`,
    "Check its disk (df), make room, and try again.",
    cause,
  );
}
