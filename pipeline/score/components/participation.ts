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

/**
 * Measures loyalty in one frame after another; what two ballots of unmerged shares have in common is looked at once.
 */
export function createLoyaltyMeasurer(votersCount: number) {
  const cappedOf = new Float64Array(votersCount);
  const overlaps = new WeakMap<BallotPower, WeakMap<BallotPower, number>>();

  /** The overlaps of one ballot with others, those that are known already from memory. */
  const overlapsOf = (ballot: BallotPower, others: readonly BallotPower[]): readonly number[] => {
    const known = overlaps.get(ballot) ?? new WeakMap<BallotPower, number>();
    overlaps.set(ballot, known);
    const unknown = others.filter((other) => !known.has(other));
    if (unknown.length > 0) {
      loadBallot(cappedOf, ballot);
      for (const other of unknown) known.set(other, overlapWith(cappedOf, other));
      unloadBallot(cappedOf, ballot);
    }
    return others.map((other) => known.get(other) ?? 0);
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
      const markOf = (ballot: BallotPower, others: readonly BallotPower[]): number => {
        let sum = 0;
        overlapsOf(ballot, others).forEach((overlap, place) => {
          sum += (predecessors[place]?.attention ?? 0) * overlap;
        });
        return clamp(sum / attention / RULES.fullMarksLoyalty);
      };
      const plain = markOf(
        own,
        predecessors.map(({ ballot }) => ballot.own),
      );
      const joint = markOf(
        merged,
        predecessors.map(({ ballot }) => ballot.merged),
      );
      return { attention, mark: between(plain, joint) };
    });
}
