import type { Database } from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import type { NameCache } from "../facts/name-cache.ts";
import { addressBytes } from "./address-bytes.ts";
import { nullable, optional } from "./columns.ts";

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
