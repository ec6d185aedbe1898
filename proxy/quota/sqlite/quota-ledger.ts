import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { Failure } from "../../../snapshots/base/failure.ts";
import type { SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import {
  type DayUse,
  type UnitsAsked,
  type UnitsGranted,
  type UnitsReturned,
  unitsWithin,
} from "../daily-quota.ts";
import { emptyLog, isBusy, openQuotaDatabase } from "./open-quota-database.ts";

/** Why the file cannot be used for counting now; each becomes a 503, and its code is logged. */
type QuotaFileProblem = "QUOTA_FILE_CHANGED" | "QUOTA_WENT_BACK" | "QUOTA_DAY_GONE";

const problem = (code: QuotaFileProblem, message: string) => new Failure(code, message);

export type QuotaFile = ReturnType<typeof openQuotaLedger>;

/**
 * Opens the counter at `path`, and creates it if it is missing. From then on it counts in this one file. If
 * the path later has another file, an older state or nothing, used units would be granted a second time; so
 * every call throws until the file is back. Only a day later than all requested so far may be counted in the
 * file found then, because none of its units was counted before. A handle that fails is reopened
 * automatically.
 *
 * A new process has nothing to compare with, so it counts in the file it finds: the operator answers for
 * that.
 *
 * A commit writes to the log, and a libuv thread flushes the log, so that neither this thread nor another
 * process that counts here waits for the disk. That is `synchronous=FULL` in two steps.
 */
export function openQuotaLedger(path: string, { mayCreate = true } = {}) {
  let file: OpenFile | undefined = openFile(path, { mayCreate, isLogDoubted: false });
  let owned = identityOf(path).file;
  let settledMin = 0;
  let latestDay = "";
  /** The last day whose units may have been counted in a lost file; undefined if none is in doubt. */
  let doubtedDay: string | undefined;
  /** Days before this one were counted in another file. */
  let firstDay = "";
  /** Whether a flush failed: the part of the log in the system's cache may then never reach the disk. */
  let isLogDoubted = false;

  const open = (mayCreate: boolean): OpenFile => {
    const opened = openFile(path, { mayCreate, isLogDoubted });
    isLogDoubted = false;
    return opened;
  };
  const close = (): void => {
    const closing = file;
    file = undefined;
    closing?.close();
  };
  /** Sets the day only once: requests made while in doubt were never counted in the lost file. */
  const doubt = (): void => {
    doubtedDay ??= latestDay;
  };
  const changed = (message: string): Failure => {
    doubt();
    return problem("QUOTA_FILE_CHANGED", message);
  };
  const sameFile = (): OpenFile => {
    if (file !== undefined && doubtedDay === undefined) return file;
    const lying = identityOf(path);
    if (lying.file !== owned || (file !== undefined && lying.all !== file.identity)) {
      throw changed("what lies there is not the counter that was counted in");
    }
    // Never created here: an empty file would grant the day's units a second time.
    file ??= open(false);
    return file;
  };

  /** Throws for days that can no longer be counted; switches to the file at the path now if all are new. */
  const admit = (days: readonly string[]): void => {
    const [earliest, latest] = [days[0], days.at(-1)];
    if (earliest === undefined || latest === undefined) return;
    // Set before any doubt arises: another process may have counted units of that day unseen by this one.
    if (latest > latestDay) latestDay = latest;
    if (earliest < firstDay) throw problem("QUOTA_DAY_GONE", "that day was counted in a file that is gone");
    if (doubtedDay === undefined || earliest <= doubtedDay) return;
    // A new day starts at 0 in any file.
    close();
    file = open(true);
    owned = identityOf(path).file;
    settledMin = 0;
    firstDay = earliest;
    doubtedDay = undefined;
  };

  /** Runs one transaction on our own file; throws if the file was replaced meanwhile. */
  const commit = (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
    probedDay?: string,
  ): Settled & { readonly in: OpenFile } => {
    admit(probedDay === undefined ? asked.map(({ day }) => day).sort() : [probedDay]);
    const current = sameFile();
    try {
      const kept = returned.filter(({ day }) => day >= firstDay);
      const done = current.settle(asked, kept, settledMin, probedDay !== undefined);
      // After the commit, before any request is released: units written to a lost file do not count.
      if (identityOf(path).all !== current.identity) {
        throw changed("the counter was taken away while it counted");
      }
      settledMin = done.settled;
      doubtedDay = undefined;
      return { ...done, in: current };
    } catch (error) {
      const code = error instanceof Failure ? error.code : undefined;
      if (code === "QUOTA_WENT_BACK") doubt();
      // A handle whose file may come back stays open: only it still has the counts. Any other is closed: it may
      // never work again, even once the file is repaired.
      if (code !== "QUOTA_FILE_CHANGED" && !isBusy(error)) close();
      throw error;
    }
  };
  const flushed = async ({ granted, hasWritten, in: current }: ReturnType<typeof commit>) => {
    try {
      if (hasWritten) await current.flush();
      return granted;
    } catch (error) {
      isLogDoubted = true;
      if (file === current) close();
      throw error;
    }
  };

  return {
    /** The part of `settle` before the flush: one transaction. No request may be answered from it yet. */
    commit: (asked: readonly UnitsAsked[], returned: readonly UnitsReturned[]) =>
      commit(asked, returned).granted,
    settle: async (asked: readonly UnitsAsked[], returned: readonly UnitsReturned[]) =>
      flushed(commit(asked, returned)),
    /** Commits and flushes but grants nothing; rejects if a unit of this day could not be granted now. */
    probe: async (day: string): Promise<void> => void (await flushed(commit([], [], day))),
    /** The days of an account from `sinceDay` on, latest first. */
    usage: (account: string, sinceDay: string) => (file ?? sameFile()).usage(account, sinceDay),
    /** The last closed day: nothing is granted of it, as its count was lost. Undefined if there is none. */
    closedThrough: () => (file ?? sameFile()).closedThrough(),
    /** Whether an operator has set this account's count of a closed day, so that its units are granted again. */
    isOpened: (account: string, day: string) => (file ?? sameFile()).isOpened(account, day),
    close,
  };
}

type OpenFile = ReturnType<typeof openFile>;

const flushFile = promisify(fdatasync);

function openFile(
  path: string,
  { mayCreate, isLogDoubted }: { readonly mayCreate: boolean; readonly isLogDoubted: boolean },
) {
  const database = openQuotaDatabase(path, { mayCreate, synchronous: "NORMAL" });
  try {
    if (isLogDoubted && !emptyLog(database)) {
      throw Object.assign(new Error("the log cannot be brought into quota.db"), { code: "SQLITE_BUSY" });
    }
    const rows = prepareRows(database);
    // SQLite holds no lock on the log, so closing our own handle releases none.
    const log = openSync(`${path}-wal`, "r");
    let flushes = 0;
    let isClosed = false;
    // The log stays open during a flush: its descriptor could otherwise be reused for another file.
    const closeLog = () => isClosed && flushes === 0 && closeSync(log);
    return {
      ...rows,
      identity: identityOf(path).all,
      flush: async (): Promise<void> => {
        flushes += 1;
        try {
          await flushFile(log);
        } finally {
          flushes -= 1;
          closeLog();
        }
      },
      close: (): void => {
        isClosed = true;
        closeLog();
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Identifies the file at the path and its log: without its own log, a file is in an older state. */
function identityOf(path: string): { readonly file: string; readonly all: string } {
  const idOf = (name: string): string => {
    const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.dev}:${stats.ino}`;
  };
  const file = idOf(path);
  return { file, all: `${file} ${idOf(`${path}-wal`)}` };
}

interface Settled {
  readonly granted: readonly UnitsGranted[];
  /** How many transactions have written to this file; only ever grows. */
  readonly settled: number;
  /** Only a transaction that writes must be flushed: refusals cost no disk access. */
  readonly hasWritten: boolean;
}

function prepareRows(database: SqliteDatabase) {
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
  const transaction = database.transaction(
    (
      asked: readonly UnitsAsked[],
      returned: readonly UnitsReturned[],
      settledMin: number,
      isProbe: boolean,
    ): Settled => {
      const { settled: before, closed } = state.get() ?? {};
      const settled = before ?? 0;
      if (settled < settledMin) {
        throw problem("QUOTA_WENT_BACK", "quota.db holds an older state than was counted in before");
      }
      let written = isProbe ? 1 : 0;
      for (const { account, day, units } of returned) written += giveBack.run(units, account, day).changes;
      const granted = asked.map((request): UnitsGranted => {
        const isClosed = request.day <= (closed ?? "") && !isOpened(request.account, request.day);
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
  return {
    usage: (account: string, sinceDay: string) => usage.all(account, sinceDay),
    closedThrough: () => state.get()?.closed ?? undefined,
    isOpened,
    /**
     * Books the refunds, then grants the units that are left, except of closed days, in one transaction. Returns the
     * grants in the order of `asked`. Throws and changes nothing if the file settled less than `settledMin`. A probe
     * writes also where no unit moves.
     */
    settle: transaction.immediate,
  };
}
