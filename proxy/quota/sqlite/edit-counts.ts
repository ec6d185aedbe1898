import { lstatSync } from "node:fs";
import { basename } from "node:path";
import type { SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { type OperatorFailure, operatorFailure, systemReason } from "../../operator-error.ts";
import type { DayUse } from "../daily-quota.ts";
import { emptyLog, openQuotaDatabase } from "./open-quota-database.ts";

/**
 * Closes all days up to `throughDay` in the counter at `path`, and creates the counter if it is missing.
 * Every account is at its limit until those days are over. For a counter that may lack granted units.
 */
export function closeDays(path: string, throughDay: string): void {
  changeWhole(path, (database) => {
    database
      .prepare<[string]>(
        `INSERT INTO closed VALUES (1, ?)
         ON CONFLICT DO UPDATE SET through_day = max(through_day, excluded.through_day)`,
      )
      .run(throughDay);
    // Counts that were set before may lack units again.
    database.exec("DELETE FROM opened");
  });
}

/** Reopens the days that an earlier restore closed: the operator accepts the counts as they are. */
export function openDays(path: string): void {
  changeWhole(path, (database) => void database.exec("DELETE FROM closed; DELETE FROM opened"));
}

interface SaidUse extends DayUse {
  readonly account: string;
}

/**
 * Sets what an account has used of a day, and reopens that day for it if a restore closed it. Returns the
 * previous count. Servers may run meanwhile.
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
      // Running servers take a lower number for an older state of the file, so it only ever grows.
      database.exec("UPDATE settled SET count = count + 1");
      return was;
    });
    return set.immediate();
  } finally {
    database.close();
  }
}

/** Throws if a closed store is not all in its one file: a copy of that file would lack the rest. */
export function assertWhole(path: string): void {
  // A log left after the close is the only sign that SQLite could not move all of it into the file.
  const isThere = (end: string) => lstatSync(`${path}${end}`, { throwIfNoEntry: false }) !== undefined;
  if (["-wal", "-journal"].some(isThere)) throw notWhole(path, "part of it is still in its log");
}

/** Applies a change and moves it from the log into the file: a close that cannot do so fails silently. */
function changeWhole(path: string, change: (database: SqliteDatabase) => void): void {
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

function notWhole(path: string, why: string, cause?: unknown): OperatorFailure {
  return operatorFailure(
    "STORE_UNUSABLE",
    `${basename(path)} could not be written completely: ${why}.`,
    "Check its disk (df), make room, and try again.",
    cause,
  );
}
