import {
  openSqlite,
  readStamp,
  type SqliteDatabase,
  type SqliteStamp,
  stampSqlite,
} from "../../snapshots/base/sqlite.ts";
import { tiersWithOwnLimit } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";
import { openDatabase } from "../open-database.ts";
import { type OperatorFailure, operatorFailure } from "../operator-error.ts";
import type { KeyEnvironment } from "./key-format.ts";
import { type Pepper, type Peppers, pepperCheck } from "./peppers.ts";

/** An account. Tier and limit belong to it, not to its keys. */
export interface Account {
  readonly name: string;
  readonly tier: AccessTier;
  /** Its own daily limit; null if the tier's limit applies. */
  readonly dailyLimit: number | null;
  readonly createdAtMs: number;
}

/** What is stored of a key: everything but the key itself. */
export interface KeyRecord {
  readonly keyId: string;
  readonly account: string;
  readonly environment: KeyEnvironment;
  readonly digest: Buffer;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The key that replaced it by rotation. */
  readonly successorId: string | null;
  /** The number of the pepper that its digest was made under; a higher number is a newer pepper. */
  readonly pepperId: number;
}

export type KeyWithAccount = KeyRecord & Pick<Account, "tier" | "dailyLimit">;

interface KnownPepper {
  readonly id: number;
  readonly digest: Buffer;
}

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

/**
 * Opens `keys.db` at `path`; creates it if it is missing, readable only by its owner. `busyTimeoutMs` is how long a call
 * may wait for another program's write. Every commit is flushed (`synchronous=FULL`, asserted): a confirmed revocation
 * must survive a power cut.
 */
export function openKeyTable(path: string, busyTimeoutMs: number): KeyTable {
  return keyTableOn(
    openDatabase(path, { name: "keys.db", kind: "a key store", mayCreate: true, busyTimeoutMs, prepare }),
  );
}

/** An empty table in memory, for a copy of keys stored elsewhere. It ends with its process. */
export function openKeyTableInMemory(): KeyTable {
  const database = openSqlite(":memory:");
  prepare(database);
  return keyTableOn(database);
}

function prepare(database: SqliteDatabase): void {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // Keys refer to accounts, whose table may be made anew.
  database.pragma("foreign_keys = OFF");
  database.transaction(() => makeTables(database)).immediate();
  database.pragma("foreign_keys = ON");
  if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("synchronous is not FULL");
}

/** Makes the tables of a new file, and that of accounts anew where it checks for other tiers than ours. */
function makeTables(database: SqliteDatabase): void {
  const { applicationId, version } = readStamp(database);
  if (version === 0) {
    database.exec(SCHEMA);
    stampSqlite(database, STAMP);
    return;
  }
  const isOurs = applicationId === STAMP.applicationId;
  if (isOurs && version < STAMP.version) throw new Error("keys.db was written by version 0.5 or earlier");
  if (!isOurs || version > STAMP.version) throw tooNew();
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

const ACCOUNT = "name, tier, daily_limit AS dailyLimit, created_at_ms AS createdAtMs";
const KEY = `key_id AS keyId, account, environment, digest, keys.created_at_ms AS createdAtMs,
  expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
  successor_id AS successorId, pepper_id AS pepperId`;

/** All accounts and keys, in a database. Every method throws if the database cannot be used. */
export type KeyTable = ReturnType<typeof keyTableOn>;

function keyTableOn(database: SqliteDatabase) {
  const account = database.prepare<[string], Account>(`SELECT ${ACCOUNT} FROM accounts WHERE name = ?`);
  const accounts = database.prepare<[], Account>(`SELECT ${ACCOUNT} FROM accounts ORDER BY name`);
  const putAccount = database.prepare<[Account]>(
    `INSERT INTO accounts VALUES (:name, :tier, :dailyLimit, :createdAtMs)
     ON CONFLICT (name) DO UPDATE SET tier = excluded.tier, daily_limit = excluded.daily_limit`,
  );
  const key = database.prepare<[string], KeyRecord>(`SELECT ${KEY} FROM keys WHERE key_id = ?`);
  const keys = database.prepare<[], KeyRecord>(`SELECT ${KEY} FROM keys ORDER BY created_at_ms, key_id`);
  const addKey = database.prepare<[KeyRecord]>(
    `INSERT INTO keys VALUES
     (:keyId, :account, :environment, :digest, :createdAtMs, :expiresAtMs, :revokedAtMs, :successorId,
      :pepperId)`,
  );
  const setKeyEnd = database.prepare<[KeyRecord]>(
    `UPDATE keys SET expires_at_ms = :expiresAtMs, revoked_at_ms = :revokedAtMs, successor_id = :successorId
     WHERE key_id = :keyId`,
  );
  const findByDigest = database.prepare<[Buffer], KeyWithAccount>(
    `SELECT ${KEY}, tier, daily_limit AS dailyLimit
     FROM keys JOIN accounts ON accounts.name = keys.account WHERE digest = ?`,
  );
  // `data_version` counts only the commits of others, `total_changes()` only the changes of this handle.
  const revision = database
    .prepare<[], number>("SELECT data_version + total_changes() FROM pragma_data_version")
    .pluck();
  return {
    account: (name: string) => account.get(name),
    accounts: () => accounts.all(),
    putAccount: (row: Account): void => void putAccount.run(row),
    key: (keyId: string) => key.get(keyId),
    keys: () => keys.all(),
    addKey: (row: KeyRecord): void => void addKey.run(row),
    /** Changes expiry, revocation and successor of a key; nothing else of it ever changes. */
    setKeyEnd: (row: KeyRecord): void => void setKeyEnd.run(row),
    findByDigest: (digest: Buffer) => findByDigest.get(digest),
    ...preparePeppers(database),
    atomically: <Result>(work: () => Result): Result => database.transaction(work).immediate(),
    /** A number that differs after every change of the database, by this or any other program. */
    revision: () => revision.get() ?? 0,
    close: (): void => void database.close(),
  };
}

/** Prepares the queries on a store's peppers: it has their numbers and fixed digests, never the peppers. */
function preparePeppers(database: SqliteDatabase) {
  const all = database.prepare<[], KnownPepper>(
    "SELECT pepper_id AS id, digest FROM peppers ORDER BY pepper_id",
  );
  const put = database.prepare<[KnownPepper]>("INSERT INTO peppers VALUES (:id, :digest)");
  const find = database.prepare<[Buffer], number>("SELECT pepper_id FROM peppers WHERE digest = ?").pluck();
  const add = database.prepare<[Buffer]>("INSERT INTO peppers (digest) VALUES (?) ON CONFLICT DO NOTHING");
  const forgetOthers = database.prepare<[Buffer]>("DELETE FROM peppers WHERE digest <> ?");
  const usedIds = database.prepare<[], number>("SELECT DISTINCT pepper_id FROM keys").pluck();
  const activeByPepper = database.prepare<[number], { id: number; count: number }>(
    `SELECT pepper_id AS id, count(*) AS count FROM keys
     WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?) GROUP BY pepper_id`,
  );
  const idsOf = (peppers: Peppers) => peppers.map((pepper) => find.get(pepperCheck(pepper)));
  const pepperIdOf = (pepper: Pepper): number => {
    const check = pepperCheck(pepper);
    add.run(check);
    const id = find.get(check);
    if (id === undefined) throw new Error("invariant: a pepper was remembered and is not there");
    return id;
  };
  const acceptsPeppers = (peppers: Peppers): boolean => {
    const used = new Set<number | undefined>(usedIds.all());
    if (used.size === 0) {
      // No key was stored under the other peppers, so their numbers would only mislead readers.
      forgetOthers.run(pepperCheck(peppers[0]));
      pepperIdOf(peppers[0]);
      return true;
    }
    const ids = idsOf(peppers);
    // A mistyped earlier pepper would silently make all its keys invalid.
    return !ids.slice(1).includes(undefined) && ids.some((id) => used.has(id));
  };
  return {
    peppers: () => all.all(),
    addPepper: (pepper: KnownPepper): void => void put.run(pepper),
    /** Returns the number of a pepper; assigns one if the pepper is new. */
    pepperIdOf,
    /**
     * Whether these peppers belong to this store: some key was stored under one of them, and all but the newest are
     * known. A store without keys accepts any peppers.
     */
    acceptsPeppers: database.transaction(acceptsPeppers) as typeof acceptsPeppers,
    /** Counts active keys that are stored under none of these peppers: nobody can use them. */
    countStranded: (peppers: Peppers, nowMs: number): number => {
      const ids = idsOf(peppers);
      const stranded = activeByPepper.all(nowMs).filter(({ id }) => !ids.includes(id));
      return stranded.reduce((sum, { count }) => sum + count, 0);
    },
  };
}
