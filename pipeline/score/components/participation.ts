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

// All run for every vote and each of the earlier ballots; places lie in a ballot's columns.

/** Writes the capped shares of a ballot by voter; or nothing, to make place for the next. */
function loadBallot(cappedOf: Float64Array, { voters, capped }: BallotPower): void {
  for (let place = 0; place < voters.length; place += 1)
    cappedOf[voters[place] as number] = capped[place] as number;
}
function unloadBallot(cappedOf: Float64Array, { voters }: BallotPower): void {
  for (let place = 0; place < voters.length; place += 1) cappedOf[voters[place] as number] = 0;
}

/** O: the capped power that the same voters hold on the ballot loaded and on this one. */
function overlapWith(cappedOf: Float64Array, { voters, capped }: BallotPower): number {
  let sum = 0;
  for (let place = 0; place < voters.length; place += 1) {
    const there = cappedOf[voters[place] as number] as number;
    if (there === 0) continue;
    const here = capped[place] as number;
    sum += onGrid(there < here ? there : here);
  }
  return sum;
}

/** The earlier ballots that a ballot's voters are looked for in, latest first, with what each counts. */
function predecessorsOf(ballots: readonly LoyalBallot[], at: number) {
  const found: { readonly ballot: LoyalBallot; readonly attention: number }[] = [];
  let missing = RULES.loyaltyAttention;
  for (let before = at - 1; before >= 0 && missing > 0; before -= 1) {
    const ballot = ballots[before] as LoyalBallot;
    const attention = Math.min(ballot.attention, missing);
    missing -= attention;
    found.push({ ballot, attention });
  }
  return found;
}

/** What a ballot last had in common with those before it, latest first. */
interface Overlaps {
  readonly ballot: BallotPower;
  readonly others: readonly BallotPower[];
  readonly shared: Float64Array;
}

/**
 * Measures loyalty in one frame after another; what a ballot has in common with the one so many places before it is looked
 * at anew where one of the two is another.
 */
export function createLoyaltyMeasurer(votersCount: number) {
  const cappedOf = new Float64Array(votersCount);
  /** By the voters of a ballot, which are the same objects after merging: of the shares as they are, and of the merged ones. */
  const lastOwn = new Map<Int32Array, Overlaps>();
  const lastMerged = new Map<Int32Array, Overlaps>();

  const overlapsOf = (
    known: Map<Int32Array, Overlaps>,
    ballot: BallotPower,
    others: readonly BallotPower[],
  ): Float64Array => {
    const before = known.get(ballot.voters);
    const isSame = before?.ballot === ballot;
    const shared = new Float64Array(others.length);
    let isLoaded = false;
    for (let at = 0; at < others.length; at += 1) {
      const other = others[at] as BallotPower;
      if (isSame && before.others[at] === other) {
        shared[at] = before.shared[at] as number;
        continue;
      }
      if (!isLoaded) loadBallot(cappedOf, ballot);
      isLoaded = true;
      shared[at] = overlapWith(cappedOf, other);
    }
    if (isLoaded) unloadBallot(cappedOf, ballot);
    known.set(ballot.voters, { ballot, others, shared });
    return shared;
  };

  /**
   * Loyalty: do those who decide come back?
   *
   * Range: 0..1; half of the capped power held by the same voters on both ballots is 1.
   * Unit: Σω·O/Σω over the earlier ballots of the frame, latest first, until their ω reach 10.
   * Source: valid votes of known power. `ballots`: those of the frame that have it, by (end, id).
   * Unknown: no power on the ballot; the first ballot weighs nothing.
   */
  return (ballots: readonly LoyalBallot[]): readonly Loyalty[] =>
    ballots.map(({ own, merged }, at) => {
      const predecessors = predecessorsOf(ballots, at);
      let attention = 0;
      for (const each of predecessors) attention += each.attention;
      if (attention === 0) return { attention, mark: undefined };
      const markOf = (shared: Float64Array): number => {
        let sum = 0;
        predecessors.forEach((each, place) => {
          sum += each.attention * (shared[place] as number);
        });
        return clamp(sum / attention / RULES.fullMarksLoyalty);
      };
      const plain = overlapsOf(
        lastOwn,
        own,
        predecessors.map(({ ballot }) => ballot.own),
      );
      const others = predecessors.map(({ ballot }) => ballot.merged);
      const isPlain = merged === own && predecessors.every(({ ballot }) => ballot.merged === ballot.own);
      const joint = isPlain ? plain : overlapsOf(lastMerged, merged, others);
      return { attention, mark: between(markOf(plain), markOf(joint)) };
    });
}
