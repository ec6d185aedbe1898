import { statSync } from "node:fs";
import type { SqliteDatabase } from "../base/sqlite.ts";
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
} from "./opt-out-store.ts";

/** The entities that must not be named. Immutable: another state of the list is another object. */
export interface DenyList {
  readonly count: number;
  has(entityId: string): boolean;
}

/** Denies everybody; used while the list cannot be read. */
export const EVERYBODY_DENIED: DenyList = { count: 0, has: () => true };

/** Reads the list at `path`; throws `OptOutsFailure` if it is missing or cannot be read, and never creates one. */
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

function denyListOf(database: SqliteDatabase): DenyList {
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

/** The current list, for a server; its methods never throw. */
export type FollowedDenyList = ReturnType<typeof followDenyList>;

/** A change must take effect within one second; a quarter of that leaves time for a slow request. */
const CHECK_INTERVAL_MS = 250;

/** While a writer locks the file, the last known state stays valid for this long. */
const STATE_VALID_MS = 1_000;

/** Follows the list at `path`: the next check notices if the file was changed, replaced, removed or restored. */
export function followDenyList({
  path,
  nowMs,
  onChange,
}: {
  readonly path: string;
  readonly nowMs: () => number;
  /** Called after the first check and whenever the problem changes; `undefined` means that the list is in use. */
  readonly onChange: (problem: OptOutsErrorCode | undefined) => void;
}) {
  let opened: Opened | undefined;
  let problem: OptOutsErrorCode | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let readAtMs = Number.NEGATIVE_INFINITY;

  const drop = (): void => {
    opened?.database.close();
    opened = undefined;
  };

  const reload = (): void => {
    const { dev, ino } = statSync(path, { bigint: true });
    const fileId = `${dev}:${ino}`;
    if (opened !== undefined && opened.fileId !== fileId) drop();
    opened ??= openAt(path, fileId);
    if (opened.database.pragma("data_version", { simple: true }) !== opened.dataVersion) {
      opened = { ...opened, ...readOf(opened.database) };
    }
  };

  const isWithin = (sinceMs: number, durationMs: number): boolean => {
    const ageMs = nowMs() - sinceMs;
    // The age is negative after the clock was set back; this must not extend the duration.
    return ageMs >= 0 && ageMs < durationMs;
  };

  const record = (code: OptOutsErrorCode | undefined): void => {
    const hasChanged = checkedAtMs === Number.NEGATIVE_INFINITY || code !== problem;
    checkedAtMs = nowMs();
    problem = code;
    if (hasChanged) onChange(code);
  };

  const refresh = (): void => {
    if (isWithin(checkedAtMs, CHECK_INTERVAL_MS)) return;
    try {
      reload();
      readAtMs = nowMs();
      record(undefined);
    } catch (error) {
      if (isBusy(error) && opened !== undefined && isWithin(readAtMs, STATE_VALID_MS)) return;
      drop();
      record(optOutsError(error).code);
    }
  };

  return {
    /** The current list, the same object until it changes; denies everybody while the list cannot be read. */
    current: (): DenyList => {
      refresh();
      return opened?.list ?? EVERYBODY_DENIED;
    },
    /** Why everybody is denied; undefined while the list is in use. */
    problem: (): OptOutsErrorCode | undefined => {
      refresh();
      return problem;
    },
    close: drop,
  };
}

type Opened = ReturnType<typeof openAt>;

function openAt(path: string, fileId: string) {
  // No waiting: a server that blocks on a writer is worse than a list that is a moment old.
  const database = openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: 0 });
  try {
    return { database, fileId, ...readOf(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads the version first, so that the next check sees a change between the two reads. */
function readOf(database: SqliteDatabase) {
  const dataVersion: unknown = database.pragma("data_version", { simple: true });
  return { dataVersion, list: denyListOf(database) };
}
