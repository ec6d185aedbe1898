import { invariant } from "../facts/errors.ts";
import type { HeldProposal } from "../facts/governance-source.ts";
import type { Proposal } from "../facts/proposal.ts";
import { bitOf, type Database, flagOf, momentOf, nullable, numberOfRow, optional } from "./database.ts";

/** The columns of a proposal and what each holds of it; those that say whose it is and name its strategies stand apart. */
const COLUMNS = {
  title: ({ title }) => nullable(title),
  author: ({ author }) => nullable(author),
  created_at_ms: ({ created }) => nullable(created?.atMs),
  created_precision: ({ created }) => nullable(created?.precision),
  start_at_ms: ({ start }) => nullable(start?.atMs),
  start_precision: ({ start }) => nullable(start?.precision),
  end_at_ms: ({ end }) => nullable(end?.atMs),
  end_precision: ({ end }) => nullable(end?.precision),
  voting_type: ({ votingType }) => nullable(votingType),
  choices_count: ({ choicesCount }) => nullable(choicesCount),
  discussion: ({ discussion }) => nullable(discussion),
  quorum: ({ quorum }) => nullable(quorum),
  is_quorum_rejection: ({ isQuorumRejection }) => bitOf(isQuorumRejection),
  state: ({ state }) => nullable(state),
  scores_state: ({ scoresState }) => nullable(scoresState),
  scores_total: ({ scoresTotal }) => nullable(scoresTotal),
  votes_count: ({ votesCount }) => nullable(votesCount),
  is_shutter: ({ isShutter }) => bitOf(isShutter),
  is_flagged: ({ isFlagged }) => bitOf(isFlagged),
  is_deleted: ({ isDeleted }) => bitOf(isDeleted),
} satisfies Record<string, (proposal: Proposal) => string | number | null>;

/** A row of `proposals`, with the text of its strategies. */
type ProposalRow = { readonly [Column in keyof typeof COLUMNS]: ReturnType<(typeof COLUMNS)[Column]> } & {
  readonly proposal_id: string;
  readonly strategies_key: string | null;
};

/** Keeps a proposal; one with the same id replaces it, and its ballot as well where another source had brought it. */
export function putProposal(
  database: Database,
): (daoNumber: number, sourceId: string, proposal: Proposal) => void {
  const columns = ["dao_number", "proposal_id", "source_id", "strategies_number", ...Object.keys(COLUMNS)];
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

/** The number of a strategies text, which is written once however many proposals have it. */
function keepStrategies(database: Database): (strategiesKey: string) => number {
  return numberOfRow(
    database,
    "INSERT INTO strategies (strategies_key) VALUES (?) ON CONFLICT (strategies_key) DO NOTHING",
    "SELECT strategies_number AS number FROM strategies WHERE strategies_key = ?",
  );
}

function columnsOf(proposal: Proposal): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([column, read]) => {
      const value = read(proposal);
      // SQLite would keep NaN as NULL, which means "unknown" here.
      const isKept = typeof value !== "number" || Number.isFinite(value);
      invariant(isKept, `${column} of proposal ${proposal.proposalId} is finite`);
      return [column, value];
    }),
  );
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

type HeldRow = ProposalRow & {
  readonly ballot_votes: number | null;
  readonly ballot_is_final: number | null;
};

/** A DAO's proposals that one source brought, by id, with the count of the votes that are held; no ballot is read. */
export function readHeldProposals(
  database: Database,
): (daoNumber: number, sourceId: string) => readonly HeldProposal[] {
  const select = database.prepare<[number, string], HeldRow>(
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
