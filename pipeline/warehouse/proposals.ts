import { invariant } from "../facts/errors.ts";
import type { HeldProposal } from "../facts/governance-source.ts";
import type { Moment, Proposal } from "../facts/proposal.ts";
import { bitOf, type Database, flagOf, momentOf, nullable, optional } from "./database.ts";

/** The number of a strategies text, which is written once however many proposals have it. */
function keepStrategies(database: Database): (strategiesKey: string) => number {
  const insert = database.prepare<[string]>(
    "INSERT INTO strategies (strategies_key) VALUES (?) ON CONFLICT (strategies_key) DO NOTHING",
  );
  const select = database.prepare<[string], { number: number }>(
    "SELECT strategies_number AS number FROM strategies WHERE strategies_key = ?",
  );
  return (strategiesKey) => {
    insert.run(strategiesKey);
    const row = select.get(strategiesKey);
    invariant(row !== undefined, "strategies that were just written are there");
    return row.number;
  };
}

/** The columns of a proposal, in one place for reading and writing. */
const PROPOSAL_COLUMNS = [
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
type ProposalColumns = Readonly<Record<ProposalColumn, string | number | null>>;

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

/** A row of `proposals`, with the text of its strategies. */
interface ProposalRow {
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
function proposalOf(row: ProposalRow): Proposal {
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
