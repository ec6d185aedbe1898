import { type Ballot, type Choice, VOTE_FLAGS } from "../facts/ballot.ts";
import { METHODOLOGY } from "./methodology.ts";
import { sortedSum } from "./weighted-statistics.ts";

/**
 * The votes of one ballot that measures look at: valid, not dust, in ascending order of power
 * (so that every sum over them is a sorted one). All columns have the same length.
 */
export interface BallotVotes {
  readonly proposalId: string;
  /** All votes of the ballot, invalid and dust included: what completeness counts. */
  readonly fetchedCount: number;
  readonly readableCount: number;
  /** Those of them that count: valid, the last of each voter, no dust. */
  readonly countedCount: number;
  readonly finalCount: number;
  /** Σ power of all fetched votes; `undefined` where the power of one is unknown, or the sum is no finite number. */
  readonly fetchedPower: number | undefined;

  /** Voters as numbers of this DAO, dense from 0. */
  readonly voters: Int32Array;
  /** Share of the ballot's valid power (0–1); `undefined` where power is unknown. */
  readonly shares: Float64Array | undefined;
  /** Seconds; 0 where `isTimed` is 0. */
  readonly timesS: Uint32Array;
  readonly isTimed: Uint8Array;
  readonly choiceIndexes: Uint32Array;
  readonly choices: readonly Choice[];
  readonly timedCount: number;
  /** Votes with a reason; `undefined` where the source does not tell for all of them. */
  readonly reasonsCount: number | undefined;
}

const { powerKnown, timeKnown, final, outsideWindow, choiceUnreadable, reasonGiven, reasonKnown } =
  VOTE_FLAGS;

/** A valid vote lies in its window, has a readable choice and, where its power is known, some. */
function validPlaces(ballot: Ballot): number[] {
  const places: number[] = [];
  for (let place = 0; place < ballot.count; place += 1) {
    const flags = ballot.flags[place] ?? 0;
    if ((flags & (outsideWindow | choiceUnreadable)) !== 0) continue;
    if ((flags & powerKnown) !== 0 && (ballot.powers[place] ?? 0) <= 0) continue;
    places.push(place);
  }
  return places;
}

const has = (ballot: Ballot, place: number, flag: number): boolean =>
  ((ballot.flags[place] ?? 0) & flag) !== 0;

/** Picks the votes of a ballot that count. `denseVoterOf` gives a DAO's own number of an interned voter. */
export function countedVotes(ballot: Ballot, denseVoterOf: (voterId: number) => number): BallotVotes {
  const powerOf = (place: number): number => ballot.powers[place] ?? 0;
  const valid = validPlaces(ballot);
  valid.sort((a, b) => powerOf(a) - powerOf(b));

  let power = 0;
  for (const place of valid) power += powerOf(place);
  // Powers may each be finite and their sum not: shares of infinity would all be nothing.
  const isPowerKnown =
    power > 0 && Number.isFinite(power) && valid.every((place) => has(ballot, place, powerKnown));
  const counted = isPowerKnown
    ? valid.filter((place) => powerOf(place) / power >= METHODOLOGY.votes.dustShare)
    : valid;

  const isTimed = Uint8Array.from(counted, (place) => (has(ballot, place, timeKnown) ? 1 : 0));
  const all = Array.from({ length: ballot.count }, (_, place) => place);
  const fetchedPower = all.every((place) => has(ballot, place, powerKnown)) ? sortedSum(ballot.powers) : NaN;
  const isReasonKnown = counted.length > 0 && counted.every((place) => has(ballot, place, reasonKnown));
  return {
    proposalId: ballot.proposalId,
    fetchedCount: ballot.count,
    readableCount: all.filter((place) => !has(ballot, place, choiceUnreadable)).length,
    countedCount: counted.length,
    finalCount: all.filter((place) => has(ballot, place, final)).length,
    fetchedPower: ballot.count > 0 && Number.isFinite(fetchedPower) ? fetchedPower : undefined,
    voters: Int32Array.from(counted, (place) => denseVoterOf(ballot.voterIds[place] ?? -1)),
    shares: isPowerKnown ? Float64Array.from(counted, (place) => powerOf(place) / power) : undefined,
    timesS: Uint32Array.from(counted, (place) => ballot.timesS[place] ?? 0),
    isTimed,
    choiceIndexes: Uint32Array.from(counted, (place) => ballot.choiceIndexes[place] ?? 0),
    choices: ballot.choices,
    timedCount: isTimed.reduce((sum, timed) => sum + timed, 0),
    reasonsCount: isReasonKnown
      ? counted.filter((place) => has(ballot, place, reasonGiven)).length
      : undefined,
  };
}
