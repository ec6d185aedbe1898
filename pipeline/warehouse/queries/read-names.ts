import type { Database } from "better-sqlite3";
import { addressOf } from "../address-bytes.ts";

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
