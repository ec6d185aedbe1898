import {
  readStamp,
  type SqliteDatabase,
  type SqliteStamp,
  stampSqlite,
} from "../../../snapshots/base/sqlite.ts";
import { openDatabase } from "../../open-database.ts";

/** "gvqu" in ASCII. */
const STAMP: SqliteStamp = { applicationId: 0x67767175, version: 0 };

/** `PRAGMA synchronous`: whether a commit flushes the log (FULL), or leaves that to its caller (NORMAL). */
const SYNCHRONOUS = { NORMAL: 1, FULL: 2 } as const;

/**
 * Pages that the log holds before SQLite moves them into the file. That flushes both while every request waits: with the
 * default of 1,000 about once a second for one busy account, five times for many. The log is then 32 MB.
 */
const LOG_PAGES = 8_192;

/** The default of five seconds would block the event loop, and so every other request, for that long. */
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

interface QuotaDatabaseOptions {
  /** False if a missing or emptied file means lost data, not a first start. */
  readonly mayCreate?: boolean;
  /** `NORMAL` only for a caller that flushes the log after each commit, before it answers any request. */
  readonly synchronous?: keyof typeof SYNCHRONOUS;
}

/**
 * Opens `quota.db`, and creates it if it is missing and `mayCreate`. Sets and asserts `synchronous` each
 * time: the binding's default for a WAL file may change, and without a flush a power cut would give used
 * units back.
 */
export function openQuotaDatabase(
  path: string,
  { mayCreate = true, synchronous = "FULL" }: QuotaDatabaseOptions = {},
): SqliteDatabase {
  return openDatabase(path, {
    name: "quota.db",
    kind: "a counter",
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    mayCreate,
    prepare: (database) => prepare(database, mayCreate, synchronous),
  });
}

function prepare(database: SqliteDatabase, mayClaim: boolean, synchronous: keyof typeof SYNCHRONOUS): void {
  // An empty file is not yet a counter. If it replaced one in use, the day would start again at 0.
  if (!mayClaim && readStamp(database).applicationId === 0) {
    throw new Error("quota.db was emptied");
  }
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  const claim = database.transaction(() => {
    const owner = readStamp(database).applicationId;
    if (owner !== STAMP.applicationId && owner !== 0) throw new Error("quota.db belongs to another program");
    database.exec(SCHEMA);
    // Once only, so that opening the file later writes nothing.
    if (owner === 0) stampSqlite(database, STAMP);
  });
  claim.immediate();
  assertDurable(database, synchronous);
}

/**
 * Throws if the commits of a handle are not durable as required. Call it after the first access: only then
 * does the binding fall back to NORMAL, and only then is it known whether the file system supports WAL.
 */
export function assertDurable(
  database: Pick<SqliteDatabase, "pragma">,
  synchronous: keyof typeof SYNCHRONOUS = "FULL",
): void {
  const mode = database.pragma("journal_mode", { simple: true });
  if (mode !== "wal") throw new Error("quota.db cannot be used in WAL mode");
  if (database.pragma("synchronous", { simple: true }) !== SYNCHRONOUS[synchronous]) {
    throw new Error(`synchronous is not ${synchronous}`);
  }
}

/**
 * Whether the error, or one of its causes, is that another program locks the file. The handle is then still
 * usable, and the next attempt may succeed.
 */
export function isBusy(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === "string" && code.startsWith("SQLITE_BUSY")
    ? true
    : cause !== undefined && isBusy(cause);
}

/** Moves the whole log into the file and flushes it; false if another program is using the file. */
export function emptyLog(database: SqliteDatabase): boolean {
  const row = database
    .prepare<[], { readonly busy: number; readonly log: number }>("PRAGMA wal_checkpoint(TRUNCATE)")
    .get();
  return row?.busy === 0 && row.log === 0;
}
