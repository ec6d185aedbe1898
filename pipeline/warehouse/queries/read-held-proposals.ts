import type { Database } from "better-sqlite3";
import type { HeldProposal } from "../../facts/space-sink.ts";
import { type ProposalRow, proposalOf } from "./read-proposals.ts";

interface Row extends ProposalRow {
  readonly ballot_votes: number | null;
  readonly ballot_is_final: number | null;
}

/** A DAO's proposals that one source brought, by id, with the count of the votes that are held; no ballot is read. */
export function readHeldProposals(
  database: Database,
): (daoNumber: number, sourceId: string) => readonly HeldProposal[] {
  const select = database.prepare<[number, string], Row>(
    `SELECT proposals.*, strategies_key, ballots.votes_count AS ballot_votes, is_final AS ballot_is_final
     FROM proposals LEFT JOIN strategies USING (strategies_number) LEFT JOIN ballots USING (proposal_number)
     WHERE dao_number = ? AND source_id = ?
     ORDER BY proposal_id`,
  );
  return (daoNumber, sourceId) =>
    select.all(daoNumber, sourceId).map((row) => ({
      proposal: proposalOf(row),
      ballot:
        row.ballot_votes === null
          ? undefined
          : { votes: row.ballot_votes, isFinal: row.ballot_is_final === 1 },
    }));
}
