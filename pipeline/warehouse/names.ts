import type { NameCache } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import { addressBytes, addressOf } from "./byte-columns.ts";
import { type Database, nullable, optional } from "./database.ts";

interface Row {
  readonly name: string | null;
  readonly checkedAtMs: number;
}

/** Names in the warehouse, read from one connection and written on the other, each in a transaction of its own. */
export function createNameCache(reader: Database, writer: Database): NameCache {
  const select = reader.prepare<[Buffer], Row>(
    "SELECT name, checked_at_ms AS checkedAtMs FROM names WHERE address = ?",
  );
  const replace = writer.prepare<[Buffer, string | null, number]>(
    "INSERT OR REPLACE INTO names (address, name, checked_at_ms) VALUES (?, ?, ?)",
  );
  return {
    read(address) {
      const row = select.get(addressBytes(address));
      return row === undefined ? undefined : { name: optional(row.name), checkedAtMs: row.checkedAtMs };
    },
    write(address, { name, checkedAtMs }) {
      invariant(name !== "", `the name of ${address} is empty, which is neither a name nor none`);
      // It would go with that fetch when it fails, and nobody would know.
      invariant(!writer.inTransaction, "a name is written while a fetch that replaces is open");
      replace.run(addressBytes(address), nullable(name), checkedAtMs);
    },
  };
}

/**
 * Every confirmed name by address. Each reading of a DAO asks for them, so one map serves all readings between two
 * commits: 20,000 names are read once for a thousand DAOs, and picking a DAO's own out of them would cost more.
 */
export function readNames(database: Database): () => ReadonlyMap<string, string> {
  const select = database.prepare<[], { address: Buffer; name: string }>(
    "SELECT address, name FROM names WHERE name IS NOT NULL",
  );
  let names: ReadonlyMap<string, string> = new Map();
  let seenDataVersion: unknown;
  return () => {
    const dataVersion = database.pragma("data_version", { simple: true });
    if (dataVersion !== seenDataVersion) {
      names = new Map(select.all().map(({ address, name }) => [addressOf(address), name]));
      seenDataVersion = dataVersion;
    }
    return names;
  };
}
