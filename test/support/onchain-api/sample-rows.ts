import type { ApiServer, Row } from "./api-server.ts";

export const INDEXER = "eth";
export const SPACE = "0xc0Da02939E1441F497fd74F78cE7Decb17B66529";

export interface SampleVote {
  readonly voter: string;
  readonly choice: number;
  readonly vp: bigint;
  readonly created: number;
  readonly reason?: string;
}

/** A proposal with all its votes; the columns that are not given are those of a plain ended proposal. */
export interface SampleProposal {
  readonly id: string;
  readonly votes: readonly SampleVote[];
  readonly title?: string | null;
  readonly columns?: Row;
}

export const ENDED_S = Date.UTC(2024, 0, 10) / 1000;

export const voterOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

export function votesOf(count: number, first = 1): SampleVote[] {
  return Array.from({ length: count }, (_, n) => ({
    voter: voterOf(first + n),
    choice: 1 + (n % 3),
    vp: 10n ** 18n * BigInt(1 + (n % 7)) + BigInt(n),
    created: ENDED_S - 3_600 - (n % 1_000),
    ...(n % 4 === 0 ? { reason: `because ${n}` } : {}),
  }));
}

export function spaceRow(space: string, columns: Row = {}): Row {
  return {
    id: space,
    protocol: "governor-bravo",
    verified: true,
    proposal_threshold: "25000000000000000000000",
    max_voting_period: 0,
    metadata: `${space}_metadata`,
    proposal_count: 0,
    vote_count: 0,
    ...columns,
  };
}

/** Stores a space, without proposals. */
export async function putSpace(server: ApiServer, indexer = INDEXER, space = SPACE, columns: Row = {}) {
  await server.put("spacemetadataitems", indexer, [
    { id: `${space}_metadata`, name: "Compound", external_url: "https://compound.finance" },
  ]);
  await server.put("spaces", indexer, [spaceRow(space, columns)]);
}

const sumOf = (votes: readonly SampleVote[], choice?: number): string =>
  votes
    .reduce((sum, vote) => (choice === undefined || vote.choice === choice ? sum + vote.vp : sum), 0n)
    .toString();

export function proposalRow(space: string, { id, votes, columns }: SampleProposal): Row {
  return {
    id: `${space}/${id}`,
    proposal_id: id,
    space,
    author: voterOf(7),
    link: `https://snapshot.box/#/eth:${space}/proposal/${id}`,
    metadata: `${space}/${id}_metadata`,
    created: ENDED_S - 5 * 86_400,
    start: ENDED_S - 3 * 86_400,
    max_end: ENDED_S,
    type: "basic",
    scores_1: sumOf(votes, 1),
    scores_2: sumOf(votes, 2),
    scores_3: sumOf(votes, 3),
    scores_total: sumOf(votes),
    vp_decimals: 18,
    quorum: "400000000000000000000000",
    quorum_type: "for_only",
    quorum_finalized: false,
    vote_count: votes.length,
    cancelled: false,
    vetoed: false,
    execution_settled: false,
    executed_at: null,
    ...columns,
  };
}

/** Stores proposals with their votes. */
export async function putProposals(
  server: ApiServer,
  proposals: readonly SampleProposal[],
  { indexer = INDEXER, space = SPACE, fromBlock = 1 } = {},
): Promise<void> {
  const metadata = proposals.map(({ id, title }) => ({
    id: `${space}/${id}_metadata`,
    title: title === undefined ? `Title ${id}` : title,
    discussion: null,
    choices: JSON.stringify(["For", "Against", "Abstain"]),
  }));
  await server.put("proposalmetadataitems", indexer, metadata, fromBlock);
  const rows = proposals.map((proposal) => proposalRow(space, proposal));
  await server.put("proposals", indexer, rows, fromBlock);
  for (const proposal of proposals) await putVotes(server, proposal, { indexer, space, fromBlock });
}

async function putVotes(
  server: ApiServer,
  { id: proposal, votes }: SampleProposal,
  { indexer, space, fromBlock }: { indexer: string; space: string; fromBlock: number },
): Promise<void> {
  const idOf = ({ voter }: SampleVote) => `${space}/${proposal}/${voter}`;
  const reasons = votes.map((vote) => ({ id: `${idOf(vote)}_metadata`, reason: vote.reason ?? "" }));
  await server.put("votemetadataitems", indexer, reasons, fromBlock);
  const rows = votes.map((vote) => ({
    id: idOf(vote),
    voter: vote.voter,
    space,
    proposal,
    choice: vote.choice,
    vp: vote.vp.toString(),
    created: vote.created,
    metadata: `${idOf(vote)}_metadata`,
  }));
  await server.put("votes", indexer, rows, fromBlock);
}
