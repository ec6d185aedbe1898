import { type Ballot, cappedShares } from "../frame/ballot.ts";
import { onGrid } from "../method/statistics.ts";
import type { Alikeness } from "./find-alike.ts";

/** The distribution of power of a ballot from which marks are computed, merged or not. */
export type BallotPower = Pick<Ballot, "voters" | "shares" | "ascending" | "capped">;

/** Replaces some of the sorted values by as many others, keeping the order; `out` and `put` are sorted. */
function exchange(ascending: Float64Array, out: readonly number[], put: readonly number[]): Float64Array {
  const powers = new Float64Array(ascending.length);
  let [leaving, coming, next] = [0, 0, 0];
  for (let index = 0; index < ascending.length; index += 1) {
    const value = ascending[index] as number;
    if (leaving < out.length && out[leaving] === value) {
      leaving += 1;
      continue;
    }
    while (coming < put.length && (put[coming] as number) <= value) {
      powers[next] = put[coming] as number;
      coming += 1;
      next += 1;
    }
    powers[next] = value;
    next += 1;
  }
  for (; coming < put.length; coming += 1) {
    powers[next] = put[coming] as number;
    next += 1;
  }
  return powers;
}

function pick(values: Float64Array, places: readonly number[]): number[] {
  return places.map((index) => values[index] as number).sort((a, b) => a - b);
}

/**
 * Creates a function that merges ballots: each voter passes its part, together with what it received itself, to the
 * larger voter it is most alike to, smallest voters first, if both voted on the ballot. Returns the ballot itself if
 * nobody passes anything.
 */
export function createBallotMerger(alike: Alikeness): (ballot: Ballot) => BallotPower {
  const { rankOfVoter, ranksCount, receiverOf, partOf } = alike;
  // Reused for each ballot: allocating them for every small ballot of every day would cost more than the merging.
  const placeOfRank = new Int32Array(ranksCount);
  const received = new Float64Array(ranksCount);
  return (ballot) => {
    const { voters, shares } = ballot;
    placeOfRank.fill(-1);
    const givers: number[] = [];
    for (let index = 0; index < voters.length; index += 1) {
      const voter = voters[index] as number;
      const rank = rankOfVoter[voter] as number;
      if (rank >= 0) placeOfRank[rank] = index;
      if ((receiverOf[voter] as number) >= 0) givers.push(index);
    }
    const receiverHere = (voter: number): number => {
      const receiver = receiverOf[voter] as number;
      return receiver >= 0 && (placeOfRank[receiver] as number) >= 0 ? receiver : -1;
    };
    if (!givers.some((index) => receiverHere(voters[index] as number) >= 0)) return ballot;
    received.fill(0);
    const merged = shares.slice();
    const changed = new Set<number>();
    const pass = (index: number, receiver: number, part: number): void => {
      const passed = part * (merged[index] as number);
      merged[index] = (merged[index] as number) - passed;
      // On a grid, so that the sum does not depend on the order of the givers.
      received[receiver] = (received[receiver] as number) + onGrid(passed);
      changed.add(index);
      changed.add(placeOfRank[receiver] as number);
    };
    for (const index of givers) {
      const voter = voters[index] as number;
      const receiver = receiverHere(voter);
      if (receiver >= 0 && (rankOfVoter[voter] as number) < 0) pass(index, receiver, partOf[voter] as number);
    }
    for (let rank = ranksCount - 1; rank >= 0; rank -= 1) {
      const index = placeOfRank[rank] as number;
      if (index < 0) continue;
      merged[index] = (merged[index] as number) + (received[rank] as number);
      const voter = voters[index] as number;
      const receiver = receiverHere(voter);
      if (receiver >= 0) pass(index, receiver, partOf[voter] as number);
    }
    const places = [...changed];
    const ascending = exchange(ballot.ascending, pick(shares, places), pick(merged, places));
    return { voters, shares: merged, ascending, capped: cappedShares(merged, ascending) };
  };
}
