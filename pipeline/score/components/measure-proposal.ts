import type { DaoFacts } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { type CountedVotes, sumOfPowers } from "../frame/counted-votes.ts";
import type { ProposalMeasures, VotesMeasures } from "../method/measures.ts";
import { remember } from "../method/statistics.ts";
import { countFieldsKnown } from "./completeness.ts";
import { measureDeliberation } from "./deliberation.ts";

/** A proposal that has ended, with the power cast on it. */
interface EndedProposal {
  readonly proposal: Proposal;
  readonly endMs: number;
  readonly power: number | undefined;
}

/** What a fetched ballot says whatever the frame. */
export function measureVotes(votes: CountedVotes): VotesMeasures {
  return {
    fetchedVotes: votes.fetchedCount,
    readableVotes: votes.readableCount,
    finalVotes: votes.finalCount,
    fetchedPower: votes.fetchedPower,
    countedVotes: votes.voters.length,
    timedVotes: votes.timedCount,
  };
}

// Choices and times of a ballot never change, and a proposal is in hundreds of daily frames: looked at once.
const deliberationOf = remember((votes: CountedVotes) =>
  remember((proposal: Proposal) => measureDeliberation(proposal, votes)),
);

/** What a proposal and its ballot, where there is one, say whatever the frame. */
export function measureProposal(
  { proposal, endMs, power }: EndedProposal,
  votes: CountedVotes | undefined,
): ProposalMeasures {
  return {
    proposalId: proposal.proposalId,
    endMs,
    power,
    hasAuthor: proposal.author !== undefined,
    quorum: proposal.quorum,
    isQuorumRejection: proposal.isQuorumRejection,
    ...(votes === undefined ? measureDeliberation(proposal, undefined) : deliberationOf(votes)(proposal)),
    fieldsKnown: countFieldsKnown(proposal),
    declaredVotes: proposal.votesCount,
    declaredPower: proposal.scoresTotal,
  };
}

/** A relative difference up to which two sums of the same powers are equal: what rounding leaves in a float of 15 digits and thousands of terms. */
const EQUAL_WITHIN = 1e-6;

/** Where what was fetched is not what the source itself declares. */
export interface Reconciliation {
  /** VotesByProposal whose power does not add up to the declared total, of those that have both. By (end, id). */
  readonly powerDiffers: readonly string[];
  readonly powerCompared: number;
  /** VotesByProposal with more or fewer voters than declared, of those that have both. */
  readonly votersDiffer: readonly string[];
  readonly votersCompared: number;
  /** Proposals that are said to have votes of which none was fetched. */
  readonly ballotsMissing: readonly string[];
}

/** Compares every fetched ballot with its source's own counts; invalid and dust votes are part of both. */
export function reconcile(facts: DaoFacts): Reconciliation {
  const powerDiffers: string[] = [];
  const votersDiffer: string[] = [];
  const ballotsMissing: string[] = [];
  let powerCompared = 0;
  let votersCompared = 0;
  for (const { proposalId, scoresTotal, votesCount } of facts.proposals) {
    const ballot = facts.ballots.get(proposalId);
    if (ballot === undefined || ballot.count === 0) {
      if ((votesCount ?? 0) > 0) ballotsMissing.push(proposalId);
      continue;
    }
    if (votesCount !== undefined) {
      votersCompared += 1;
      if (votesCount !== ballot.count) votersDiffer.push(proposalId);
    }
    const isPowerKnown = ballot.flags.every((flags) => (flags & VOTE_FLAGS.powerKnown) !== 0);
    if (scoresTotal === undefined || !isPowerKnown) continue;
    powerCompared += 1;
    const difference = Math.abs(sumOfPowers(ballot) - scoresTotal);
    if (!(difference <= EQUAL_WITHIN * Math.abs(scoresTotal))) powerDiffers.push(proposalId);
  }
  return { powerDiffers, powerCompared, votersDiffer, votersCompared, ballotsMissing };
}
