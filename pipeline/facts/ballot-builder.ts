import { createBallotBox, type FinishedBallot } from "./ballot-box.ts";
import type { CastVote } from "./cast-vote.ts";
import { blankBallot } from "./finish-ballot.ts";
import type { Proposal } from "./proposal.ts";

/** Collects the votes on one proposal, in any order; voters have their numbers already. */
export interface BallotBuilder {
  add(vote: CastVote): void;
  /** The ballot of each voter's last vote by (created, id, line), and what was set aside, by line. */
  finish(): FinishedBallot;
}

/** Starts the ballot of one proposal. The same votes give the same ballot, in whatever order they are added. */
export function createBallotBuilder(proposal: Proposal): BallotBuilder {
  const box = createBallotBox();
  const ballot = box.ballotOf(proposal);
  return {
    add: (vote) => box.add(ballot, vote),
    finish() {
      const [finished] = box.finished();
      return finished ?? { ballot: { ...blankBallot(proposal.proposalId, 0), choices: [] }, setAside: [] };
    },
  };
}
