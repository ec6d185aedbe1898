import Database from "better-sqlite3";
import { type KeyStore, keyStoreOn } from "../key-store.ts";
import { openKeysInMemory } from "../open-key-database.ts";
import { type BookEntry, type BookRow, readRow, rowOfAccount, rowOfKey, rowOfPepper } from "./book-row.ts";
import { KeyBookError } from "./key-book-error.ts";

/** A whole copy of a book of keys in memory. */
export interface MemoryBook {
  /** Asked and changed as a file of keys is: the same queries, so the same care for a clock that listens. */
  readonly store: KeyStore;
  /** All rows by their fields. */
  readonly rows: () => ReadonlyMap<string, string>;
  /** Takes in rows that were read, all of them or none; refuses those that cannot stand together. */
  readonly take: (rows: readonly BookRow[]) => void;
  /** Writes the copy into a file that is there and empty, as a `keys.db`. */
  readonly saveTo: (path: string) => void;
}

const COLUMNS = `key_id, account, environment, digest, created_at_ms, expires_at_ms, revoked_at_ms, successor_id, pepper_id`;

/** An empty book in memory. */
export function createMemoryBook(database: Database.Database = openKeysInMemory()): MemoryBook {
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
        if (!(error instanceof Database.SqliteError)) throw error;
        const reason = "Rows in Redis do not stand together, as a key without its account does not.";
        throw new KeyBookError("KEYS_INVALID", reason, error);
      }
    },
    saveTo: (path) => void database.prepare<[string]>("VACUUM INTO ?").run(path),
  };
}

function rowsOf(store: KeyStore, database: Database.Database): ReadonlyMap<string, string> {
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
 * What others point at comes first: accounts before keys, and a successor, which was made later, before the key it takes
 * the place of. While a single row points at nothing, SQLite looks through all keys at each row that it takes.
 */
function byDependence(a: BookEntry, b: BookEntry): number {
  if (a.kind === "key" && b.kind === "key") return b.row.createdAtMs - a.row.createdAtMs;
  return Number(a.kind === "key") - Number(b.kind === "key");
}

function prepareTaking(database: Database.Database): (entries: readonly BookEntry[]) => void {
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
    // First all that go or change their digest: two peppers may have changed places.
    for (const entry of entries) if (entry.kind === "pepper") forgetPepper.run(entry.pepperId);
    for (const entry of [...entries].sort(byDependence)) put(entry);
  }).immediate;
}
