import { openQuotaDatabase } from "./open-quota-database.ts";
import type { DayUse } from "./quota-rows.ts";

/** What an account has used, as its operator knows it. */
export interface SaidUse extends DayUse {
  readonly account: string;
}

/**
 * Sets what an account has used of a day, and opens that day again for it where a restore has closed it; gives what it
 * was before. Servers may run meanwhile.
 */
export function setCount(path: string, { account, day, used }: SaidUse): number {
  const database = openQuotaDatabase(path, false);
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
