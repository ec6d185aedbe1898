import type { CountedVotes } from "../frame/counted-votes.ts";
import { timedVotesOf } from "../frame/timed-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { createFramePairs, SURPRISE_UNITS } from "./frame-pairs.ts";

const { coincidencesMin, coincidenceShareMin, falseLinks } = METHODOLOGY.coordination;

const logFactorials: number[] = [0, 0];

/** ln k!, summed upwards. */
function logFactorial(k: number): number {
  for (let next = logFactorials.length; next <= k; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[k] ?? 0;
}

/** ln C(m, j): in how many ways j of m proposals can be the coincident ones. */
function logSubsets(common: number, coincidences: number): number {
  return logFactorial(common) - logFactorial(coincidences) - logFactorial(common - coincidences);
}

/** ln(N(N−1)/2): how many pairs so many voters make. */
function logPairs(voters: number): number {
  return Math.log((voters * (voters - 1)) / 2);
}

/** Whether so many coincidences among so many common proposals are enough to be looked at. */
function isTestable(coincidences: number, common: number): boolean {
  return coincidences >= coincidencesMin && coincidences >= common * coincidenceShareMin;
}

/** What the surprise of a testable pair must exceed among so many voters (a union bound over pairs, subset sizes and subsets). */
function linkBound(coincidences: number, common: number, logPairsOfVoters: number): number {
  return logPairsOfVoters + logSubsets(common, coincidences) + Math.log(common) + Math.log(1 / falseLinks);
}

const { proposalsMin, timedShareMin } = METHODOLOGY.coordination;

/** A ballot of a frame and its rank by (end, id) among all that frames of its DAO can hold. */
export interface WindowVotes {
  readonly order: number;
  readonly votes: CountedVotes;
}

/** Likely coordinated pairs of voters, kept up to date as ballots enter and leave a frame. */
export interface CoordinationWindow {
  /** Moves to a frame (ballots ascending); whether any link came or went. */
  moveTo(ballots: readonly WindowVotes[]): boolean;
  /** `false` where too few votes have a time or there are too few proposals: nothing was looked at, nobody is linked. */
  isAssessed(): boolean;
  forEachLink(visit: (voter: number, partner: number) => void): void;
  /** Places that remembered pairs take, 37 bytes each. */
  pairsCount(): number;
}

/** A hundred times what a sum of units can differ from one of floats: so near a bound the floats decide. */
const NEAR = 1e-5;

function isAssessable(ballots: readonly WindowVotes[]): boolean {
  let votesCount = 0;
  let timedCount = 0;
  let testableCount = 0;
  for (const { votes } of ballots) {
    votesCount += votes.voters.length;
    timedCount += votes.timedCount;
    if (votes.timedCount > 0) testableCount += 1;
  }
  // Proposals without a timed vote cannot hold a coincidence: with fewer than three others nothing could be found.
  return testableCount >= proposalsMin && timedCount >= votesCount * timedShareMin;
}

/** VotesByProposal of one frame that are not in the other; both ascending. */
function missingFrom(frame: readonly WindowVotes[], other: readonly WindowVotes[]): WindowVotes[] {
  const missing: WindowVotes[] = [];
  let at = 0;
  for (const ballot of frame) {
    while (at < other.length && (other[at]?.order ?? 0) < ballot.order) at += 1;
    if (other[at]?.order !== ballot.order) missing.push(ballot);
  }
  return missing;
}

function timedVotes(ballots: readonly WindowVotes[]): number {
  return ballots.reduce((sum, { votes }) => sum + votes.timedCount, 0);
}

/** A window for voters 0..n−1 on no ballot yet. It holds the timed votes of one frame and its pairs with three coincidences, nothing more. */
export function createCoordinationWindow(votersCount: number): CoordinationWindow {
  const pairs = createFramePairs(votersCount);
  const { table } = pairs;
  let current: readonly WindowVotes[] = [];
  let isAssessed = false;
  let linksCount = 0;

  const slide = (ballots: readonly WindowVotes[]): void => {
    const leaving = missingFrom(current, ballots);
    const entering = missingFrom(ballots, current);
    // Far from where it was, starting anew is cheaper than coming and going.
    if (timedVotes(leaving) + timedVotes(entering) >= timedVotes(current) / 2) {
      pairs.refill(ballots.map(({ order, votes }) => ({ order, ballot: timedVotesOf(votes) })));
      return;
    }
    for (const { order } of leaving) pairs.leave(order);
    for (const { order, votes } of entering) pairs.enter(order, timedVotesOf(votes));
  };

  const excessOf = (pair: number): number => {
    const known = table.excess[pair] ?? Number.NaN;
    if (!Number.isNaN(known)) return known;
    const j = table.coincidences[pair] ?? 0;
    const m = table.common[pair] ?? 0;
    const excess = isTestable(j, m)
      ? (table.surprise[pair] ?? 0) / SURPRISE_UNITS - linkBound(j, m, 0)
      : -Infinity;
    table.excess[pair] = excess;
    return excess;
  };

  const isLink = (pair: number, bound: number): boolean => {
    const excess = excessOf(pair);
    if (Math.abs(excess - bound) > NEAR) return excess > bound;
    const j = table.coincidences[pair] ?? 0;
    const m = table.common[pair] ?? 0;
    const surprise = pairs.exactSurprise(table.voter[pair] ?? 0, table.partner[pair] ?? 0);
    return isTestable(j, m) && surprise > linkBound(j, m, bound);
  };

  /** Decides every pair anew, as the bound moves with the number of voters; whether any decision is another. */
  const decide = (): boolean => {
    const bound = logPairs(pairs.votersCount());
    const before = linksCount;
    let kept = 0;
    linksCount = 0;
    for (let pair = 0; pair < table.size; pair += 1) {
      if ((table.voter[pair] ?? -1) < 0) continue;
      const isLinked = isLink(pair, bound);
      if (isLinked) linksCount += 1;
      if (isLinked && table.isLinked[pair] === 1) kept += 1;
      table.isLinked[pair] = isLinked ? 1 : 0;
    }
    return kept !== before || kept !== linksCount;
  };

  return {
    moveTo(ballots) {
      const hadLinks = isAssessed && linksCount > 0;
      slide(ballots);
      current = ballots;
      isAssessed = isAssessable(ballots);
      const isOther = decide();
      const hasLinks = isAssessed && linksCount > 0;
      return hadLinks !== hasLinks || (hasLinks && isOther);
    },
    isAssessed: () => isAssessed,
    forEachLink(visit) {
      if (!isAssessed) return;
      for (let pair = 0; pair < table.size; pair += 1) {
        if ((table.voter[pair] ?? -1) >= 0 && table.isLinked[pair] === 1)
          visit(table.voter[pair] ?? 0, table.partner[pair] ?? 0);
      }
    },
    pairsCount: () => table.size,
  };
}
