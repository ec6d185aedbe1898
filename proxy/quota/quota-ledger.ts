import { statSync } from "node:fs";
import type { QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import { isBusy } from "./is-busy.ts";
import { openQuotaDatabase } from "./open-quota-database.ts";
import { QuotaFileError } from "./quota-file-error.ts";
import {
  type DayUse,
  prepareClosed,
  prepareOpened,
  prepareProbe,
  prepareSettle,
  prepareUsage,
  type SettleOn,
} from "./quota-rows.ts";

type Refund = Omit<QuotaRequest, "limit">;

/** The counter's file: one transaction per call. */
export interface QuotaLedger {
  /** Takes refunds, then grants; returns only after the commit. Answers stand in the order of the requests. */
  readonly settle: (requests: readonly QuotaRequest[], refunds: readonly Refund[]) => readonly QuotaAnswer[];
  /** Commits to the file without granting anything; throws where a unit of this day could not be granted at the moment. */
  readonly probe: (day: string) => void;
  /** The days of an account from `sinceDay` on, latest first. */
  readonly usage: (account: string, sinceDay: string) => DayUse[];
  /** The last day of which nothing is granted, since a restored file lacks its count; undefined where there is none. */
  readonly closedThrough: () => string | undefined;
  /** Whether an operator has set this account's count of a closed day. */
  readonly isOpened: (account: string, day: string) => boolean;
  readonly close: () => void;
}

interface AskedDays {
  readonly earliest: string;
  readonly latest: string;
}

interface OpenFile {
  readonly settle: SettleOn;
  readonly probe: (settledMin: number) => number;
  readonly usage: QuotaLedger["usage"];
  readonly closedThrough: QuotaLedger["closedThrough"];
  readonly isOpened: QuotaLedger["isOpened"];
  readonly identity: string;
  readonly close: () => void;
}

/**
 * Opens the ledger at `path`, making it where it is missing. From then on it counts in this one file: where another
 * one, an older state or nothing lies there later, units that were used would be given a second time, so every call
 * throws until what was counted in lies there again. Only a later day than any that was asked about can be counted in
 * whatever lies there then, because nothing of it was counted before. A handle that fails is opened anew by itself.
 *
 * A process that starts has nothing to compare with, and counts in what it finds: to start is its operator's word.
 */
export function openQuotaLedger(path: string): QuotaLedger {
  let file: OpenFile | undefined = openFile(path, true);
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
    file = openFile(path, true);
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
    file ??= openFile(path, false);
    return file;
  };

  /** Refuses days that cannot be counted any more, and turns to what lies there now where all of them are new. */
  const admit = ({ earliest, latest }: AskedDays): void => {
    // Before the doubt: another process may have counted in that day what this one never saw.
    if (latest > latestDay) latestDay = latest;
    if (earliest < firstDay) {
      throw new QuotaFileError("QUOTA_DAY_GONE", "that day was counted in a file that is gone");
    }
    if (doubtedDay !== undefined && earliest > doubtedDay) beginAnew(earliest);
  };

  /** One transaction on the file that is ours. */
  const commit = <Done extends { readonly settled: number }>(work: (open: OpenFile) => Done): Done => {
    const open = sameFile();
    try {
      const done = work(open);
      // After the commit and before anybody is released: what was written to a file that is gone counts for nobody.
      if (identityOf(path).all !== open.identity) {
        throw changed("the counter was taken away while it counted");
      }
      settledMin = done.settled;
      doubtedDay = undefined;
      return done;
    } catch (error) {
      const problem = error instanceof QuotaFileError ? error.code : undefined;
      if (problem === "QUOTA_WENT_BACK") doubt();
      // One whose file may come back must stay: only it still has what was counted. Another may never work again,
      // also after the file was put right.
      if (problem !== "QUOTA_FILE_CHANGED" && !isBusy(error)) close();
      throw error;
    }
  };

  return {
    settle(requests, refunds) {
      const asked = daysOf(requests);
      if (asked !== undefined) admit(asked);
      return commit((open) => {
        const kept = refunds.filter(({ day }) => day >= firstDay);
        return open.settle(requests, kept, settledMin);
      }).answers;
    },
    probe(day) {
      admit({ earliest: day, latest: day });
      commit((open) => ({ settled: open.probe(settledMin) }));
    },
    usage: (account, sinceDay) => (file ?? sameFile()).usage(account, sinceDay),
    closedThrough: () => (file ?? sameFile()).closedThrough(),
    isOpened: (account, day) => (file ?? sameFile()).isOpened(account, day),
    close,
  };
}

/** The first and the last day that is asked about; undefined where nothing is asked. */
function daysOf([first, ...others]: readonly QuotaRequest[]): AskedDays | undefined {
  if (first === undefined) return undefined;
  let [earliest, latest] = [first.day, first.day];
  for (const { day } of others) {
    if (day < earliest) earliest = day;
    if (day > latest) latest = day;
  }
  return { earliest, latest };
}

function openFile(path: string, mayCreate: boolean): OpenFile {
  const database = openQuotaDatabase(path, mayCreate);
  return {
    settle: prepareSettle(database),
    probe: prepareProbe(database),
    usage: prepareUsage(database),
    closedThrough: prepareClosed(database),
    isOpened: prepareOpened(database),
    identity: identityOf(path).all,
    close: () => void database.close(),
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
