import type { Database } from "better-sqlite3";

/** The number of a DAO by its space_id; `undefined` where it was never fetched. */
export function readDao(database: Database): (spaceId: string) => number | undefined {
  const select = database.prepare<[string], { daoNumber: number }>(
    "SELECT dao_number AS daoNumber FROM daos WHERE space_id = ?",
  );
  return (spaceId) => select.get(spaceId)?.daoNumber;
}
