import { invariant } from "../../base/invariant.ts";
import { METHODOLOGY } from "../methodology.ts";

/** Heads up to which all coalitions are counted; each further one doubles them. */
export const BANZHAF_HEADS_MAX = 20;

/** Joint share of every coalition of some heads, ascending. */
function coalitionShares(shares: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** shares.length);
  shares.forEach((share, place) => {
    const count = 2 ** place;
    for (let each = 0; each < count; each += 1) sums[count + each] = (sums[each] ?? 0) + share;
  });
  return sums.sort();
}

/** How many pairs, one of each, add up to no more than a limit. */
function pairsUpTo(limit: number, low: Float64Array, high: Float64Array): number {
  let count = 0;
  let top = high.length;
  for (const share of low) {
    while (top > 0 && share + (high[top - 1] ?? 0) > limit) top -= 1;
    count += top;
  }
  return count;
}

/**
 * Normalised Banzhaf index of each head under simple majority of the power cast: its part of all the coalitions that
 * one head turns from losing to winning. In the order of the shares.
 */
export function banzhafIndexes(shares: Float64Array): Float64Array {
  invariant(shares.length > 0 && shares.length <= BANZHAF_HEADS_MAX, "coalitions of nobody or of too many");
  // Equal halves must not win by what their sum rounds to.
  const losing = 0.5 * (1 + METHODOLOGY.decentralization.majorityMargin);
  const swings = shares.map((share, head) => {
    const others = Array.from(shares).filter((_, other) => other !== head);
    const middle = Math.floor(others.length / 2);
    const low = coalitionShares(others.slice(0, middle));
    const high = coalitionShares(others.slice(middle));
    return pairsUpTo(losing, low, high) - pairsUpTo(losing - share, low, high);
  });
  const total = swings.reduce((sum, count) => sum + count, 0);
  return swings.map((count) => count / total);
}
