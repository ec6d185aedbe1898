import {
  openSqlite,
  readStamp,
  type SqliteDatabase,
  type SqliteStamp,
  stampSqlite,
} from "../../snapshots/base/sqlite.ts";
import { tiersWithOwnLimit } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import { openDatabase } from "../open-database.ts";
import { type OperatorFailure, operatorFailure } from "../operator-error.ts";

/** "gvke" in ASCII. */
const STAMP: SqliteStamp = { applicationId: 0x67766b65, version: 2 };

const textsOf = (tiers: readonly string[]) => tiers.map((tier) => `'${tier}'`).join(", ");

/** Exactly as `sqlite_schema` contains it, so that a database made with other tiers is recognised. */
const ACCOUNTS = `CREATE TABLE accounts (
  name TEXT PRIMARY KEY,
  tier TEXT NOT NULL CHECK (tier IN (${textsOf(ACCESS_TIERS)})),
  daily_limit INTEGER CHECK (daily_limit > 0),
  created_at_ms INTEGER NOT NULL,
  CHECK (daily_limit IS NULL OR tier IN (${textsOf(tiersWithOwnLimit())}))
) STRICT, WITHOUT ROWID`;

/** SQLite cannot change the check of a table. */
const NEW_ACCOUNTS = `
CREATE TEMP TABLE kept AS SELECT * FROM main.accounts;
DROP TABLE main.accounts;
${ACCOUNTS};
INSERT INTO main.accounts SELECT * FROM temp.kept;
DROP TABLE temp.kept;
`;

const SCHEMA = `
${ACCOUNTS};
CREATE TABLE peppers (
  pepper_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32)
) STRICT;
CREATE TABLE keys (
  key_id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (name),
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  successor_id TEXT REFERENCES keys (key_id),
  pepper_id INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
`;

/** Migrates version 1, which had a single pepper: all its keys were stored under that one. */
const SECOND_VERSION = `
CREATE TABLE peppers (
  pepper_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32)
) STRICT;
INSERT INTO peppers SELECT only_row, digest FROM pepper_check;
DROP TABLE pepper_check;
ALTER TABLE keys ADD COLUMN pepper_id INTEGER NOT NULL DEFAULT 1;
`;

/**
 * Opens `keys.db`. Creates it if it is missing, readable only by its owner. Every commit is flushed
 * (`synchronous=FULL`, asserted): a confirmed revocation must survive a power cut.
 */
export function openKeyDatabase(path: string, busyTimeoutMs: number): SqliteDatabase {
  return openDatabase(path, {
    name: "keys.db",
    kind: "a key store",
    mayCreate: true,
    busyTimeoutMs,
    prepare,
  });
}

/** Opens an empty store in memory, for a copy of keys stored elsewhere. It ends with its process. */
export function openKeysInMemory(): SqliteDatabase {
  const database = openSqlite(":memory:");
  prepare(database);
  return database;
}

function prepare(database: SqliteDatabase): void {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // Keys refer to accounts, whose table may be made anew.
  database.pragma("foreign_keys = OFF");
  database.transaction(() => migrate(database)).immediate();
  database.pragma("foreign_keys = ON");
  if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("synchronous is not FULL");
}

function migrate(database: SqliteDatabase): void {
  const { applicationId, version } = readStamp(database);
  const isOurs = applicationId === STAMP.applicationId;
  if (version !== 0 && !(isOurs && version <= STAMP.version)) throw tooNew();
  if (version === 0) database.exec(SCHEMA);
  if (version === 1) database.exec(SECOND_VERSION);
  if (version !== STAMP.version) stampSqlite(database, STAMP);
  adoptTiers(database);
}

/** Makes the table of accounts check for our tiers. */
function adoptTiers(database: SqliteDatabase): void {
  const schema = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'accounts'").pluck();
  if (schema.get() === ACCOUNTS) return;
  const unknown = database.prepare(`SELECT 1 FROM accounts WHERE tier NOT IN (${textsOf(ACCESS_TIERS)})`);
  if (unknown.get() !== undefined) throw tooNew();
  database.exec(NEW_ACCOUNTS);
}

function tooNew(): OperatorFailure {
  return operatorFailure(
    "STORE_TOO_NEW",
    "keys.db was written by a newer version of this program.",
    "Use that version, or another --home.",
  );
}
