import type Database from "better-sqlite3";
import { dayEndMs, dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { systemReason } from "../operator-error.ts";
import { assertWhole, notWhole } from "./assert-whole.ts";
import { openQuotaDatabase } from "./open-quota-database.ts";

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

/** A commit lies in the log at first, and a close that cannot bring it into the file fails in silence. */
function changeWhole(path: string, change: (database: Database.Database) => void): void {
  const database = openQuotaDatabase(path);
  try {
    change(database);
    emptyLog(database, path);
  } catch (error) {
    const reason = systemReason(error);
    throw reason === undefined ? error : notWhole(path, reason, error);
  } finally {
    database.close();
  }
  assertWhole(path);
}

function emptyLog(database: Database.Database, path: string): void {
  const row = database
    .prepare<[], { readonly busy: number; readonly log: number }>("PRAGMA wal_checkpoint(TRUNCATE)")
    .get();
  if (row?.busy === 0 && row.log === 0) return;
  throw notWhole(path, "another program holds it");
}

/** What an operator should hear while a day that is closed is not over; undefined where none is. */
export function closedDayWarning(
  throughDay: string | undefined,
  nowMs: number,
  since = "since a restore",
): string | undefined {
  if (throughDay === undefined || throughDay < dayOf(nowMs)) return undefined;
  return `${since} every account is at its limit until ${timestampOf(dayEndMs(throughDay) + 1)}`;
}
