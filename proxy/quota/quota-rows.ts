import type Database from "better-sqlite3";
import type { QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import { probeQuota, type QuotaRows, settleQuota } from "./settle-quota.ts";

/** An account's use of one day. */
export interface DayUse {
  readonly day: string;
  readonly used: number;
}

/** One transaction on an open counter; throws where the file has settled less than `settledMin`, and then changes nothing. */
export type SettleOn = (
  requests: readonly QuotaRequest[],
  refunds: readonly Omit<QuotaRequest, "limit">[],
  settledMin: number,
) => { readonly answers: readonly QuotaAnswer[]; readonly settled: number };

/** Prepares the transaction that grants and refunds. */
export function prepareSettle(database: Database.Database): SettleOn {
  const rows = prepareRows(database);
  const settle = database.transaction(
    (
      requests: readonly QuotaRequest[],
      refunds: readonly Omit<QuotaRequest, "limit">[],
      settledMin: number,
    ) => settleQuota(rows, { requests, refunds, settledMin }),
  );
  return (requests, refunds, settledMin) => settle.immediate(requests, refunds, settledMin);
}

/** Prepares a transaction that only counts itself; gives how many there were. */
export function prepareProbe(database: Database.Database): (settledMin: number) => number {
  const rows = prepareRows(database);
  const probe = database.transaction((settledMin: number) => probeQuota(rows, settledMin));
  return (settledMin) => probe.immediate(settledMin);
}

/** Prepares the question after an account's days, latest first. */
export function prepareUsage(database: Database.Database): (account: string, sinceDay: string) => DayUse[] {
  const usage = database.prepare<[string, string], DayUse>(
    "SELECT day, used FROM quota WHERE account = ? AND day >= ? ORDER BY day DESC",
  );
  return (account, sinceDay) => usage.all(account, sinceDay);
}

/** Prepares the question after the last day of which nothing is granted. */
export function prepareClosed(database: Database.Database): () => string | undefined {
  const closed = database.prepare<[], { day: string }>("SELECT through_day AS day FROM closed");
  return () => closed.get()?.day;
}

/** Prepares the question whether an operator has opened an account's day again. */
export function prepareOpened(database: Database.Database): (account: string, day: string) => boolean {
  const opened = database.prepare<[string, string]>("SELECT 1 FROM opened WHERE account = ? AND day = ?");
  return (account, day) => opened.get(account, day) !== undefined;
}

function prepareRows(database: Database.Database): QuotaRows {
  const read = database.prepare<[string, string], { used: number }>(
    "SELECT used FROM quota WHERE account = ? AND day = ?",
  );
  const add = database.prepare<[string, string, number], { used: number }>(
    `INSERT INTO quota VALUES (?, ?, ?)
     ON CONFLICT (account, day) DO UPDATE SET used = used + excluded.used RETURNING used`,
  );
  const giveBack = database.prepare<[string, string]>(
    "UPDATE quota SET used = used - 1 WHERE account = ? AND day = ? AND used > 0",
  );
  const settled = database.prepare<[], { count: number }>("SELECT count FROM settled");
  const countSettled = database.prepare<[]>("UPDATE settled SET count = count + 1");
  return {
    used: (account, day) => read.get(account, day)?.used ?? 0,
    // No row where one was just written is no reason to let anybody in.
    add: (account, day, units) => add.get(account, day, units)?.used ?? Number.POSITIVE_INFINITY,
    giveBack: (account, day) => giveBack.run(account, day).changes > 0,
    settled: () => settled.get()?.count ?? 0,
    countSettled: () => void countSettled.run(),
    closedThrough: prepareClosed(database),
    isOpened: prepareOpened(database),
  };
}
