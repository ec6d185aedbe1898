import type { Database } from "better-sqlite3";
import type { Holding } from "../warehouse.ts";

/** What is held of every DAO from every source that ever gave it whole, by (space_id, source_id). */
export function readHoldings(database: Database): () => readonly Holding[] {
  const select = database.prepare<[], Holding>(
    `SELECT space_id AS spaceId, complete_fetches.source_id AS sourceId, fetched_at_ms AS fetchedAtMs,
            count(proposal_number) AS proposals, coalesce(sum(ballots.votes_count), 0) AS votes
     FROM complete_fetches
     JOIN daos USING (dao_number)
     LEFT JOIN proposals USING (dao_number, source_id)
     LEFT JOIN ballots USING (proposal_number)
     GROUP BY complete_fetches.dao_number, complete_fetches.source_id
     ORDER BY space_id, complete_fetches.source_id`,
  );
  return () => select.all();
}
