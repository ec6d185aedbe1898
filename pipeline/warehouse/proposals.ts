import type { HeldProposal } from "../facts/governance-source.ts";
import type { Proposal } from "../facts/proposal.ts";
import { bitOf, type Database, flagOf, momentOf, numberOfRow } from "./database.ts";

/** The value of each column of a proposal; the columns for its DAO, id, source and strategies are separate. */
const COLUMNS = {
  title: ({ title }) => title ?? null,
  link: ({ link }) => link ?? null,
  author: ({ author }) => author ?? null,
  created_at_ms: ({ created }) => created?.atMs ?? null,
  created_precision: ({ created }) => created?.precision ?? null,
  start_at_ms: ({ start }) => start?.atMs ?? null,
  start_precision: ({ start }) => start?.precision ?? null,
  end_at_ms: ({ end }) => end?.atMs ?? null,
  end_precision: ({ end }) => end?.precision ?? null,
  voting_type: ({ votingType }) => votingType ?? null,
  choices_count: ({ choicesCount }) => choicesCount ?? null,
  discussion: ({ discussion }) => discussion ?? null,
  quorum: ({ quorum }) => quorum ?? null,
  is_quorum_rejection: ({ isQuorumRejection }) => bitOf(isQuorumRejection),
  quorum_power: ({ quorumPower }) => quorumPower ?? null,
  state: ({ state }) => state ?? null,
  scores_state: ({ scoresState }) => scoresState ?? null,
  scores_total: ({ scoresTotal }) => scoresTotal ?? null,
  votes_count: ({ votesCount }) => votesCount ?? null,
  revision: ({ revision }) => revision ?? null,
  is_shutter: ({ isShutter }) => bitOf(isShutter),
  is_flagged: ({ isFlagged }) => bitOf(isFlagged),
  is_deleted: ({ isDeleted }) => bitOf(isDeleted),
} satisfies Record<string, (proposal: Proposal) => string | number | null>;

/** A row of `proposals` joined with its strategies. */
type ProposalRow = { readonly [Column in keyof typeof COLUMNS]: ReturnType<(typeof COLUMNS)[Column]> } & {
  readonly proposal_id: string;
  readonly strategies_key: string | null;
};

const WRITTEN = ["dao_number", "proposal_id", "source_id", "strategies_number", ...Object.keys(COLUMNS)];
const UPSERT = `INSERT INTO proposals (${WRITTEN.join(", ")})
  VALUES (${WRITTEN.map((column) => `@${column}`).join(", ")})
  ON CONFLICT (dao_number, proposal_id) DO UPDATE SET
    ${WRITTEN.map((column) => `${column} = excluded.${column}`).join(", ")}`;

/** Stores a proposal over one with the same id; if that was from another source, its ballot is dropped too. */
export function putProposal(
  database: Database,
  daoNumber: number,
  sourceId: string,
  proposal: Proposal,
): void {
  const { proposalId, strategiesKey } = proposal;
  const dropOfOtherSource =
    "DELETE FROM proposals WHERE dao_number = ? AND proposal_id = ? AND source_id <> ?";
  database.run(dropOfOtherSource, daoNumber, proposalId, sourceId);
  database.run(UPSERT, {
    dao_number: daoNumber,
    proposal_id: proposalId,
    source_id: sourceId,
    strategies_number: strategiesKey === undefined ? null : strategiesNumber(database, strategiesKey),
    ...Object.fromEntries(Object.entries(COLUMNS).map(([column, read]) => [column, read(proposal)])),
  });
}

/** The number of a strategies text; each text is stored once. */
function strategiesNumber(database: Database, strategiesKey: string): number {
  return numberOfRow(
    database,
    "INSERT INTO strategies (strategies_key) VALUES (?) ON CONFLICT (strategies_key) DO NOTHING",
    "SELECT strategies_number AS number FROM strategies WHERE strategies_key = ?",
    strategiesKey,
  );
}

/** A DAO's proposals by (end, id), unknown ends first. */
export function readProposals(database: Database, daoNumber: number): readonly Proposal[] {
  const select = `SELECT proposals.*, strategies_key
     FROM proposals LEFT JOIN strategies USING (strategies_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`;
  return database.all<ProposalRow>(select, daoNumber).map(proposalOf);
}

function proposalOf(row: ProposalRow): Proposal {
  return {
    proposalId: row.proposal_id,
    title: row.title ?? undefined,
    link: row.link ?? undefined,
    author: row.author ?? undefined,
    created: momentOf(row.created_at_ms, row.created_precision),
    start: momentOf(row.start_at_ms, row.start_precision),
    end: momentOf(row.end_at_ms, row.end_precision),
    votingType: row.voting_type ?? undefined,
    choicesCount: row.choices_count ?? undefined,
    discussion: row.discussion ?? undefined,
    quorum: row.quorum ?? undefined,
    isQuorumRejection: flagOf(row.is_quorum_rejection) === true,
    quorumPower: row.quorum_power ?? undefined,
    state: row.state ?? undefined,
    scoresState: row.scores_state ?? undefined,
    scoresTotal: row.scores_total ?? undefined,
    votesCount: row.votes_count ?? undefined,
    strategiesKey: row.strategies_key ?? undefined,
    revision: row.revision ?? undefined,
    isShutter: flagOf(row.is_shutter) === true,
    isFlagged: flagOf(row.is_flagged) === true,
    isDeleted: flagOf(row.is_deleted) === true,
  };
}

type HeldRow = ProposalRow & {
  readonly ballot_votes: number | null;
  readonly ballot_is_final: number | null;
};

/** A DAO's proposals from one source, by id, with the number of stored votes; reads no ballot. */
export function readHeldProposals(
  database: Database,
  daoNumber: number,
  sourceId: string,
): readonly HeldProposal[] {
  const select = `SELECT proposals.*, strategies_key, ballots.votes_count AS ballot_votes, is_final AS ballot_is_final
     FROM proposals LEFT JOIN strategies USING (strategies_number) LEFT JOIN ballots USING (proposal_number)
     WHERE dao_number = ? AND source_id = ?
     ORDER BY proposal_id`;
  return database.all<HeldRow>(select, daoNumber, sourceId).map((row) => ({
    proposal: proposalOf(row),
    ballot:
      row.ballot_votes === null ? undefined : { votes: row.ballot_votes, isFinal: row.ballot_is_final === 1 },
  }));
}
