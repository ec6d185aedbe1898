import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";

/** The number of a DAO, given on its first fetch. */
export function openDao(database: Database): (spaceId: string) => number {
  const insert = database.prepare<[string]>(
    "INSERT INTO daos (space_id) VALUES (?) ON CONFLICT (space_id) DO NOTHING",
  );
  const select = database.prepare<[string], { daoNumber: number }>(
    "SELECT dao_number AS daoNumber FROM daos WHERE space_id = ?",
  );
  return (spaceId) => {
    insert.run(spaceId);
    const row = select.get(spaceId);
    invariant(row !== undefined, "a DAO that was just written is there");
    return row.daoNumber;
  };
}
