import type { SqliteDatabase } from "../../snapshots/base/sqlite.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { KeyEnvironment } from "./key-format.ts";
import { openKeyDatabase, openKeysInMemory } from "./open-key-database.ts";
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

/** When a key ends, and its successor. */
export type KeyEnd = Pick<KeyRecord, "expiresAtMs" | "revokedAtMs" | "successorId">;

/** A key with the tier and limit of its account. */
export interface KeyWithAccount extends KeyRecord {
  readonly tier: AccessTier;
  readonly dailyLimit: number | null;
}

/** A pepper as a database knows it: its number, and a fixed digest of it. */
export interface KnownPepper {
  readonly id: number;
  readonly digest: Buffer;
}

/** All accounts and keys, in a database. Every method throws if the database cannot be used. */
export interface KeyTable {
  readonly account: (name: string) => Account | undefined;
  readonly accounts: () => Account[];
  readonly putAccount: (account: Account) => void;
  readonly key: (keyId: string) => KeyRecord | undefined;
  readonly keys: () => KeyRecord[];
  readonly addKey: (key: KeyRecord) => void;
  readonly setKeyEnd: (keyId: string, end: KeyEnd) => void;
  readonly findByDigest: (digest: Buffer) => KeyWithAccount | undefined;
  readonly peppers: () => KnownPepper[];
  readonly addPepper: (pepper: KnownPepper) => void;
  /** Returns the number of a pepper; assigns one if the pepper is new. */
  readonly pepperIdOf: (pepper: Pepper) => number;
  /**
   * Whether these peppers belong to this store: some key was stored under one of them, and all but the newest are
   * known. A store without keys accepts any peppers.
   */
  readonly acceptsPeppers: (peppers: Peppers) => boolean;
  /** Counts active keys that are stored under none of these peppers: nobody can use them. */
  readonly countStranded: (peppers: Peppers, nowMs: number) => number;
  /** Runs `work` as one transaction: all of it or nothing. */
  readonly atomically: <Result>(work: () => Result) => Result;
  /** A number that differs after every change of the database, by this or any other program. */
  readonly revision: () => number;
  readonly close: () => void;
}

const ACCOUNT = "name, tier, daily_limit AS dailyLimit, created_at_ms AS createdAtMs";
const KEY = `key_id AS keyId, account, environment, digest, keys.created_at_ms AS createdAtMs,
  expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
  successor_id AS successorId, pepper_id AS pepperId`;

/** Opens the table at `path`; `busyTimeoutMs` is how long a call may wait for another program's write. */
export function openKeyTable(path: string, busyTimeoutMs: number): KeyTable {
  return keyTableOn(openKeyDatabase(path, busyTimeoutMs));
}

/** An empty table in memory, for a copy of keys stored elsewhere. It ends with its process. */
export function openKeyTableInMemory(): KeyTable {
  return keyTableOn(openKeysInMemory());
}

function keyTableOn(database: SqliteDatabase): KeyTable {
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
  const setKeyEnd = database.prepare<[KeyEnd & { readonly keyId: string }]>(
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
  const peppers = preparePeppers(database);
  return {
    account: (name) => account.get(name),
    accounts: () => accounts.all(),
    putAccount: (row) => void putAccount.run(row),
    key: (keyId) => key.get(keyId),
    keys: () => keys.all(),
    addKey: (row) => void addKey.run(row),
    setKeyEnd: (keyId, end) => void setKeyEnd.run({ ...end, keyId }),
    findByDigest: (digest) => findByDigest.get(digest),
    peppers: peppers.all,
    addPepper: peppers.put,
    pepperIdOf: peppers.idOf,
    acceptsPeppers: peppers.accepts,
    countStranded: peppers.countStranded,
    atomically: (work) => database.transaction(work).immediate(),
    revision: () => revision.get() ?? 0,
    close: () => void database.close(),
  };
}

/** Prepares the queries on a store's peppers: it has their numbers and fixed digests, never the peppers. */
function preparePeppers(database: SqliteDatabase) {
  const all = database.prepare<[], KnownPepper>(
    "SELECT pepper_id AS id, digest FROM peppers ORDER BY pepper_id",
  );
  const put = database.prepare<[KnownPepper]>("INSERT INTO peppers VALUES (:id, :digest)");
  const find = database.prepare<[Buffer], { id: number }>(
    "SELECT pepper_id AS id FROM peppers WHERE digest = ?",
  );
  const add = database.prepare<[Buffer]>("INSERT INTO peppers (digest) VALUES (?) ON CONFLICT DO NOTHING");
  const anyKey = database.prepare<[], object>("SELECT 1 FROM keys LIMIT 1");
  const keyUnder = database.prepare<[number], object>("SELECT 1 FROM keys WHERE pepper_id = ? LIMIT 1");
  const activeByPepper = database.prepare<[number], { id: number; count: number }>(
    `SELECT pepper_id AS id, count(*) AS count FROM keys
     WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?) GROUP BY pepper_id`,
  );
  const forget = database.prepare<[Buffer]>("DELETE FROM peppers WHERE digest <> ?");

  const idOf = (pepper: Pepper): number => {
    const check = pepperCheck(pepper);
    add.run(check);
    const known = find.get(check);
    if (known === undefined) throw new Error("invariant: a pepper was remembered and is not there");
    return known.id;
  };
  const takeIntoEmpty = database.transaction((newest: Pepper) => {
    if (anyKey.get() !== undefined) return;
    // No key was stored under the other peppers, so their numbers would only mislead readers.
    forget.run(pepperCheck(newest));
    idOf(newest);
  });
  const accepts = (peppers: Peppers): boolean => {
    const [newest, ...earlier] = peppers;
    if (anyKey.get() === undefined) {
      takeIntoEmpty.immediate(newest);
      if (anyKey.get() === undefined) return true;
    }
    // A mistyped earlier pepper would silently make all its keys invalid.
    if (earlier.some((pepper) => find.get(pepperCheck(pepper)) === undefined)) return false;
    return peppers.some((pepper) => {
      const id = find.get(pepperCheck(pepper))?.id;
      return id !== undefined && keyUnder.get(id) !== undefined;
    });
  };
  const countStranded = (peppers: Peppers, nowMs: number): number => {
    const here = new Set(peppers.map((pepper) => find.get(pepperCheck(pepper))?.id));
    const stranded = activeByPepper.all(nowMs).filter(({ id }) => !here.has(id));
    return stranded.reduce((sum, { count }) => sum + count, 0);
  };
  return {
    all: () => all.all(),
    put: (pepper: KnownPepper) => void put.run(pepper),
    idOf,
    accepts,
    countStranded,
  };
}
