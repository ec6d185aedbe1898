import type { BallotPower } from "../alike/merge-ballot.ts";
import type { VoterVotes } from "../alike/voter-votes.ts";
import type { Ballot } from "../frame/ballot.ts";
import { between, type Mark } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, onGrid } from "../method/statistics.ts";

const RULES = METHODOLOGY.participation;

/**
 * Breadth: the effective number of participants, computed from capped shares.
 *
 * Range: 0..1, on a logarithmic scale; three participants give 0, a hundred equal ones 1.
 * Unit: voters of one ballot, each counting by its share up to 1 %: D = 1/Σc².
 * Source: valid votes of known power.
 * Unknown: without power on the ballot. One end is the mark of the unmerged shares, the other of the merged shares.
 */
export function breadthOf({ ascending }: Pick<BallotPower, "ascending">): number {
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < ascending.length; index += 1) {
    const capped = Math.min(ascending[index] as number, RULES.capShare);
    sum += capped;
    squares += capped * capped;
  }
  const { breadthFrom, breadthFull } = RULES;
  return clamp(Math.log((sum * sum) / squares / breadthFrom) / Math.log(breadthFull / breadthFrom));
}

/** A ballot of the frame with known power, and its merged version. */
interface LoyalBallot {
  /** Its index in `VoterVotes.ballots`. */
  readonly index: number;
  readonly attention: number;
  /** The ballot itself if nobody was merged on it. */
  readonly merged: BallotPower;
}

export interface Loyalty {
  /** Σω of the earlier ballots that were compared. */
  readonly attention: number;
  readonly mark: Mark | undefined;
}

/** The earlier ballots with which a ballot is compared, latest first, each with its weight. */
function predecessorsOf(ballots: readonly LoyalBallot[], place: number) {
  const predecessors: { readonly index: number; readonly attention: number }[] = [];
  let missing = RULES.loyaltyAttention;
  for (let before = place - 1; before >= 0 && missing > 0; before -= 1) {
    const { index, attention: attentionBefore } = ballots[before] as LoyalBallot;
    const attention = Math.min(attentionBefore, missing);
    missing -= attention;
    predecessors.push({ index, attention });
  }
  return predecessors;
}

/**
 * O: the capped power that the same voters hold on a ballot and on each earlier one back to `from`, latest first.
 * `capped` is by vote. Summed on a grid, so that the order of voters does not matter.
 */
function overlapsOf(
  { ballots, votesOf, starts, ballotOf }: VoterVotes,
  capped: Float64Array,
  index: number,
  from: number,
): Float64Array {
  const overlaps = new Float64Array(index - from);
  const { voters } = ballots[index] as Ballot;
  const votes = votesOf[index] as Int32Array;
  for (let position = 0; position < votes.length; position += 1) {
    const vote = votes[position] as number;
    const first = starts[voters[position] as number] as number;
    const here = capped[vote] as number;
    for (let other = vote - 1; other >= first; other -= 1) {
      const back = index - 1 - (ballotOf[other] as number);
      if (back >= overlaps.length) break;
      const there = capped[other] as number;
      overlaps[back] = (overlaps[back] as number) + onGrid(there < here ? there : here);
    }
  }
  return overlaps;
}

/** Keeps the capped power after merging, by vote, up to date from frame to frame. */
function createMergedPower({ ballots, votesOf, capped }: VoterVotes) {
  let mergedCapped: Float64Array | undefined;
  const held: BallotPower[] = [...ballots];
  return {
    /** Stores the merged version of a ballot in this frame. */
    hold({ index, merged }: LoyalBallot): void {
      if (held[index] === merged) return;
      held[index] = merged;
      mergedCapped ??= capped.slice();
      const votes = votesOf[index] as Int32Array;
      for (let position = 0; position < votes.length; position += 1)
        mergedCapped[votes[position] as number] = merged.capped[position] as number;
    },
    /** Merged capped power, by vote; `undefined` if nobody was merged on any of the ballots `from` to `to`. */
    between(from: number, to: number): Float64Array | undefined {
      for (let index = from; index <= to; index += 1) if (held[index] !== ballots[index]) return mergedCapped;
      return undefined;
    },
  };
}

/**
 * Loyalty: do those who decide vote again? Measures consecutive frames; the overlap of two unmerged ballots is computed
 * once.
 *
 * Range: 0..1; half of the capped power held by the same voters on both ballots gives 1.
 * Unit: Σω·O/Σω over the earlier ballots of the frame, latest first, until their ω reach 10.
 * Source: valid votes of known power; the measurer expects the frame's ballots with power, by (end, id).
 * Unknown: without power on the ballot; the first ballot has no weight.
 */
export function createLoyaltyMeasurer(
  votes: VoterVotes,
): (ballots: readonly LoyalBallot[]) => readonly Loyalty[] {
  const ownOverlaps: Float64Array[] = [];
  const mergedPower = createMergedPower(votes);
  return (ballots) => {
    for (const ballot of ballots) mergedPower.hold(ballot);
    return ballots.map(({ index }, place) => {
      const predecessors = predecessorsOf(ballots, place);
      let attention = 0;
      for (const predecessor of predecessors) attention += predecessor.attention;
      const from = predecessors.at(-1)?.index;
      if (from === undefined || attention === 0) return { attention, mark: undefined };
      const markOf = (overlaps: Float64Array): number => {
        let sum = 0;
        for (const predecessor of predecessors)
          sum += predecessor.attention * (overlaps[index - 1 - predecessor.index] as number);
        return clamp(sum / attention / RULES.fullMarksLoyalty);
      };
      let overlaps = ownOverlaps[index];
      if (overlaps === undefined || overlaps.length < index - from) {
        overlaps = overlapsOf(votes, votes.capped, index, from);
        ownOverlaps[index] = overlaps;
      }
      const mark = markOf(overlaps);
      const merged = mergedPower.between(from, index);
      return {
        attention,
        mark: between(mark, merged === undefined ? mark : markOf(overlapsOf(votes, merged, index, from))),
      };
    });
  };
}
