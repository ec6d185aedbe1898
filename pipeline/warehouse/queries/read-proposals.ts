import type { Database } from "better-sqlite3";
import type { Proposal } from "../../facts/proposal.ts";
import { flagOf, momentOf, optional } from "../columns.ts";

/** A row of `proposals`, with the text of its strategies. */
export interface ProposalRow {
  readonly proposal_id: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly created_at_ms: number | null;
  readonly created_precision: string | null;
  readonly start_at_ms: number | null;
  readonly start_precision: string | null;
  readonly end_at_ms: number | null;
  readonly end_precision: string | null;
  readonly voting_type: Proposal["votingType"] | null;
  readonly choices_count: number | null;
  readonly discussion: string | null;
  readonly quorum: number | null;
  readonly is_quorum_rejection: number;
  readonly state: Proposal["state"] | null;
  readonly scores_state: Proposal["scoresState"] | null;
  readonly scores_total: number | null;
  readonly votes_count: number | null;
  readonly strategies_key: string | null;
  readonly is_shutter: number;
  readonly is_flagged: number;
  readonly is_deleted: number;
}

/** A DAO's proposals as they were put, by (end, id), unknown ends first. */
export function readProposals(database: Database): (daoNumber: number) => readonly Proposal[] {
  const select = database.prepare<[number], ProposalRow>(
    `SELECT proposals.*, strategies_key
     FROM proposals LEFT JOIN strategies USING (strategies_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`,
  );
  return (daoNumber) => select.all(daoNumber).map(proposalOf);
}

/** A proposal as it was put. */
export function proposalOf(row: ProposalRow): Proposal {
  return {
    proposalId: row.proposal_id,
    title: optional(row.title),
    author: optional(row.author),
    created: momentOf(row.created_at_ms, row.created_precision),
    start: momentOf(row.start_at_ms, row.start_precision),
    end: momentOf(row.end_at_ms, row.end_precision),
    votingType: optional(row.voting_type),
    choicesCount: optional(row.choices_count),
    discussion: optional(row.discussion),
    quorum: optional(row.quorum),
    isQuorumRejection: flagOf(row.is_quorum_rejection) === true,
    state: optional(row.state),
    scoresState: optional(row.scores_state),
    scoresTotal: optional(row.scores_total),
    votesCount: optional(row.votes_count),
    strategiesKey: optional(row.strategies_key),
    isShutter: flagOf(row.is_shutter) === true,
    isFlagged: flagOf(row.is_flagged) === true,
    isDeleted: flagOf(row.is_deleted) === true,
  };
}
