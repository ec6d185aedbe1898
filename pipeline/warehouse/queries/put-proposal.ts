import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { bitOf, nullable } from "../columns.ts";
import { keepStrategies } from "./keep-strategies.ts";

/** The columns of a proposal, in one place for reading and writing. */
export const PROPOSAL_COLUMNS = [
  "title",
  "author",
  "created_at_ms",
  "created_precision",
  "start_at_ms",
  "start_precision",
  "end_at_ms",
  "end_precision",
  "voting_type",
  "choices_count",
  "discussion",
  "quorum",
  "is_quorum_rejection",
  "state",
  "scores_state",
  "scores_total",
  "votes_count",
  "is_shutter",
  "is_flagged",
  "is_deleted",
] as const;
type ProposalColumn = (typeof PROPOSAL_COLUMNS)[number];

/** One proposal as SQLite keeps it. */
export type ProposalColumns = Readonly<Record<ProposalColumn, string | number | null>>;

/** Keeps a proposal; one with the same id replaces it, and its ballot as well where another source had brought it. */
export function putProposal(
  database: Database,
): (daoNumber: number, sourceId: string, proposal: Proposal) => void {
  const columns = ["dao_number", "proposal_id", "source_id", "strategies_number", ...PROPOSAL_COLUMNS];
  const dropOfOtherSource = database.prepare<[number, string, string]>(
    "DELETE FROM proposals WHERE dao_number = ? AND proposal_id = ? AND source_id <> ?",
  );
  const upsert = database.prepare<[object]>(
    `INSERT INTO proposals (${columns.join(", ")})
     VALUES (${columns.map((column) => `@${column}`).join(", ")})
     ON CONFLICT (dao_number, proposal_id) DO UPDATE SET
       ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
  );
  const strategiesNumberOf = keepStrategies(database);
  return (daoNumber, sourceId, proposal) => {
    const { proposalId, strategiesKey } = proposal;
    dropOfOtherSource.run(daoNumber, proposalId, sourceId);
    upsert.run({
      dao_number: daoNumber,
      proposal_id: proposalId,
      source_id: sourceId,
      strategies_number: strategiesKey === undefined ? null : strategiesNumberOf(strategiesKey),
      ...columnsOf(proposal),
    });
  };
}

function columnsOf(proposal: Proposal): ProposalColumns {
  const { proposalId, created, start, end } = proposal;
  const finite = (value: number | undefined, what: string) => {
    // SQLite would keep NaN as NULL, which means "unknown" here.
    invariant(value === undefined || Number.isFinite(value), `${what} of proposal ${proposalId} is finite`);
    return nullable(value);
  };
  const moment = (value: Moment | undefined, what: string) => finite(value?.atMs, what);
  return {
    title: nullable(proposal.title),
    author: nullable(proposal.author),
    created_at_ms: moment(created, "created"),
    created_precision: nullable(created?.precision),
    start_at_ms: moment(start, "start"),
    start_precision: nullable(start?.precision),
    end_at_ms: moment(end, "end"),
    end_precision: nullable(end?.precision),
    voting_type: nullable(proposal.votingType),
    choices_count: finite(proposal.choicesCount, "choicesCount"),
    discussion: nullable(proposal.discussion),
    quorum: finite(proposal.quorum, "quorum"),
    is_quorum_rejection: bitOf(proposal.isQuorumRejection),
    state: nullable(proposal.state),
    scores_state: nullable(proposal.scoresState),
    scores_total: finite(proposal.scoresTotal, "scoresTotal"),
    votes_count: finite(proposal.votesCount, "votesCount"),
    is_shutter: bitOf(proposal.isShutter),
    is_flagged: bitOf(proposal.isFlagged),
    is_deleted: bitOf(proposal.isDeleted),
  };
}
