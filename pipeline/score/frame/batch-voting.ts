import type { Proposal } from "../../facts/proposal.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import type { CountedVotes } from "./counted-votes.ts";
import type { FrameProposal } from "./frame.ts";

/** Votes on one proposal that were cast within a minute of the same voter's vote on an earlier one that was open too. */
export interface BatchVoting {
  /** Timed votes cast while an earlier attended proposal was open. */
  readonly overlappingCount: number;
  readonly batchCount: number;
}

/** The earlier proposals that were open together with a member, and what they made of it. */
interface Counted {
  readonly overlapping: readonly Proposal[];
  readonly result: BatchVoting;
}

/** Times by voter of one ballot at a time, without a table each. */
interface VoterTimes {
  load(votes: CountedVotes): void;
  /** Seconds; `undefined` where the voter has no timed vote on the ballot loaded. */
  timeOf(voter: number): number | undefined;
}

function createVoterTimes(): VoterTimes {
  let timesS = new Uint32Array(1024);
  let loadedAs = new Uint32Array(1024);
  let load = 0;
  const growTo = (size: number): void => {
    const [grownTimes, grownLoads] = [new Uint32Array(2 * size), new Uint32Array(2 * size)];
    grownTimes.set(timesS);
    grownLoads.set(loadedAs);
    timesS = grownTimes;
    loadedAs = grownLoads;
  };
  return {
    load(votes) {
      load += 1;
      for (let place = 0; place < votes.voters.length; place += 1) {
        if (votes.isTimed[place] !== 1) continue;
        const voter = votes.voters[place] ?? 0;
        if (voter >= timesS.length) growTo(voter + 1);
        timesS[voter] = votes.timesS[place] ?? 0;
        loadedAs[voter] = load;
      }
    },
    timeOf: (voter) => (loadedAs[voter] === load ? timesS[voter] : undefined),
  };
}

function countBatch(
  votes: CountedVotes,
  overlapping: readonly FrameProposal[],
  times: VoterTimes,
): BatchVoting {
  const { voters, isTimed, timesS } = votes;
  const isOverlapping = new Uint8Array(voters.length);
  const isBatch = new Uint8Array(voters.length);
  for (const { proposal, endMs, votes: others } of overlapping) {
    const startS = (proposal.start?.atMs ?? Infinity) / 1000;
    const endS = endMs / 1000;
    times.load(others);
    for (let place = 0; place < voters.length; place += 1) {
      const timeS = timesS[place] ?? 0;
      if (isTimed[place] !== 1 || timeS < startS || timeS > endS) continue;
      isOverlapping[place] = 1;
      const otherS = times.timeOf(voters[place] ?? 0);
      if (otherS !== undefined && Math.abs(timeS - otherS) <= METHODOLOGY.coordination.windowSeconds)
        isBatch[place] = 1;
    }
  }
  const sum = (flags: Uint8Array): number => flags.reduce((total, flag) => total + flag, 0);
  return { overlappingCount: sum(isOverlapping), batchCount: sum(isBatch) };
}

/** Of the first so many by (end, id), those that were open while the member was. */
function openTogether(
  member: FrameProposal,
  earlier: readonly FrameProposal[],
  earlierCount: number,
): FrameProposal[] {
  const startMs = member.proposal.start?.atMs ?? -Infinity;
  const open: FrameProposal[] = [];
  for (let place = earlierCount - 1; place >= 0; place -= 1) {
    const other = earlier[place];
    // They come by their ends: all before this one had closed as well.
    if (other === undefined || other.endMs < startMs) break;
    if (other.proposal.start !== undefined && other.proposal.start.atMs <= member.endMs) open.push(other);
  }
  return open.reverse();
}

/** Counts the batch votes of one DAO's proposals; counts again only where other earlier ones were open. */
export function createBatchCounter() {
  const times = createVoterTimes();
  const counted = new Map<string, Counted>();
  return {
    /** `earlier`: attended proposals with a fetched ballot, by (end, id); those of them count that come before it, the first so many. */
    count(
      member: FrameProposal,
      earlier: readonly FrameProposal[],
      earlierCount = earlier.length,
    ): BatchVoting {
      const overlapping = openTogether(member, earlier, earlierCount);
      const known = counted.get(member.proposal.proposalId);
      const isKnown =
        known?.overlapping.length === overlapping.length &&
        overlapping.every(({ proposal }, index) => proposal === known.overlapping[index]);
      if (known !== undefined && isKnown) return known.result;
      const result = countBatch(member.votes, overlapping, times);
      counted.set(member.proposal.proposalId, {
        overlapping: overlapping.map(({ proposal }) => proposal),
        result,
      });
      return result;
    },
  };
}
