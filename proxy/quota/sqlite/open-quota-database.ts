import type Database from "better-sqlite3";
import { openDatabase } from "../../open-database.ts";

/** "gvqu", so that another program's file is not taken for ours. */
const APPLICATION_ID = 0x67767175;

/** `PRAGMA synchronous`: whether a commit flushes the log, or leaves that to whoever committed. */
const SYNCHRONOUS = { NORMAL: 1, FULL: 2 } as const;

/** The default of five seconds would hold the event loop, and with it every other request, for as long. */
const BUSY_TIMEOUT_MS = 100;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS quota (
  account TEXT NOT NULL,
  day TEXT NOT NULL,
  used INTEGER NOT NULL CHECK (used >= 0),
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settled (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO settled VALUES (1, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS closed (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  through_day TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS opened (
  account TEXT NOT NULL,
  day TEXT NOT NULL,
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
`;

/** What an open counter may do. */
export interface QuotaDatabaseOptions {
  /** False where a missing or emptied file is a loss, and no beginning. */
  readonly mayCreate?: boolean;
  /** `NORMAL` only for who flushes the log after each commit, and before anybody is answered. */
  readonly synchronous?: keyof typeof SYNCHRONOUS;
}

/**
 * Opens `quota.db`, making it where it is missing and may be made. `synchronous` is set and asserted each time: what this
 * binding reopens a WAL file at may change, and without a flush a power cut gives units back that were used.
 */
export function openQuotaDatabase(
  path: string,
  { mayCreate = true, synchronous = "FULL" }: QuotaDatabaseOptions = {},
): Database.Database {
  return openDatabase(path, {
    name: "quota.db",
    kind: "a counter",
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    mayCreate,
    prepare: (database) => prepare(database, mayCreate, synchronous),
  });
}

function prepare(
  database: Database.Database,
  mayClaim: boolean,
  synchronous: keyof typeof SYNCHRONOUS,
): void {
  // An empty file is no counter yet; where one was counted in, it would begin the day anew.
  if (!mayClaim && database.pragma("application_id", { simple: true }) === 0) {
    throw new Error("quota.db was emptied");
  }
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma("trusted_schema = OFF");
  const claim = database.transaction(() => {
    const owner = database.pragma("application_id", { simple: true });
    if (owner !== APPLICATION_ID && owner !== 0) throw new Error("quota.db belongs to another program");
    database.exec(SCHEMA);
    // Once only: to begin is no write to the disk of those who count.
    if (owner === 0) database.pragma(`application_id = ${APPLICATION_ID}`);
  });
  claim.immediate();
  assertDurable(database, synchronous);
}

/**
 * Refuses a handle whose commits are not what they should be. To ask after its first access: that is when this binding
 * would fall back to NORMAL, and only then is it known whether the file system can hold a WAL file.
 */
export function assertDurable(
  database: Pick<Database.Database, "pragma">,
  synchronous: keyof typeof SYNCHRONOUS = "FULL",
): void {
  const mode = database.pragma("journal_mode", { simple: true });
  if (mode !== "wal") throw new Error("quota.db cannot be used in WAL mode");
  if (database.pragma("synchronous", { simple: true }) !== SYNCHRONOUS[synchronous]) {
    throw new Error(`synchronous is not ${synchronous}`);
  }
}

/** Whether another program holds the file, also where that is the cause of the error: the handle is sound, and the next turn may find it free. */
export function isBusy(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === "string" && code.startsWith("SQLITE_BUSY")
    ? true
    : cause !== undefined && isBusy(cause);
}

/** Brings all of the log into the file and onto the disk; whether it could, or another program is at work there. */
export function emptyLog(database: Database.Database): boolean {
  const row = database
    .prepare<[], { readonly busy: number; readonly log: number }>("PRAGMA wal_checkpoint(TRUNCATE)")
    .get();
  return row?.busy === 0 && row.log === 0;
}
