import { invariant } from "../facts/errors.ts";
import { addressBytes, addressOf } from "./byte-columns.ts";
import type { Database } from "./database.ts";

/** The last known name of an address; `undefined` means it has none. */
export interface CachedName {
  readonly name: string | undefined;
  readonly checkedAtMs: number;
}

/**
 * Creates the store of names by lower-case address; the caller judges their age. Reads from one connection and writes on the
 * other, each name in its own transaction.
 */
export function createNameCache(reader: Database, writer: Database) {
  const select = "SELECT name, checked_at_ms FROM names WHERE address = ?";
  return {
    read: (address: string) => reader.get<CachedName>(select, addressBytes(address)),
    write(address: string, { name, checkedAtMs }: CachedName): void {
      invariant(name !== "", `the name of ${address} is empty, which is neither a name nor none`);
      // If that fetch failed, its rollback would silently drop the name.
      invariant(!writer.inTransaction, "a name is written while a replacing fetch is open");
      writer.put("names", { address: addressBytes(address), name, checkedAtMs });
    },
  };
}

/**
 * Returns every confirmed name by address. The map is reused until the next commit: 20,000 names are read once for a
 * thousand DAOs, and selecting those of each DAO would cost more.
 */
export function readNames(database: Database): () => ReadonlyMap<string, string> {
  let names: ReadonlyMap<string, string> = new Map();
  let seenDataVersion: unknown;
  return () => {
    const dataVersion = database.pragma("data_version", { simple: true });
    if (dataVersion !== seenDataVersion) {
      const select = "SELECT address, name FROM names WHERE name IS NOT NULL";
      const rows = database.all<{ address: Buffer; name: string }>(select);
      names = new Map(rows.map(({ address, name }) => [addressOf(address), name]));
      seenDataVersion = dataVersion;
    }
    return names;
  };
}
