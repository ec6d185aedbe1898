import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import type { QuotaRequest, UnitsAsked, UnitsGranted, UnitsReturned } from "../daily-quota.ts";
import type { QuotaLedger } from "../group-commit.ts";
import { emptyLog, isBusy, openQuotaDatabase } from "./open-quota-database.ts";
import { prepareQuotaRows, QuotaFileError, type QuotaRows, type Settled } from "./quota-rows.ts";

/** The counter's file. */
export interface QuotaFile extends QuotaLedger, Pick<QuotaRows, "usage" | "closedThrough" | "isOpened"> {
  /** What `settle` does before it flushes: one transaction, which nobody may be answered by yet. */
  readonly commit: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
  ) => readonly UnitsGranted[];
  /** Commits and flushes without granting anything; rejects where a unit of this day could not be granted at the moment. */
  readonly probe: (day: string) => Promise<void>;
  readonly close: () => void;
}

interface OpenFile extends QuotaRows {
  readonly identity: string;
  /** Brings what was committed to the disk. */
  readonly flush: () => Promise<void>;
  readonly close: () => void;
}

const flushFile = promisify(fdatasync);

/**
 * Opens the counter at `path`, making it where it is missing. From then on it counts in this one file: where another
 * one, an older state or nothing lies there later, units that were used would be given a second time, so every call
 * throws until what was counted in lies there again. Only a later day than any that was asked about can be counted in
 * whatever lies there then, because nothing of it was counted before. A handle that fails is opened anew by itself.
 *
 * A process that starts has nothing to compare with, and counts in what it finds: to start is its operator's word.
 *
 * A commit writes to the log, and the log is flushed by a thread of libuv's, so that neither this thread nor another
 * process that counts here waits for the disk. That is `synchronous=FULL` in two steps.
 */
export function openQuotaLedger(path: string): QuotaFile {
  /** Whether a flush failed: what the system then holds of the log may never reach the disk. */
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
  /** The last day of which units may have been counted in something that is gone. */
  let doubtedDay: string | undefined;
  /** Earlier days were counted in another file. */
  let firstDay = "";

  const close = (): void => {
    const closing = file;
    file = undefined;
    closing?.close();
  };
  /** Only the first time: what is asked while it is in doubt was never counted in what is gone. */
  const doubt = (): void => {
    doubtedDay ??= latestDay;
  };
  const changed = (message: string): QuotaFileError => {
    doubt();
    return new QuotaFileError("QUOTA_FILE_CHANGED", message);
  };
  /** A new day begins at nothing in any file: what lies there now is as good as the one that is gone. */
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
    // Never made here: an empty one would give the day's units a second time.
    file ??= open(false);
    return file;
  };

  /** Refuses days that cannot be counted any more, and turns to what lies there now where all of them are new. */
  const admit = (asked: readonly Pick<QuotaRequest, "day">[]): void => {
    const days = asked.map(({ day }) => day).sort();
    const [earliest, latest] = [days[0], days.at(-1)];
    if (earliest === undefined || latest === undefined) return;
    // Before the doubt: another process may have counted in that day what this one never saw.
    if (latest > latestDay) latestDay = latest;
    if (earliest < firstDay) {
      throw new QuotaFileError("QUOTA_DAY_GONE", "that day was counted in a file that is gone");
    }
    if (doubtedDay !== undefined && earliest > doubtedDay) beginAnew(earliest);
  };

  /** One transaction on the file that is ours. */
  const commitOn = (work: (rows: QuotaRows) => Settled): Settled & { readonly in: OpenFile } => {
    const current = sameFile();
    try {
      const done = work(current);
      // After the commit and before anybody is released: what was written to a file that is gone counts for nobody.
      if (identityOf(path).all !== current.identity) {
        throw changed("the counter was taken away while it counted");
      }
      settledMin = done.settled;
      doubtedDay = undefined;
      return { ...done, in: current };
    } catch (error) {
      const problem = error instanceof QuotaFileError ? error.code : undefined;
      if (problem === "QUOTA_WENT_BACK") doubt();
      // One whose file may come back must stay: only it still has what was counted. Another may never work again,
      // also after the file was put right.
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
    // SQLite holds no lock on the log, so a handle of ours can be closed again without ending one.
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

/** The log of changes, which stays open while a flush of it is under way: its number could become another file's. */
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

/** Which file lies there, and which log of changes beside it: without its own, a file is an older state of itself. */
function identityOf(path: string): { readonly file: string; readonly all: string } {
  const idOf = (name: string): string => {
    const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.dev}:${stats.ino}`;
  };
  const file = idOf(path);
  return { file, all: `${file} ${idOf(`${path}-wal`)}` };
}
