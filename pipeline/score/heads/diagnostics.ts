import { invariant } from "../../facts/errors.ts";
import type { CountedVotes } from "../frame/counted-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { sharesByHead } from "./heads.ts";

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

/** Shannon entropy of shares in bits: 0 where one has all, log₂ n where n have equal shares. */
export function entropyBits(shares: Float64Array): number {
  invariant(shares.length > 0, "entropy of nobody's power");
  let bits = 0;
  for (const share of shares.slice().sort()) if (share > 0) bits -= share * Math.log2(share);
  return Math.max(0, bits);
}

/** Gini coefficient of shares in any order: 0 where all are equal, near 1 where one has all. It follows the number of dust voters, so it is reported and never scored. */
export function gini(shares: Float64Array): number {
  invariant(shares.length > 0, "inequality of nobody's power");
  const ascending = shares.slice().sort();
  let sum = 0;
  let ranked = 0;
  ascending.forEach((share, index) => {
    sum += share;
    ranked += (index + 1) * share;
  });
  const count = ascending.length;
  return (2 * ranked) / (count * sum) - (count + 1) / count;
}

/** What is reported of the power of human-equivalents on one proposal, and never scored. */
export interface Diagnostics {
  readonly gini: number;
  readonly entropyBits: number;
  /** Normalised Banzhaf index of the strongest; `undefined` where more than 20 heads held power. */
  readonly banzhafTop: number | undefined;
}

/** Diagnostics of one proposal; `undefined` where no power is known. */
export function measureDiagnostics(votes: CountedVotes, humanOfVoter: Int32Array): Diagnostics | undefined {
  const { shares } = sharesByHead(votes, humanOfVoter);
  if (shares === undefined || shares.length === 0) return undefined;
  return {
    gini: gini(shares),
    entropyBits: entropyBits(shares),
    banzhafTop:
      shares.length <= BANZHAF_HEADS_MAX ? Math.max(...banzhafIndexes(shares.slice().sort())) : undefined,
  };
}
