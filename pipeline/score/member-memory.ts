import type { BatchVoting } from "./batch-voting.ts";
import type { FrameProposal } from "./frame.ts";
import { measureBallot, measureProposal } from "./measure-proposal.ts";
import type { BallotMeasures, MemberMeasures, ProposalMeasures } from "./measures.ts";

/** What can be said of a member within its frame only. */
export type FrameMeasures = Pick<MemberMeasures, "heads" | "unclusteredHeads" | "concentration"> & {
  readonly batch: BatchVoting;
};

/** The measures of members in one frame after another. */
export interface MemberMemory {
  /** The same object as in the last frame where nothing changed. */
  measure(member: FrameProposal, inFrame: FrameMeasures): MemberMeasures;
}

interface Known {
  readonly always: ProposalMeasures & BallotMeasures;
  member: MemberMeasures;
}

/** Whether what was said of a member in its last frame is said again. */
function isUnchanged(known: MemberMeasures, attention: number, inFrame: FrameMeasures): boolean {
  return (
    known.attention === attention &&
    known.heads === inFrame.heads &&
    known.unclusteredHeads === inFrame.unclusteredHeads &&
    known.concentration === inFrame.concentration &&
    known.overlappingVotes === inFrame.batch.overlappingCount &&
    known.batchVotes === inFrame.batch.batchCount
  );
}

/** A memory of no member, for one DAO. */
export function createMemberMemory(): MemberMemory {
  const known = new Map<string, Known>();
  return {
    measure(member, inFrame) {
      const { attention, proposal, votes } = member;
      const found = known.get(proposal.proposalId);
      if (found !== undefined && isUnchanged(found.member, attention, inFrame)) return found.member;
      const always = found?.always ?? {
        ...measureProposal(member, votes),
        ...measureBallot(votes),
      };
      const measures = {
        ...always,
        attention,
        heads: inFrame.heads,
        unclusteredHeads: inFrame.unclusteredHeads,
        concentration: inFrame.concentration,
        overlappingVotes: inFrame.batch.overlappingCount,
        batchVotes: inFrame.batch.batchCount,
      };
      known.set(proposal.proposalId, { always, member: measures });
      return measures;
    },
  };
}
