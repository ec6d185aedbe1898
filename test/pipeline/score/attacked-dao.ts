import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { seededRandom } from "../../faults/seeded-random.ts";
import { DAY, type SampleVote, sampleDao, sampleProposal, sampleProposalVotes, T } from "./sample-facts.ts";

/** One proposal and the votes on it, before they are packed. */
export interface OpenProposal {
  readonly proposal: Proposal;
  readonly votes: readonly SampleVote[];
}

const VOTERS = 400;
const CORE = 60;
const START_TO_END_MS = 7 * DAY;

/** Power by rank, as Zipf has it; the largest holds 1,000,000. */
function powerOf(voter: number): number {
  return 1_000_000 / (voter + 1);
}

/** When a vote of a proposal was cast: early more than late, to the second. */
function castAt(proposal: Proposal, random: () => number): number {
  const startMs = proposal.start?.atMs ?? 0;
  return Math.floor((startMs + START_TO_END_MS * random() * random()) / 1000) * 1000;
}

/** Numbers a proposal's own record from its votes, as the hub does. */
export function sealed(proposal: Proposal, votes: readonly SampleVote[]): OpenProposal {
  const scoresTotal = votes.reduce((sum, { power }) => sum + (power ?? 1), 0);
  return { proposal: { ...proposal, scoresTotal, votesCount: votes.length }, votes };
}

/** A DAO like real ones: 40 proposals in 200 days, 400 voters with Zipf power, a loyal core of 60, eight proposers. */
export function honestDao(seed: number): OpenProposal[] {
  const random = seededRandom(seed);
  return Array.from({ length: 40 }, (_, index) => {
    const proposal = sampleProposal(`real${String(index).padStart(2, "0")}`, {
      endDaysAgo: 200 - 5 * index + random(),
      author: `0xauthor${index % 8}`,
      quorum: 500_000,
    });
    const votes = Array.from({ length: VOTERS }, (_, voter) => voter)
      .filter((voter) => random() < (voter < CORE ? 0.8 : 0.2))
      .map((voter) => ({
        voter,
        power: powerOf(voter),
        atMs: castAt(proposal, random),
        choice: random() < 0.8 ? 1 : 2,
        reason: random() < 0.05,
      }));
    return sealed(proposal, votes);
  });
}

/** Packs proposals as the facts of a DAO, by (end, id). */
export function factsOf(proposals: readonly OpenProposal[]): DaoFacts {
  const endOf = ({ proposal }: OpenProposal): number => proposal.end?.atMs ?? 0;
  const sorted = [...proposals].sort(
    (a, b) => endOf(a) - endOf(b) || (a.proposal.proposalId < b.proposal.proposalId ? -1 : 1),
  );
  const space = {
    spaceId: "sample.eth",
    name: "Sample",
    website: undefined,
    forum: undefined,
    isProposingGated: true,
    hasFixedPeriod: true,
    quorum: 500_000,
    adminsAndModeratorsCount: 3,
    isFlagged: undefined,
    isHibernated: undefined,
    isVerified: undefined,
  };
  return sampleDao({
    space,
    proposals: sorted.map(({ proposal }) => proposal),
    held: sorted.map(({ proposal, votes }): ProposalVotes => sampleProposalVotes(proposal.proposalId, votes)),
  });
}

/** Proposals of outsiders, ended at random times of the last 180 days; `votesOf` casts the votes on each. */
export function ownProposals(
  count: number,
  seed: number,
  votesOf: (proposal: Proposal, random: () => number) => SampleVote[],
): OpenProposal[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const proposal = sampleProposal(`junk${String(index).padStart(3, "0")}`, {
      endDaysAgo: 180 * random(),
      author: "0xattacker",
      discussion: "",
    });
    return sealed(proposal, votesOf(proposal, random));
  });
}

/** A crowd of outsiders on one proposal, all of the same power, at random times or in bursts of fifty a minute. */
export function crowdOn(
  proposal: Proposal,
  random: () => number,
  crowd: { readonly count: number; readonly power: number; readonly isBurst: boolean },
): SampleVote[] {
  const burstMs = castAt(proposal, random);
  return Array.from({ length: crowd.count }, (_, index) => ({
    voter: 100_000 + index,
    power: crowd.power,
    atMs: crowd.isBurst ? burstMs + Math.floor(index / 50) * 60_000 : castAt(proposal, random),
    choice: 1,
    reason: true,
  }));
}

/** The largest voter as ten wallets from the `since`-th proposal on, one voting each `everyS` seconds. */
export function splitWhale(
  proposals: readonly OpenProposal[],
  since: number,
  everyS: number,
): OpenProposal[] {
  return proposals.map((open, index) => {
    const whale = open.votes.find(({ voter }) => voter === 0);
    if (index < since || whale === undefined) return open;
    const parts = Array.from({ length: 10 }, (_, part) => ({
      ...whale,
      voter: 200_000 + part,
      power: (whale.power ?? 0) / 10,
      atMs: Math.min((whale.atMs ?? 0) + part * everyS * 1000, T),
    }));
    return { ...open, votes: [...open.votes.filter((vote) => vote !== whale), ...parts] };
  });
}
