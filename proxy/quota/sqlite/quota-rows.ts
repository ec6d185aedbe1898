import { Failure } from "../../../snapshots/base/failure.ts";
import type { SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { type UnitsAsked, type UnitsGranted, type UnitsReturned, unitsWithin } from "../daily-quota.ts";

export interface DayUse {
  readonly day: string;
  readonly used: number;
}

export interface QuotaRows {
  /** The days of an account from `sinceDay` on, latest first. */
  readonly usage: (account: string, sinceDay: string) => DayUse[];
  /** The last closed day: nothing is granted of it, as its count was lost. Undefined if there is none. */
  readonly closedThrough: () => string | undefined;
  /** Whether an operator has set this account's count of a closed day, so that its units are granted again. */
  readonly isOpened: (account: string, day: string) => boolean;
  /**
   * Books the refunds, then grants the units that are left, except of closed days, in one transaction.
   * Returns the grants in the order of `asked`. Throws and changes nothing if the file settled less than
   * `settledMin`.
   */
  readonly settle: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
    settledMin: number,
  ) => Settled;
  /** Writes like a grant, but grants nothing: it throws what a grant would throw now. */
  readonly probe: (settledMin: number) => Settled;
}

export interface Settled {
  readonly granted: readonly UnitsGranted[];
  /** How many transactions have written to this file; only ever grows. */
  readonly settled: number;
  /** Only a transaction that writes must be flushed: refusals cost no disk access. */
  readonly hasWritten: boolean;
}

/** Why the file cannot be used for counting now; each becomes a 503, and its code is logged. */
type QuotaFileProblem = "QUOTA_FILE_CHANGED" | "QUOTA_WENT_BACK" | "QUOTA_DAY_GONE";

/** The file at the path is not the one used so far: counting on could grant units a second time. */
export function quotaFileFailure(code: QuotaFileProblem, message: string): Failure<QuotaFileProblem> {
  return new Failure(code, message);
}

/** Prepares the statements and transactions of an open counter. */
export function prepareQuotaRows(database: SqliteDatabase): QuotaRows {
  const usage = database.prepare<[string, string], DayUse>(
    "SELECT day, used FROM quota WHERE account = ? AND day >= ? ORDER BY day DESC",
  );
  const opened = database.prepare<[string, string]>("SELECT 1 FROM opened WHERE account = ? AND day = ?");
  const state = database.prepare<[], { readonly settled: number | null; readonly closed: string | null }>(
    "SELECT (SELECT count FROM settled) AS settled, (SELECT through_day FROM closed) AS closed",
  );
  const countSettled = database.prepare<[]>("UPDATE settled SET count = count + 1");
  const giveBack = database.prepare<[number, string, string]>(
    "UPDATE quota SET used = max(0, used - ?) WHERE account = ? AND day = ? AND used > 0",
  );
  // Without RETURNING: SQLite collects its rows in a temporary table, which costs more than all else.
  const read = database
    .prepare<[string, string], number>("SELECT used FROM quota WHERE account = ? AND day = ?")
    .pluck();
  const add = database.prepare<[string, string, number, number]>(
    `INSERT INTO quota VALUES (?, ?, ?)
     ON CONFLICT (account, day) DO UPDATE SET used = used + excluded.used WHERE used + excluded.used <= ?`,
  );
  const isOpened = (account: string, day: string): boolean => opened.get(account, day) !== undefined;

  const begin = (settledMin: number) => {
    const { settled, closed } = state.get() ?? {};
    if ((settled ?? 0) >= settledMin) return { settled: settled ?? 0, closedThrough: closed ?? "" };
    throw quotaFileFailure("QUOTA_WENT_BACK", "quota.db holds an older state than was counted in before");
  };
  /** No other process writes between the read and the write: the transaction locks the file from its start. */
  const grant = (asked: UnitsAsked): UnitsGranted => {
    const { account, day, limit } = asked;
    const used = read.get(account, day) ?? 0;
    const granted = unitsWithin(asked, used);
    if (granted > 0 && add.run(account, day, granted, limit).changes !== 1) {
      throw new Error("invariant: a grant would raise the count above the limit");
    }
    return { used, granted };
  };
  const settle = database.transaction(
    (asked: readonly UnitsAsked[], returned: readonly UnitsReturned[], settledMin: number): Settled => {
      const { settled, closedThrough } = begin(settledMin);
      let written = 0;
      for (const { account, day, units } of returned) written += giveBack.run(units, account, day).changes;
      const granted = asked.map((request): UnitsGranted => {
        const isClosed = request.day <= closedThrough && !isOpened(request.account, request.day);
        // What is left of a closed day is unknown: every account is at its limit until its count is set.
        const given = isClosed ? { used: Number.POSITIVE_INFINITY, granted: 0 } : grant(request);
        written += given.granted;
        return given;
      });
      if (written === 0) return { granted, settled, hasWritten: false };
      countSettled.run();
      return { granted, settled: settled + 1, hasWritten: true };
    },
  );
  const probe = database.transaction((settledMin: number): Settled => {
    const { settled } = begin(settledMin);
    countSettled.run();
    return { granted: [], settled: settled + 1, hasWritten: true };
  });
  return {
    usage: (account, sinceDay) => usage.all(account, sinceDay),
    closedThrough: () => state.get()?.closed ?? undefined,
    isOpened,
    settle: (...all) => settle.immediate(...all),
    probe: (settledMin) => probe.immediate(settledMin),
  };
}
