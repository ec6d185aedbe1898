import type { Database } from "better-sqlite3";
import type { Holding } from "../warehouse.ts";

/** What is held of every DAO that was ever fetched whole, by space_id. */
export function readHoldings(database: Database): () => readonly Holding[] {
  const select = database.prepare<[], Holding>(
    `SELECT space_id AS spaceId, complete_source_id AS sourceId, complete_fetched_at_ms AS fetchedAtMs,
            count(proposal_number) AS proposals, coalesce(sum(votes_count_held), 0) AS votes
     FROM daos
     LEFT JOIN (
       SELECT proposals.dao_number, proposals.proposal_number, ballots.votes_count AS votes_count_held
       FROM proposals LEFT JOIN ballots USING (proposal_number)
     ) USING (dao_number)
     WHERE complete_source_id IS NOT NULL
     GROUP BY dao_number
     ORDER BY space_id`,
  );
  return () => select.all();
}
