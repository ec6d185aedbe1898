import type Database from "better-sqlite3";
import { type UnitsAsked, type UnitsGranted, type UnitsReturned, unitsWithin } from "../daily-quota.ts";

/** An account's use of one day. */
export interface DayUse {
  readonly day: string;
  readonly used: number;
}

/** What can be asked of an open counter. */
export interface QuotaRows {
  /** The days of an account from `sinceDay` on, latest first. */
  readonly usage: (account: string, sinceDay: string) => DayUse[];
  /** The last day of which nothing is granted, since its count was lost; undefined where there is none. */
  readonly closedThrough: () => string | undefined;
  /** Whether an operator has set this account's count of a closed day, so that it can be counted in. */
  readonly isOpened: (account: string, day: string) => boolean;
  /**
   * Takes back what is returned, then grants what is left but for closed days, in one transaction; answers in the order
   * of `asked`. Throws, and changes nothing, where the file has settled less than `settledMin`.
   */
  readonly settle: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
    settledMin: number,
  ) => Settled;
  /** Writes as a grant does, and grants nothing: what it throws, a grant would throw now. */
  readonly probe: (settledMin: number) => Settled;
}

/** What one transaction did. */
export interface Settled {
  readonly granted: readonly UnitsGranted[];
  /** How many transactions have written in this file: it only ever grows. */
  readonly settled: number;
  /** Only a transaction that writes has to be flushed: who is refused costs no disk. */
  readonly hasWritten: boolean;
}

/** Why the counter's file cannot be counted in at the moment; each is a 503 and one word in the log. */
export type QuotaFileProblem = "QUOTA_FILE_CHANGED" | "QUOTA_WENT_BACK" | "QUOTA_DAY_GONE";

/** What lies where the counter lay is not what was counted in: to count on could give units a second time. */
export class QuotaFileError extends Error {
  override readonly name = "QuotaFileError";
  readonly code: QuotaFileProblem;

  constructor(code: QuotaFileProblem, message: string) {
    super(message);
    this.code = code;
  }
}

/** Prepares what is asked of an open counter. */
export function prepareQuotaRows(database: Database.Database): QuotaRows {
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
  // Without RETURNING: SQLite gathers what it returns in a table of its own, which costs more than all else of a commit.
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
    throw new QuotaFileError("QUOTA_WENT_BACK", "quota.db holds an older state than was counted in before");
  };
  /** Nobody else writes between the look and the write: the transaction holds the file from its first statement on. */
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
      const granted = asked.map((each): UnitsGranted => {
        const isClosed = each.day <= closedThrough && !isOpened(each.account, each.day);
        // What a closed day has left is not known: every account stands at its limit until its count is set.
        const given = isClosed ? { used: Number.POSITIVE_INFINITY, granted: 0 } : grant(each);
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
