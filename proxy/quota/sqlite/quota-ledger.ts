import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { Failure } from "../../../snapshots/base/failure.ts";
import type { QuotaRequest, UnitsAsked, UnitsGranted, UnitsReturned } from "../daily-quota.ts";
import type { QuotaLedger } from "../group-commit.ts";
import { emptyLog, isBusy, openQuotaDatabase } from "./open-quota-database.ts";
import { prepareQuotaRows, type QuotaRows, quotaFileFailure, type Settled } from "./quota-rows.ts";

export interface QuotaFile extends QuotaLedger, Pick<QuotaRows, "usage" | "closedThrough" | "isOpened"> {
  /** The part of `settle` before the flush: one transaction. No request may be answered from it yet. */
  readonly commit: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
  ) => readonly UnitsGranted[];
  /** Commits and flushes but grants nothing; rejects if a unit of this day could not be granted now. */
  readonly probe: (day: string) => Promise<void>;
  readonly close: () => void;
}

interface OpenFile extends QuotaRows {
  readonly identity: string;
  readonly flush: () => Promise<void>;
  readonly close: () => void;
}

const flushFile = promisify(fdatasync);

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
export function openQuotaLedger(path: string): QuotaFile {
  /** Whether a flush failed: the part of the log in the system's cache may then never reach the disk. */
  let isLogDoubted = false;
  const open = (mayCreate: boolean): OpenFile => {
    const opened = openFile(path, { mayCreate, isLogDoubted });
    isLogDoubted = false;
    return opened;
  };
  let file: OpenFile | undefined = open(true);
  let owned = identityOf(path).file;
  let settledMin = 0;
  let latestDay = "";
  /** The last day whose units may have been counted in a lost file; undefined if none is in doubt. */
  let doubtedDay: string | undefined;
  /** Days before this one were counted in another file. */
  let firstDay = "";

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
    return quotaFileFailure("QUOTA_FILE_CHANGED", message);
  };
  /** Switches to the file at the path now: a new day starts at 0 in any file. */
  const beginAnew = (day: string): void => {
    close();
    file = open(true);
    owned = identityOf(path).file;
    settledMin = 0;
    firstDay = day;
    doubtedDay = undefined;
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
  const admit = (asked: readonly Pick<QuotaRequest, "day">[]): void => {
    const days = asked.map(({ day }) => day).sort();
    const [earliest, latest] = [days[0], days.at(-1)];
    if (earliest === undefined || latest === undefined) return;
    // Set before any doubt arises: another process may have counted units of that day unseen by this one.
    if (latest > latestDay) latestDay = latest;
    if (earliest < firstDay) {
      throw quotaFileFailure("QUOTA_DAY_GONE", "that day was counted in a file that is gone");
    }
    if (doubtedDay !== undefined && earliest > doubtedDay) beginAnew(earliest);
  };

  /** Runs one transaction on our own file; throws if the file was replaced meanwhile. */
  const commitOn = (work: (rows: QuotaRows) => Settled): Settled & { readonly in: OpenFile } => {
    const current = sameFile();
    try {
      const done = work(current);
      // After the commit, before any request is released: units written to a lost file do not count.
      if (identityOf(path).all !== current.identity) {
        throw changed("the counter was taken away while it counted");
      }
      settledMin = done.settled;
      doubtedDay = undefined;
      return { ...done, in: current };
    } catch (error) {
      const problem = error instanceof Failure ? error.code : undefined;
      if (problem === "QUOTA_WENT_BACK") doubt();
      // A handle whose file may come back stays open: only it still has the counts. Any other is closed: it may
      // never work again, even once the file is repaired.
      if (problem !== "QUOTA_FILE_CHANGED" && !isBusy(error)) close();
      throw error;
    }
  };
  const commit = (asked: readonly UnitsAsked[], returned: readonly UnitsReturned[]) => {
    admit(asked);
    return commitOn((rows) => {
      const kept = returned.filter(({ day }) => day >= firstDay);
      return rows.settle(asked, kept, settledMin);
    });
  };
  const flushed = async ({ granted, hasWritten, in: current }: ReturnType<typeof commitOn>) => {
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
    commit: (asked, returned) => commit(asked, returned).granted,
    settle: async (asked, returned) => flushed(commit(asked, returned)),
    probe: async (day) => {
      admit([{ day }]);
      await flushed(commitOn((rows) => rows.probe(settledMin)));
    },
    usage: (account, sinceDay) => (file ?? sameFile()).usage(account, sinceDay),
    closedThrough: () => (file ?? sameFile()).closedThrough(),
    isOpened: (account, day) => (file ?? sameFile()).isOpened(account, day),
    close,
  };
}

function openFile(
  path: string,
  { mayCreate, isLogDoubted }: { readonly mayCreate: boolean; readonly isLogDoubted: boolean },
): OpenFile {
  const database = openQuotaDatabase(path, { mayCreate, synchronous: "NORMAL" });
  try {
    if (isLogDoubted && !emptyLog(database)) {
      throw Object.assign(new Error("the log cannot be brought into quota.db"), { code: "SQLITE_BUSY" });
    }
    // SQLite holds no lock on the log, so closing our own handle releases none.
    const log = openLog(`${path}-wal`);
    const close = () => {
      log.close();
      database.close();
    };
    return { ...prepareQuotaRows(database), identity: identityOf(path).all, flush: log.flush, close };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the log. It stays open during a flush: its descriptor could otherwise be reused for another file. */
function openLog(path: string): Pick<OpenFile, "flush" | "close"> {
  const log = openSync(path, "r");
  let flushes = 0;
  let isClosed = false;
  const closeOnce = (): void => {
    if (isClosed && flushes === 0) closeSync(log);
  };
  return {
    flush: async () => {
      flushes += 1;
      try {
        await flushFile(log);
      } finally {
        flushes -= 1;
        closeOnce();
      }
    },
    close: () => {
      isClosed = true;
      closeOnce();
    },
  };
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
