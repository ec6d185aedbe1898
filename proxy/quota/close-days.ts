import { dayEndMs, dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { openQuotaDatabase } from "./open-quota-database.ts";

/**
 * Closes all days up to `throughDay` in the counter at `path`, which is made where it is missing: every account is at its
 * limit until they are over. For a counter that may lack units which were granted.
 */
export function closeDays(path: string, throughDay: string): void {
  const database = openQuotaDatabase(path);
  try {
    database
      .prepare<[string]>(
        `INSERT INTO closed VALUES (1, ?)
         ON CONFLICT DO UPDATE SET through_day = max(through_day, excluded.through_day)`,
      )
      .run(throughDay);
  } finally {
    database.close();
  }
}

/** Opens days again that an earlier restore had closed: its operator takes the count as it is. */
export function openDays(path: string): void {
  const database = openQuotaDatabase(path);
  try {
    database.exec("DELETE FROM closed");
  } finally {
    database.close();
  }
}

/** What an operator should hear while a day that is closed is not over; undefined where none is. */
export function closedDayWarning(throughDay: string | undefined, nowMs: number): string | undefined {
  if (throughDay === undefined || throughDay < dayOf(nowMs)) return undefined;
  return `since a restore every account is at its limit until ${timestampOf(dayEndMs(throughDay) + 1)}`;
}
