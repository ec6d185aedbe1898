import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";

/** Answers the number of a new fetch of one DAO. */
export function startFetch(database: Database): (daoNumber: number) => number {
  const count = database.prepare<[number], { fetchNumber: number }>(
    "UPDATE daos SET fetch_number = fetch_number + 1 WHERE dao_number = ? RETURNING fetch_number AS fetchNumber",
  );
  return (daoNumber) => {
    const row = count.get(daoNumber);
    invariant(row !== undefined, "the DAO of a fetch is there");
    return row.fetchNumber;
  };
}
