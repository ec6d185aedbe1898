import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import {
  COMMAND_TIMEOUT_MS,
  damagedList,
  guarded,
  isBusy,
  OPT_OUTS_MAX,
  type OptOutsErrorCode,
  openOptOutDatabase,
  optOutDigest,
  optOutsError,
  readSecret,
} from "./opt-out-book.ts";

/** Who may not be named. One object is one state of the list: another state is another object. */
export interface DenyList {
  readonly count: number;
  has(entityId: string): boolean;
}

/** Nobody may be named: what holds while the list cannot be asked. */
export const EVERYBODY_DENIED: DenyList = { count: 0, has: () => true };

/** The list at `path` as it is now; throws `OptOutsError` where it is missing or cannot be read, and never makes one. */
export function readDenyList(path: string): DenyList {
  return guarded(() => {
    const database = openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: COMMAND_TIMEOUT_MS });
    try {
      return denyListOf(database);
    } finally {
      database.close();
    }
  });
}

/** The whole list in one transaction of an open database; throws `OptOutsError`. */
function denyListOf(database: Database.Database): DenyList {
  const { secret, digests } = database.transaction(() => ({
    secret: readSecret(database),
    digests: database
      .prepare<[number], Buffer>("SELECT digest FROM opted_out LIMIT ?")
      .pluck()
      .all(OPT_OUTS_MAX + 1),
  }))();
  if (digests.length > OPT_OUTS_MAX) throw damagedList();
  const denied = new Set(digests.map((digest) => digest.toString("base64")));
  return {
    count: denied.size,
    has: (entityId) => denied.has(optOutDigest(secret, entityId).toString("base64")),
  };
}

/** The list as it is now, for a server; looking never throws. */
export type FollowedDenyList = ReturnType<typeof followDenyList>;

/** A change holds within one second (proxy.md §6); a quarter of it leaves room for a slow request. */
const LOOKED_AT_MS = 250;

/** While a writer holds the file, the last known state may stand for so long and no longer. */
const TRUSTED_MS = 1_000;

/** Follows the list that lies at `path`: a file that was changed, replaced, taken away or put back is noticed at the next look. */
export function followDenyList({
  path,
  nowMs,
  onChange,
}: {
  readonly path: string;
  readonly nowMs: () => number;
  /** Called once for each change between obeyed (`undefined`) and not, and at the first look. */
  readonly onChange: (problem: OptOutsErrorCode | undefined) => void;
}) {
  let opened: Opened | undefined;
  let problem: OptOutsErrorCode | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let knownAtMs = Number.NEGATIVE_INFINITY;

  const drop = (): void => {
    opened?.database.close();
    opened = undefined;
  };

  const look = (): void => {
    const { dev, ino } = statSync(path, { bigint: true });
    const fileId = `${dev}:${ino}`;
    if (opened !== undefined && opened.fileId !== fileId) drop();
    opened ??= openAt(path, fileId);
    if (opened.database.pragma("data_version", { simple: true }) !== opened.dataVersion) {
      opened = { ...opened, ...readOf(opened.database) };
    }
  };

  const isWithin = (sinceMs: number, lastsMs: number): boolean => {
    const ageMs = nowMs() - sinceMs;
    // A clock set back gives a negative age, and must not stretch anything.
    return ageMs >= 0 && ageMs < lastsMs;
  };

  const settle = (found: OptOutsErrorCode | undefined): void => {
    const isNews = lookedAtMs === Number.NEGATIVE_INFINITY || found !== problem;
    lookedAtMs = nowMs();
    problem = found;
    if (isNews) onChange(found);
  };

  const refresh = (): void => {
    if (isWithin(lookedAtMs, LOOKED_AT_MS)) return;
    try {
      look();
      knownAtMs = nowMs();
      settle(undefined);
    } catch (error) {
      if (isBusy(error) && opened !== undefined && isWithin(knownAtMs, TRUSTED_MS)) return;
      drop();
      settle(optOutsError(error).code);
    }
  };

  return {
    /** The same object as long as nothing changed; everybody is denied while the list cannot be asked. */
    current: (): DenyList => {
      refresh();
      return opened?.list ?? EVERYBODY_DENIED;
    },
    /** Why nobody may be named, or nothing while the list is obeyed. */
    problem: (): OptOutsErrorCode | undefined => {
      refresh();
      return problem;
    },
    close: drop,
  };
}

type Opened = ReturnType<typeof openAt>;

function openAt(path: string, fileId: string) {
  // No waiting: a server that stands still for a writer is worse than a list that is a moment old.
  const database = openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: 0 });
  try {
    return { database, fileId, ...readOf(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The version first: a change between the two readings is then seen at the next look and not lost. */
function readOf(database: Database.Database) {
  const dataVersion: unknown = database.pragma("data_version", { simple: true });
  return { dataVersion, list: denyListOf(database) };
}
