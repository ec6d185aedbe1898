import { z } from "zod";
import { isSqliteError, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { ACCOUNT_NAME } from "../../keys/accounts.ts";
import { KEY_ENVIRONMENTS } from "../../keys/key-format.ts";
import { type Account, type KeyRecord, type KeyStore, keyStoreOn } from "../../keys/key-store.ts";
import { openKeysInMemory } from "../../keys/open-key-database.ts";
import { type BookRow, KeyBookError } from "./key-book.ts";

/** The JSON of a removed row. */
export const TAKEN_BACK = "null";

/** A whole copy of a key book in memory. */
export interface MemoryBook {
  /** Used like a `keys.db`: the same queries, and so the same protection against timing attacks. */
  readonly store: KeyStore;
  /** All rows: JSON by field. */
  readonly rows: () => ReadonlyMap<string, string>;
  /** Applies rows that were read, all or none. Throws `KeyBookError` if they are invalid or inconsistent. */
  readonly take: (rows: readonly BookRow[]) => void;
  /** Writes the copy as a `keys.db` into an existing empty file. */
  readonly saveTo: (path: string) => void;
}

const COLUMNS = `key_id, account, environment, digest, created_at_ms, expires_at_ms, revoked_at_ms, successor_id, pepper_id`;

export function createMemoryBook(database: SqliteDatabase = openKeysInMemory()): MemoryBook {
  const store = keyStoreOn(database);
  const take = prepareTaking(database);
  return {
    store,
    rows: () => rowsOf(store, database),
    take: (rows) => {
      const entries = rows.map(readRow);
      try {
        take(entries);
      } catch (error) {
        if (!isSqliteError(error)) throw error;
        const reason = "Rows in Redis contradict each other, such as a key without its account.";
        throw new KeyBookError("KEYS_INVALID", reason, error);
      }
    },
    saveTo: (path) => void database.prepare<[string]>("VACUUM INTO ?").run(path),
  };
}

function rowsOf(store: KeyStore, database: SqliteDatabase): ReadonlyMap<string, string> {
  const peppers = database
    .prepare<[], { readonly id: number; readonly digest: Buffer }>(
      "SELECT pepper_id AS id, digest FROM peppers",
    )
    .all();
  const rows = [
    ...peppers.map(({ id, digest }) => rowOfPepper(id, digest)),
    ...store.accounts().map(rowOfAccount),
    ...store.keys().map(rowOfKey),
  ];
  return new Map(rows.map(({ field, json }) => [field, json]));
}

/**
 * Sorts referenced rows first: accounts before keys, and a successor, which was made later, before the key it replaces.
 * While any row refers to a missing row, SQLite scans all keys for each row that it inserts.
 */
function byDependence(a: BookEntry, b: BookEntry): number {
  if (a.kind === "key" && b.kind === "key") return b.row.createdAtMs - a.row.createdAtMs;
  return Number(a.kind === "key") - Number(b.kind === "key");
}

function prepareTaking(database: SqliteDatabase): (entries: readonly BookEntry[]) => void {
  const forgetPepper = database.prepare<[number]>("DELETE FROM peppers WHERE pepper_id = ?");
  const putPepper = database.prepare<[number, Buffer]>("INSERT INTO peppers VALUES (?, ?)");
  const putAccount = database.prepare(
    `INSERT INTO accounts VALUES (:name, :tier, :dailyLimit, :createdAtMs) ON CONFLICT (name) DO UPDATE SET
     tier = excluded.tier, daily_limit = excluded.daily_limit, created_at_ms = excluded.created_at_ms`,
  );
  const putKey = database.prepare(
    `INSERT INTO keys (${COLUMNS}) VALUES
     (:keyId, :account, :environment, :digest, :createdAtMs, :expiresAtMs, :revokedAtMs, :successorId, :pepperId)
     ON CONFLICT (key_id) DO UPDATE SET account = excluded.account, environment = excluded.environment,
     digest = excluded.digest, created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms,
     revoked_at_ms = excluded.revoked_at_ms, successor_id = excluded.successor_id, pepper_id = excluded.pepper_id`,
  );
  const put = (entry: BookEntry): void => {
    if (entry.kind === "account") putAccount.run(entry.row);
    else if (entry.kind === "key") putKey.run(entry.row);
    else if (entry.digest !== undefined) putPepper.run(entry.pepperId, entry.digest);
  };
  return database.transaction((entries: readonly BookEntry[]) => {
    // A rotated key may come before its successor, and a key before its account.
    database.pragma("defer_foreign_keys = ON");
    // Delete removed and changed peppers first: two may have swapped digests, and digests are unique.
    for (const entry of entries) if (entry.kind === "pepper") forgetPepper.run(entry.pepperId);
    for (const entry of [...entries].sort(byDependence)) put(entry);
  }).immediate;
}

/** One row, read and checked. A pepper can be removed; accounts and keys never are. */
export type BookEntry =
  | { readonly kind: "account"; readonly row: Account }
  | { readonly kind: "key"; readonly row: KeyRecord }
  | { readonly kind: "pepper"; readonly pepperId: number; readonly digest: Buffer | undefined };

const Moment = z.int().min(0);
const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((hex) => Buffer.from(hex, "hex"));
const KeyId = z.string().regex(/^\w{1,64}$/);
const PepperId = z.int().min(1);

const AccountRow = z.strictObject({
  tier: z.enum(ACCESS_TIERS),
  dailyLimit: z.int().min(1).nullable(),
  createdAtMs: Moment,
});
const KeyRow = z.strictObject({
  account: z.string().regex(ACCOUNT_NAME),
  environment: z.enum(KEY_ENVIRONMENTS),
  digest: Digest,
  createdAtMs: Moment,
  expiresAtMs: Moment.nullable(),
  revokedAtMs: Moment.nullable(),
  successorId: KeyId.nullable(),
  pepperId: PepperId,
});
const PepperRow = z.strictObject({ digest: Digest }).nullable();

export function rowOfAccount({ name, ...rest }: Account): BookRow {
  const { tier, dailyLimit, createdAtMs } = rest;
  return { field: `account:${name}`, json: JSON.stringify({ tier, dailyLimit, createdAtMs }) };
}

/** The row of a key: what `keys.db` stores of it, never the key itself. */
export function rowOfKey({ keyId, digest, ...rest }: KeyRecord): BookRow {
  return { field: `key:${keyId}`, json: JSON.stringify({ ...rest, digest: digest.toString("hex") }) };
}

/** The row of a pepper: its number and its fixed digest, never the pepper itself. */
export function rowOfPepper(pepperId: number, digest: Buffer): BookRow {
  return { field: `pepper:${pepperId}`, json: JSON.stringify({ digest: digest.toString("hex") }) };
}

/** Reads a row. Throws `KeyBookError` for an invalid one; it names the field, never the content. */
export function readRow({ field, json }: BookRow): BookEntry {
  const [, kind = "", name = ""] = /^(account|key|pepper):(.*)$/s.exec(field) ?? [];
  const value = parsed(json);
  if (kind === "account" && ACCOUNT_NAME.test(name)) {
    const row = AccountRow.safeParse(value);
    if (row.success) return { kind, row: { name, ...row.data } };
  }
  if (kind === "key" && KeyId.safeParse(name).success) {
    const row = KeyRow.safeParse(value);
    if (row.success) return { kind, row: { keyId: name, ...row.data } };
  }
  if (kind === "pepper" && /^[1-9][0-9]{0,8}$/.test(name)) {
    const row = PepperRow.safeParse(value);
    if (row.success) return { kind, pepperId: Number(name), digest: row.data?.digest };
  }
  throw notARow(field);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An unknown field name may be anything, even a secret written there by mistake, so it is not repeated. */
function notARow(field: string): KeyBookError {
  const isPlain = /^(account|key|pepper):[\w.@-]{1,64}$/.test(field) && !field.includes("gvk_");
  const which = isPlain ? field : "a field with an unknown name";
  return new KeyBookError(
    "KEYS_INVALID",
    `The value in Redis under ${which} was not written by this program.`,
  );
}
