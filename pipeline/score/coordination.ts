import { remember } from "../base/remember.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { METHODOLOGY } from "./methodology.ts";
import { createDisjointSets } from "./weighted-statistics.ts";

/** What the coordination test found in a frame. */
export interface Coordination {
  /** `false` where too few votes have a time or there are too few proposals: nothing was looked at. */
  readonly isAssessed: boolean;
  /** Pairs of voters (dense numbers) that are likely coordinated. */
  readonly links: readonly (readonly [a: number, b: number])[];
}

/** The timed votes of one proposal in order of time, with what each vote's window says. */
interface TimedBallot {
  readonly voters: Int32Array;
  readonly timesS: Uint32Array;
  readonly choiceIndexes: Uint32Array;
  /** First place in the window, and the first place after it. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** −ln(share of the timed voters with that choice), by choice index. */
  readonly choiceSurprise: ReadonlyMap<number, number>;
}

const { windowSeconds, windowVotersMax, coincidencesMin, coincidenceShareMin, falseLinks } =
  METHODOLOGY.coordination;

const timedBallot = remember((votes: BallotVotes): TimedBallot => {
  const places = Array.from(votes.voters.keys()).filter((place) => votes.isTimed[place] === 1);
  const at = (column: ArrayLike<number>, place: number): number => column[place] ?? 0;
  places.sort(
    (a, b) => at(votes.timesS, a) - at(votes.timesS, b) || at(votes.voters, a) - at(votes.voters, b),
  );
  const timesS = Uint32Array.from(places, (place) => at(votes.timesS, place));
  const choiceIndexes = Uint32Array.from(places, (place) => at(votes.choiceIndexes, place));
  const from = new Int32Array(places.length);
  const to = new Int32Array(places.length);
  let low = 0;
  let high = 0;
  for (let place = 0; place < places.length; place += 1) {
    const timeS = at(timesS, place);
    while (at(timesS, low) < timeS - windowSeconds) low += 1;
    while (high < places.length && at(timesS, high) <= timeS + windowSeconds) high += 1;
    from[place] = low;
    to[place] = high;
  }
  const counts = new Map<number, number>();
  for (const choice of choiceIndexes) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  const choiceSurprise = new Map(
    [...counts].map(([choice, count]) => [choice, -Math.log(count / places.length)]),
  );
  const voters = Int32Array.from(places, (place) => at(votes.voters, place));
  return { voters, timesS, choiceIndexes, from, to, choiceSurprise };
});

/** ln k! for k = 0..n. */
function logFactorials(n: number): Float64Array {
  const logs = new Float64Array(n + 1);
  for (let k = 2; k <= n; k += 1) logs[k] = (logs[k - 1] ?? 0) + Math.log(k);
  return logs;
}

/** How many numbers two ascending lists share. */
function commonCount(a: readonly number[], b: readonly number[]): number {
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i] ?? 0, b[j] ?? 0];
    if (left === right) count += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return count;
}

/**
 * Finds pairs of wallets whose votes coincide in choice and minute far more often than independent votes would.
 *
 * Range: links between voters; by a union bound at most 0.01 false ones are expected in a frame.
 * Unit: pairs of wallets. "Likely coordinated", never more than that.
 * Source: times and choices of the frame's counted votes; a window of more than 256 voters is no evidence.
 * Gap: not assessed with fewer than half of the votes timed, or fewer than 3 proposals that have timed votes.
 */
export function findCoordination(ballots: readonly BallotVotes[]): Coordination {
  const { proposalsMin, timedShareMin } = METHODOLOGY.coordination;
  const votesCount = ballots.reduce((sum, votes) => sum + votes.voters.length, 0);
  const timedCount = ballots.reduce((sum, votes) => sum + votes.timedCount, 0);
  // Proposals without a timed vote cannot hold a coincidence: with fewer than three others nothing could be found.
  const testableCount = ballots.filter((votes) => votes.timedCount > 0).length;
  if (testableCount < proposalsMin || timedCount < votesCount * timedShareMin) {
    return { isAssessed: false, links: [] };
  }
  const timed = ballots.map((votes) => timedBallot(votes));
  return { isAssessed: true, links: linkVoters(timed) };
}

interface VotePlace {
  readonly ballot: number;
  readonly place: number;
}

function placesByVoter(timed: readonly TimedBallot[]): VotePlace[][] {
  const places: VotePlace[][] = [];
  timed.forEach((ballot, index) => {
    ballot.voters.forEach((voter, place) => {
      const list = places[voter];
      if (list === undefined) places[voter] = [{ ballot: index, place }];
      else list.push({ ballot: index, place });
    });
  });
  return places;
}

function linkVoters(timed: readonly TimedBallot[]): [number, number][] {
  const places = placesByVoter(timed);
  const voters = [...places.keys()].filter((voter) => places[voter] !== undefined);
  const pairsBound = Math.log((voters.length * (voters.length - 1)) / 2);
  const logFactorial = logFactorials(timed.length);
  const coincidences = new Int32Array(places.length);
  const surprises = new Float64Array(places.length);
  const links: [number, number][] = [];

  for (const voter of voters) {
    const own = places[voter] ?? [];
    // A pair needs three coincidences, so a voter of two proposals has no partner.
    if (own.length < coincidencesMin) continue;
    const partners: number[] = [];
    for (const { ballot, place } of own) {
      const at = timed[ballot];
      if (at !== undefined) coincide(at, place, coincidences, surprises, partners);
    }
    for (const partner of partners) {
      const j = coincidences[partner] ?? 0;
      const surprise = surprises[partner] ?? 0;
      coincidences[partner] = 0;
      surprises[partner] = 0;
      if (j < coincidencesMin) continue;
      const m = commonCount(
        own.map((vote) => vote.ballot),
        (places[partner] ?? []).map((vote) => vote.ballot),
      );
      if (j < m * coincidenceShareMin) continue;
      const logSubsets = (logFactorial[m] ?? 0) - (logFactorial[j] ?? 0) - (logFactorial[m - j] ?? 0);
      if (surprise > pairsBound + logSubsets + Math.log(m) + Math.log(1 / falseLinks))
        links.push([voter, partner]);
    }
  }
  return links;
}

/** Adds the evidence of one vote against every later-numbered voter with the same choice in its window. */
function coincide(
  ballot: TimedBallot,
  place: number,
  coincidences: Int32Array,
  surprises: Float64Array,
  partners: number[],
): void {
  const { voters, choiceIndexes, from, to, choiceSurprise } = ballot;
  const windowVoters = (at: number): number => (to[at] ?? 0) - (from[at] ?? 0) - 1;
  const own = windowVoters(place);
  if (own > windowVotersMax) return;
  const choice = choiceIndexes[place] ?? 0;
  const voter = voters[place] ?? 0;
  const surpriseOfChoice = choiceSurprise.get(choice) ?? 0;
  for (let other = from[place] ?? 0; other < (to[place] ?? 0); other += 1) {
    const partner = voters[other] ?? 0;
    if (partner <= voter || choiceIndexes[other] !== choice) continue;
    const larger = Math.max(own, windowVoters(other));
    if (larger > windowVotersMax) continue;
    if (coincidences[partner] === 0) partners.push(partner);
    coincidences[partner] = (coincidences[partner] ?? 0) + 1;
    surprises[partner] =
      (surprises[partner] ?? 0) - Math.log(larger / (voters.length - 1)) + surpriseOfChoice;
  }
}

/** The human-equivalent of every voter: entities first, then likely coordinated ones; named by its smallest voter. */
export function humanEquivalents(entityHeads: Int32Array, coordination: Coordination): Int32Array {
  if (coordination.links.length === 0) return entityHeads;
  const sets = createDisjointSets(entityHeads.length);
  entityHeads.forEach((head, voter) => {
    if (head !== voter) sets.join(head, voter);
  });
  for (const [a, b] of coordination.links) sets.join(a, b);
  return Int32Array.from(entityHeads, (_, voter) => sets.find(voter));
}
