import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";

/** The number of a strategies text, which is written once however many proposals have it. */
export function keepStrategies(database: Database): (strategiesKey: string) => number {
  const insert = database.prepare<[string]>(
    "INSERT INTO strategies (strategies_key) VALUES (?) ON CONFLICT (strategies_key) DO NOTHING",
  );
  const select = database.prepare<[string], { number: number }>(
    "SELECT strategies_number AS number FROM strategies WHERE strategies_key = ?",
  );
  return (strategiesKey) => {
    insert.run(strategiesKey);
    const row = select.get(strategiesKey);
    invariant(row !== undefined, "strategies that were just written are there");
    return row.number;
  };
}
