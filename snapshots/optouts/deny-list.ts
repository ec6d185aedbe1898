import type Database from "better-sqlite3";
import { OPT_OUTS_MAX, openOptOutDatabase } from "./opt-out-database.ts";
import { optOutDigest } from "./opt-out-digest.ts";
import { OptOutsError, optOutsError } from "./opt-outs-error.ts";

/** Who may not be named. One object is one state of the list: another state is another object. */
export interface DenyList {
  readonly count: number;
  has(entityId: string): boolean;
}

/** Nobody may be named: what holds while the list cannot be asked. */
export const EVERYBODY_DENIED: DenyList = { count: 0, has: () => true };

/** How long a command waits for another one that is writing. */
const BUSY_TIMEOUT_MS = 5_000;

/** The whole list in one transaction of an open database; throws `OptOutsError`. */
export function denyListOf(database: Database.Database): DenyList {
  const { secret, digests } = database.transaction(() => ({
    secret: database.prepare<[], Buffer>("SELECT bytes FROM secret").pluck().get(),
    digests: database
      .prepare<[number], Buffer>("SELECT digest FROM opted_out LIMIT ?")
      .pluck()
      .all(OPT_OUTS_MAX + 1),
  }))();
  if (secret === undefined || digests.length > OPT_OUTS_MAX) {
    throw new OptOutsError("OPT_OUTS_UNREADABLE", "the list of live opt-outs is damaged");
  }
  const denied = new Set(digests.map((digest) => digest.toString("base64")));
  return {
    count: denied.size,
    has: (entityId) => denied.has(optOutDigest(secret, entityId).toString("base64")),
  };
}

/** The list at `path` as it is now; throws `OptOutsError` where it is missing or cannot be read, and never makes one. */
export function readDenyList(path: string): DenyList {
  try {
    const database = openOptOutDatabase(path, { isWriter: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      return denyListOf(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw optOutsError(error);
  }
}
