import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";

/**
 * Makes room for a new fetch: drops what the same source brought last time (a proposal that vanished from it must
 * vanish here, with its ballot) and answers the fetch's number. What another source brought stays.
 */
export function startFetch(database: Database): (daoNumber: number, sourceId: string) => number {
  const count = database.prepare<[number], { fetchNumber: number }>(
    "UPDATE daos SET fetch_number = fetch_number + 1 WHERE dao_number = ? RETURNING fetch_number AS fetchNumber",
  );
  const dropProposals = database.prepare<[number, string]>(
    "DELETE FROM proposals WHERE dao_number = ? AND source_id = ?",
  );
  const dropSpace = database.prepare<[number, string]>(
    "DELETE FROM spaces WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId) => {
    dropProposals.run(daoNumber, sourceId);
    dropSpace.run(daoNumber, sourceId);
    const row = count.get(daoNumber);
    invariant(row !== undefined, "the DAO of a fetch is there");
    return row.fetchNumber;
  };
}
