import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { type Pepper, pepperCheck } from "./key-digest.ts";
import type { KeyEnvironment } from "./key-format.ts";
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
  readonly findByDigest: (digest: Buffer) => KeyWithAccount | undefined;
  /** Whether the keys here were stored under this pepper; an empty store takes the pepper as its own. */
  readonly acceptsPepper: (pepper: Pepper) => boolean;
  /** Runs `work` as one transaction: all of it or nothing. */
  readonly atomically: <Result>(work: () => Result) => Result;
  readonly close: () => void;
}

const ACCOUNT = "name, tier, daily_limit AS dailyLimit, created_at_ms AS createdAtMs";
const KEY = `key_id AS keyId, account, environment, digest, keys.created_at_ms AS createdAtMs,
  expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
  successor_id AS successorId`;

/** Opens the store at `path`; `busyTimeoutMs` is how long a call may wait for another program's write. */
export function openKeyStore(path: string, busyTimeoutMs: number): KeyStore {
  const database = openKeyDatabase(path, busyTimeoutMs);
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
     (:keyId, :account, :environment, :digest, :createdAtMs, :expiresAtMs, :revokedAtMs, :successorId)`,
  );
  const setKeyEnd = database.prepare<[KeyEnd & { readonly keyId: string }]>(
    `UPDATE keys SET expires_at_ms = :expiresAtMs, revoked_at_ms = :revokedAtMs, successor_id = :successorId
     WHERE key_id = :keyId`,
  );
  const findByDigest = database.prepare<[Buffer], KeyWithAccount>(
    `SELECT ${KEY}, tier, daily_limit AS dailyLimit
     FROM keys JOIN accounts ON accounts.name = keys.account WHERE digest = ?`,
  );
  const takePepper = database.prepare<[Buffer]>(
    `INSERT INTO pepper_check SELECT 1, ? WHERE NOT EXISTS (SELECT 1 FROM keys)
     ON CONFLICT (only_row) DO UPDATE SET digest = excluded.digest`,
  );
  const readPepper = database.prepare<[], { digest: Buffer }>("SELECT digest FROM pepper_check");
  return {
    account: (name) => account.get(name),
    accounts: () => accounts.all(),
    putAccount: (row) => void putAccount.run(row),
    key: (keyId) => key.get(keyId),
    keys: () => keys.all(),
    addKey: (row) => void addKey.run(row),
    setKeyEnd: (keyId, end) => void setKeyEnd.run({ ...end, keyId }),
    findByDigest: (digest) => findByDigest.get(digest),
    acceptsPepper: (pepper) => {
      const check = pepperCheck(pepper);
      if (readPepper.get()?.digest.equals(check) === true) return true;
      takePepper.run(check);
      return readPepper.get()?.digest.equals(check) === true;
    },
    atomically: (work) => database.transaction(work).immediate(),
    close: () => void database.close(),
  };
}
