import { remember } from "../base/remember.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { METHODOLOGY } from "./methodology.ts";

const { windowSeconds, windowVotersMax } = METHODOLOGY.coordination;

/** The timed votes of one proposal in order of time, with what each vote's window says. */
export interface TimedBallot {
  readonly voters: Int32Array;
  readonly timesS: Uint32Array;
  readonly choiceIndexes: Uint32Array;
  /** First place in the window, and the first place after it. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** ln(n − 1), of n timed voters. */
  readonly logOthers: number;
  /** −ln(share of the timed voters with the same choice). */
  readonly choiceSurprises: Float64Array;
}

const at = (column: ArrayLike<number>, place: number): number => column[place] ?? 0;

/** The timed votes of a ballot; a ballot is sorted by time once, however many frames it is in. */
export const timedBallot = remember((votes: BallotVotes): TimedBallot => {
  const places = Array.from(votes.voters.keys()).filter((place) => votes.isTimed[place] === 1);
  places.sort(
    (a, b) => at(votes.timesS, a) - at(votes.timesS, b) || at(votes.voters, a) - at(votes.voters, b),
  );
  const timesS = Uint32Array.from(places, (place) => at(votes.timesS, place));
  const choiceIndexes = Uint32Array.from(places, (place) => at(votes.choiceIndexes, place));
  const counts = new Map<number, number>();
  for (const choice of choiceIndexes) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  return {
    voters: Int32Array.from(places, (place) => at(votes.voters, place)),
    timesS,
    choiceIndexes,
    ...windowsOf(timesS),
    logOthers: Math.log(places.length - 1),
    choiceSurprises: Float64Array.from(
      choiceIndexes,
      (choice) => -Math.log((counts.get(choice) ?? 0) / places.length),
    ),
  };
});

function windowsOf(timesS: Uint32Array): Pick<TimedBallot, "from" | "to"> {
  const from = new Int32Array(timesS.length);
  const to = new Int32Array(timesS.length);
  let low = 0;
  let high = 0;
  for (let place = 0; place < timesS.length; place += 1) {
    const timeS = at(timesS, place);
    while (at(timesS, low) < timeS - windowSeconds) low += 1;
    while (high < timesS.length && at(timesS, high) <= timeS + windowSeconds) high += 1;
    from[place] = low;
    to[place] = high;
  }
  return { from, to };
}

/** Voters in the window of a vote, itself not counted. */
export function windowVoters(ballot: TimedBallot, place: number): number {
  return at(ballot.to, place) - at(ballot.from, place) - 1;
}

/**
 * How many voters the fuller of the two windows holds where two votes coincide, and 0 where they do not: cast within a
 * minute of each other, for the same choice, neither of them in a burst.
 */
export function coincidentVoters(ballot: TimedBallot, one: number, other: number): number {
  if (other < at(ballot.from, one) || other >= at(ballot.to, one)) return 0;
  if (ballot.choiceIndexes[one] !== ballot.choiceIndexes[other]) return 0;
  const larger = Math.max(windowVoters(ballot, one), windowVoters(ballot, other));
  return larger > windowVotersMax ? 0 : larger;
}
