import type { BallotPower } from "../alike/merge-ballot.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp } from "../method/statistics.ts";

const RULES = METHODOLOGY.decentralization;

/** How many of the largest voters are needed for half of the power, the last counting in part. */
function votersForHalf(ascending: Float64Array): number {
  let held = 0;
  for (let index = ascending.length - 1; index >= 0; index -= 1) {
    const share = ascending[index] as number;
    if (held + share >= 0.5) return ascending.length - 1 - index + (0.5 - held) / share;
    held += share;
  }
  return ascending.length;
}

/** Σs², the Herfindahl–Hirschman index of shares. */
export function sumOfSquares(ascending: Float64Array): number {
  let squares = 0;
  for (let index = 0; index < ascending.length; index += 1) {
    const share = ascending[index] as number;
    squares += share * share;
  }
  return squares;
}

/**
 * The marks of decentralisation: how many voters decide, by the power that was cast. Each is the number of equal voters
 * that would be as concentrated: by the sum of squared shares, by twice the voters needed for half of the power (the last
 * one counting in part), and by the largest share.
 *
 * Range: 0..1 each, on a logarithmic scale; one voter gives 0, three equal voters .281, fifty 1.
 * Unit: equal voters of one ballot.
 * Source: valid votes of known power; the wallets of an entity are merged.
 * Unknown: without power on the ballot. One end is the mark of the unmerged shares, the other of the merged shares.
 */
export function decentralizationMarks({ ascending }: Pick<BallotPower, "ascending">) {
  const mark = (voters: number): number => clamp(Math.log(voters) / Math.log(RULES.fullMarksVoters));
  return {
    effective: mark(1 / sumOfSquares(ascending)),
    majority: mark(2 * votersForHalf(ascending)),
    top: mark(1 / (ascending.at(-1) ?? 1)),
  };
}

/** How many of the largest voters hold more than this share together; `undefined` if all do not. */
export function votersAbove(ascending: Float64Array, share: number): number | undefined {
  let held = 0;
  for (let index = ascending.length - 1; index >= 0; index -= 1) {
    held += ascending[index] as number;
    if (held > share * (1 + RULES.majorityMargin)) return ascending.length - index;
  }
  return undefined;
}

/** K: the smallest number of voters that hold more than half. */
export function majorityVoters(ascending: Float64Array): number {
  return votersAbove(ascending, 0.5) ?? ascending.length;
}

/** CR4: the joint share of the four largest voters. */
export function whaleShare(ascending: Float64Array): number {
  return Math.min(
    1,
    ascending.subarray(-METHODOLOGY.risk.whales).reduce((sum, share) => sum + share, 0),
  );
}

/** Gini coefficient: 0 if all shares are equal, near 1 if one voter holds everything. */
export function gini(ascending: Float64Array): number {
  let sum = 0;
  let ranked = 0;
  const count = ascending.length;
  for (let index = 0; index < count; index += 1) {
    const share = ascending[index] as number;
    sum += share;
    ranked += (index + 1) * share;
  }
  return (2 * ranked) / (count * sum) - (count + 1) / count;
}
