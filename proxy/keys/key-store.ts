import type Database from "better-sqlite3";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { Pepper, Peppers } from "./key-digest.ts";
import type { KeyEnvironment } from "./key-format.ts";
import { preparePeppers } from "./known-peppers.ts";
import { openKeyDatabase } from "./open-key-database.ts";

/** An account: what tier and limit belong to. */
export interface Account {
  readonly name: string;
  readonly tier: AccessTier;
  /** Its own daily limit; null where the tier's holds. */
  readonly dailyLimit: number | null;
  readonly createdAtMs: number;
}

/** What is known of a key but the key. */
export interface KeyRecord {
  readonly keyId: string;
  readonly account: string;
  readonly environment: KeyEnvironment;
  readonly digest: Buffer;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The key that rotation made in its place. */
  readonly successorId: string | null;
  /** Which of the store's peppers its digest was made under; a higher number is a newer pepper. */
  readonly pepperId: number;
}

/** How a key ends. */
export type KeyEnd = Pick<KeyRecord, "expiresAtMs" | "revokedAtMs" | "successorId">;

/** A key together with what its account may do. */
export interface KeyWithAccount extends KeyRecord {
  readonly tier: AccessTier;
  readonly dailyLimit: number | null;
}

/** Accounts and keys on disk. Every method throws where the database cannot be asked. */
export interface KeyStore {
  readonly account: (name: string) => Account | undefined;
  readonly accounts: () => Account[];
  readonly putAccount: (account: Account) => void;
  readonly key: (keyId: string) => KeyRecord | undefined;
  readonly keys: () => KeyRecord[];
  readonly addKey: (key: KeyRecord) => void;
  readonly setKeyEnd: (keyId: string, end: KeyEnd) => void;
  /** Takes as long for a digest that is not there as for one that is. */
  readonly findByDigest: (digest: Buffer) => KeyWithAccount | undefined;
  /** The number of a pepper, which is given one where it is new. */
  readonly pepperIdOf: (pepper: Pepper) => number;
  /**
   * Whether these are the peppers of the keys here: some key was stored under one of them, and each but the newest is
   * known. An empty store takes what comes.
   */
  readonly acceptsPeppers: (peppers: Peppers) => boolean;
  /** As `acceptsPeppers`, for one. */
  readonly acceptsPepper: (pepper: Pepper) => boolean;
  /** Active keys that were stored under none of these peppers. */
  readonly countStranded: (peppers: Peppers, nowMs: number) => number;
  /** Runs `work` as one transaction: all of it or nothing. */
  readonly atomically: <Result>(work: () => Result) => Result;
  readonly close: () => void;
}

const ACCOUNT = "name, tier, daily_limit AS dailyLimit, created_at_ms AS createdAtMs";
const KEY = `key_id AS keyId, account, environment, digest, keys.created_at_ms AS createdAtMs,
  expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
  successor_id AS successorId, pepper_id AS pepperId`;

/** Opens the store at `path`; `busyTimeoutMs` is how long a call may wait for another program's write. */
export function openKeyStore(path: string, busyTimeoutMs: number): KeyStore {
  return keyStoreOn(openKeyDatabase(path, busyTimeoutMs));
}

/** The store on a database that is open. */
export function keyStoreOn(database: Database.Database): KeyStore {
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
  // Always finds and builds one row, that of the digest or the next one: to find none takes less long, and a clock
  // could tell whether a revoked key ever existed.
  const findNearest = database.prepare<[Buffer], KeyWithAccount>(
    `SELECT ${KEY}, tier, daily_limit AS dailyLimit
     FROM keys CROSS JOIN accounts ON accounts.name = keys.account
     WHERE digest >= min(?, (SELECT max(digest) FROM keys)) ORDER BY digest LIMIT 1`,
  );
  const peppers = preparePeppers(database);
  return {
    account: (name) => account.get(name),
    accounts: () => accounts.all(),
    putAccount: (row) => void putAccount.run(row),
    key: (keyId) => key.get(keyId),
    keys: () => keys.all(),
    addKey: (row) => void addKey.run(row),
    setKeyEnd: (keyId, end) => void setKeyEnd.run({ ...end, keyId }),
    findByDigest: (digest) => {
      const nearest = findNearest.get(digest);
      return nearest?.digest.equals(digest) === true ? nearest : undefined;
    },
    pepperIdOf: peppers.idOf,
    acceptsPeppers: peppers.accepts,
    countStranded: peppers.countStranded,
    acceptsPepper: (pepper) => peppers.accepts([pepper]),
    atomically: (work) => database.transaction(work).immediate(),
    close: () => void database.close(),
  };
}
