import { remember } from "../base/remember.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { countFieldsKnown } from "./completeness.ts";
import { measureDeliberation } from "./measure-deliberation.ts";
import type { BallotMeasures, ProposalMeasures } from "./measures.ts";

/** A proposal that has ended, with the power cast on it. */
interface EndedProposal {
  readonly proposal: Proposal;
  readonly endMs: number;
  readonly power: number | undefined;
}

/** What a fetched ballot says whatever the frame. */
export function measureBallot(votes: BallotVotes): BallotMeasures {
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
const deliberationOf = remember((votes: BallotVotes) =>
  remember((proposal: Proposal) => measureDeliberation(proposal, votes)),
);

/** What a proposal and its ballot, where there is one, say whatever the frame. */
export function measureProposal(
  { proposal, endMs, power }: EndedProposal,
  votes: BallotVotes | undefined,
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
