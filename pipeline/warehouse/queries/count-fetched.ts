import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";

/** What one source has in the warehouse of one DAO. */
export interface FetchedCounts {
  readonly proposals: number;
  readonly ballots: number;
  readonly votes: number;
}

/** Counts rows rather than calls: what was put twice is there once. */
export function countFetched(database: Database): (daoNumber: number, sourceId: string) => FetchedCounts {
  const select = database.prepare<[number, string], FetchedCounts>(
    `SELECT count(*) AS proposals,
            count(ballots.proposal_number) AS ballots,
            coalesce(sum(ballots.votes_count), 0) AS votes
     FROM proposals LEFT JOIN ballots USING (proposal_number)
     WHERE dao_number = ? AND source_id = ?`,
  );
  return (daoNumber, sourceId) => {
    const counts = select.get(daoNumber, sourceId);
    invariant(counts !== undefined, "a count has a row");
    return counts;
  };
}
