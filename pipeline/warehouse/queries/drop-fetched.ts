import type { Database } from "better-sqlite3";

/**
 * Drops what a source brought last time: a proposal that vanished from it must vanish here, with its ballot. What
 * another source brought stays.
 */
export function dropFetched(database: Database): (daoNumber: number, sourceId: string) => void {
  const dropProposals = database.prepare<[number, string]>(
    "DELETE FROM proposals WHERE dao_number = ? AND source_id = ?",
  );
  const dropSpace = database.prepare<[number, string]>(
    "DELETE FROM spaces WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId) => {
    dropProposals.run(daoNumber, sourceId);
    dropSpace.run(daoNumber, sourceId);
  };
}
