import type { BallotPower } from "../alike/merge-ballot.ts";
import { between, type Mark } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, onGrid } from "../method/statistics.ts";

const RULES = METHODOLOGY.participation;

/**
 * Breadth: the effective number of participants, by capped shares.
 *
 * Range: 0..1; three participants 0, a hundred equal ones 1, on a logarithmic scale.
 * Unit: voters of one ballot, each counting by its share up to 1 %: D = 1/Σc².
 * Source: valid votes of known power.
 * Unknown: no power on the ballot. The low end is that of the merged shares, or the high one where merging widens.
 */
export function breadthOf({ ascending }: Pick<BallotPower, "ascending">): number {
  let sum = 0;
  let squares = 0;
  for (let place = 0; place < ascending.length; place += 1) {
    const capped = Math.min(ascending[place] as number, RULES.capShare);
    sum += capped;
    squares += capped * capped;
  }
  const { breadthFrom, breadthFull } = RULES;
  return clamp(Math.log((sum * sum) / squares / breadthFrom) / Math.log(breadthFull / breadthFrom));
}

/** A ballot of the frame with known power, and what merging made of it. */
export interface LoyalBallot {
  readonly attention: number;
  readonly own: BallotPower;
  /** The same object where nobody was merged on it. */
  readonly merged: BallotPower;
}

/** How many voters of a ballot were there before. */
export interface Loyalty {
  /** Σω of the earlier ballots that were looked at. */
  readonly attention: number;
  readonly mark: Mark | undefined;
}

/** The earlier ballots that a ballot's voters are looked for in, latest first: what each counts. */
function predecessorsOf(ballots: readonly LoyalBallot[], at: number): readonly number[] {
  const attentions: number[] = [];
  let missing = RULES.loyaltyAttention;
  for (let before = at - 1; before >= 0 && missing > 0; before -= 1) {
    const attention = Math.min((ballots[before] as LoyalBallot).attention, missing);
    missing -= attention;
    attentions.push(attention);
  }
  return attentions;
}

/** All votes, one ballot after another, each with the one before it of the same voter. */
interface VoteChain {
  /** By voter: its last vote so far, or −1. */
  readonly last: Int32Array;
  /** By vote: the one before it, or −1; its ballot; its c, and that after merging. */
  readonly before: Int32Array;
  readonly ballotOf: Int32Array;
  readonly own: Float64Array;
  readonly merged: Float64Array;
}

/** By earlier ballot, latest first: O, the capped power that the same voters hold on it and on this one, and that after merging. */
interface Overlaps {
  readonly own: Float64Array;
  readonly merged: Float64Array;
}

/**
 * Adds the votes of a ballot to the chain, and looks along it at the earlier votes from number `from` on. Runs for every
 * vote; numbers of votes lie in the columns. On a grid, so that the order of voters does not matter.
 */
function addOverlaps(
  { last, before, ballotOf, own, merged }: VoteChain,
  {
    at,
    start,
    from,
    voters,
  }: Readonly<Record<"at" | "start" | "from", number>> & Pick<BallotPower, "voters">,
  overlaps: Overlaps,
): void {
  const isMerged = merged !== own;
  for (let vote = start; vote < start + voters.length; vote += 1) {
    const voter = voters[vote - start] as number;
    const previous = last[voter] as number;
    last[voter] = vote;
    before[vote] = previous;
    ballotOf[vote] = at;
    const ownHere = own[vote] as number;
    const mergedHere = merged[vote] as number;
    for (let other = previous; other >= from; other = before[other] as number) {
      const place = at - 1 - (ballotOf[other] as number);
      const there = own[other] as number;
      overlaps.own[place] = (overlaps.own[place] as number) + onGrid(there < ownHere ? there : ownHere);
      if (!isMerged) continue;
      const joint = merged[other] as number;
      overlaps.merged[place] =
        (overlaps.merged[place] as number) + onGrid(joint < mergedHere ? joint : mergedHere);
    }
  }
}

/**
 * Loyalty: do those who decide come back?
 *
 * Range: 0..1; half of the capped power held by the same voters on both ballots is 1.
 * Unit: Σω·O/Σω over the earlier ballots of the frame, latest first, until their ω reach 10.
 * Source: valid votes of known power. `ballots`: those of the frame that have it, by (end, id).
 * Unknown: no power on the ballot; the first ballot weighs nothing.
 */
export function measureLoyalty(ballots: readonly LoyalBallot[], votersCount: number): readonly Loyalty[] {
  const starts: number[] = [];
  let count = 0;
  for (const { own } of ballots) {
    starts.push(count);
    count += own.voters.length;
  }
  const own = new Float64Array(count);
  const isMerged = ballots.some((ballot) => ballot.merged !== ballot.own);
  const chain: VoteChain = {
    last: new Int32Array(votersCount).fill(-1),
    before: new Int32Array(count),
    ballotOf: new Int32Array(count),
    own,
    merged: isMerged ? new Float64Array(count) : own,
  };
  return ballots.map((ballot, at) => {
    const start = starts[at] ?? 0;
    own.set(ballot.own.capped, start);
    if (isMerged) chain.merged.set(ballot.merged.capped, start);
    const predecessors = predecessorsOf(ballots, at);
    const size = predecessors.length;
    const overlaps = { own: new Float64Array(size), merged: new Float64Array(isMerged ? size : 0) };
    const from = starts[at - size] ?? 0;
    addOverlaps(chain, { at, start, from, voters: ballot.own.voters }, overlaps);
    let attention = 0;
    for (const each of predecessors) attention += each;
    if (attention === 0) return { attention, mark: undefined };
    const markOf = (shared: Float64Array): number => {
      let sum = 0;
      predecessors.forEach((each, place) => {
        sum += each * (shared[place] as number);
      });
      return clamp(sum / attention / RULES.fullMarksLoyalty);
    };
    const mark = markOf(overlaps.own);
    return { attention, mark: between(mark, isMerged ? markOf(overlaps.merged) : mark) };
  });
}
