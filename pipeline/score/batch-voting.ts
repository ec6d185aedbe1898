import type { BallotVotes } from "./ballot-votes.ts";
import type { FrameProposal } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";

/** Votes on one proposal that were cast within a minute of the same voter's vote on an earlier one that was open too. */
export interface BatchVoting {
  /** Timed votes cast while an earlier attended proposal was open. */
  readonly overlappingCount: number;
  readonly batchCount: number;
}

/** Counts the batch votes of proposals; remembers what does not change as the frame slides. */
export interface BatchCounter {
  /** `earlier`: attended proposals with a fetched ballot that come before it by (end, id). */
  count(member: FrameProposal, earlier: readonly FrameProposal[]): BatchVoting;
}

/** Seconds of every timed vote, by voter. */
function timesByVoter(votes: BallotVotes): Map<number, number> {
  const times = new Map<number, number>();
  votes.voters.forEach((voter, place) => {
    if (votes.isTimed[place] === 1) times.set(voter, votes.timesS[place] ?? 0);
  });
  return times;
}

function countBatch(
  votes: BallotVotes,
  overlapping: readonly {
    readonly startS: number;
    readonly endS: number;
    readonly times: Map<number, number>;
  }[],
): BatchVoting {
  let overlappingCount = 0;
  let batchCount = 0;
  votes.voters.forEach((voter, place) => {
    if (votes.isTimed[place] !== 1) return;
    const timeS = votes.timesS[place] ?? 0;
    const open = overlapping.filter((other) => other.startS <= timeS && timeS <= other.endS);
    if (open.length === 0) return;
    overlappingCount += 1;
    const isBatch = open.some((other) => {
      const otherS = other.times.get(voter);
      return otherS !== undefined && Math.abs(timeS - otherS) <= METHODOLOGY.coordination.windowSeconds;
    });
    if (isBatch) batchCount += 1;
  });
  return { overlappingCount, batchCount };
}

/** A counter for one DAO; its memory holds what depends on ballots only, never on the moment of scoring. */
export function createBatchCounter(): BatchCounter {
  const times = new Map<string, Map<number, number>>();
  const counted = new Map<string, BatchVoting>();
  const timesOf = (member: FrameProposal): Map<number, number> => {
    const known = times.get(member.proposal.proposalId) ?? timesByVoter(member.votes);
    times.set(member.proposal.proposalId, known);
    return known;
  };
  return {
    count(member, earlier) {
      const startMs = member.proposal.start?.atMs ?? -Infinity;
      const overlapping = earlier.filter(
        (other) =>
          other.endMs >= startMs &&
          other.proposal.start !== undefined &&
          other.proposal.start.atMs <= member.endMs,
      );
      const ids = overlapping.map((other) => other.proposal.proposalId);
      const key = JSON.stringify([member.proposal.proposalId, ids]);
      const known =
        counted.get(key) ??
        countBatch(
          member.votes,
          overlapping.map((other) => ({
            startS: (other.proposal.start?.atMs ?? Infinity) / 1000,
            endS: other.endMs / 1000,
            times: timesOf(other),
          })),
        );
      counted.set(key, known);
      return known;
    },
  };
}
