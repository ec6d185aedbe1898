import { METHODOLOGY } from "../method/methodology.ts";
import { remember } from "../method/statistics.ts";
import { ascendingPlaces, type CountedVotes } from "./counted-votes.ts";

const { windowSeconds, windowVotersMax } = METHODOLOGY.coordination;

/** The timed votes of one proposal in order of time, with what each vote's window says. */
export interface TimedVotes {
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

/** Places of a ballot's timed votes in order of time; of one second, in order of power. Sorted once, for all who ask. */
export const placesByTime = remember(({ timesS, isTimed, timedCount }: CountedVotes): Int32Array => {
  const timed = new Int32Array(timedCount);
  const keys = new Float64Array(timedCount);
  let count = 0;
  for (let place = 0; place < isTimed.length; place += 1) {
    if (isTimed[place] !== 1) continue;
    timed[count] = place;
    keys[count] = timesS[place] as number;
    count += 1;
  }
  return ascendingPlaces(keys).map((at) => timed[at] as number);
});

/** −ln(share) of each choice among the votes at these places. */
function surprisesOf(places: Int32Array, choiceIndexes: Uint32Array): Float64Array {
  let choices = 0;
  for (let at = 0; at < places.length; at += 1)
    choices = Math.max(choices, (choiceIndexes[places[at] as number] as number) + 1);
  const counts = new Float64Array(choices);
  for (let at = 0; at < places.length; at += 1) {
    const choice = choiceIndexes[places[at] as number] as number;
    counts[choice] = (counts[choice] as number) + 1;
  }
  return counts.map((count) => -Math.log(count / places.length));
}

/** The timed votes of a ballot; a ballot is looked at once, however many frames it is in. */
export const timedVotesOf = remember((votes: CountedVotes): TimedVotes => {
  const places = placesByTime(votes);
  const surprises = surprisesOf(places, votes.choiceIndexes);
  const voters = new Int32Array(places.length);
  const timesS = new Uint32Array(places.length);
  const choiceIndexes = new Uint32Array(places.length);
  const choiceSurprises = new Float64Array(places.length);
  // Once for every vote; its place and its choice are in their columns.
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    const choice = votes.choiceIndexes[place] as number;
    voters[at] = votes.voters[place] as number;
    timesS[at] = votes.timesS[place] as number;
    choiceIndexes[at] = choice;
    choiceSurprises[at] = surprises[choice] as number;
  }
  const windows = windowsOf(timesS);
  return {
    voters,
    timesS,
    choiceIndexes,
    ...windows,
    logOthers: Math.log(places.length - 1),
    choiceSurprises,
  };
});

/** Two ends that only go forward: a burst of any size costs no more than reading it. */
function windowsOf(timesS: Uint32Array): Pick<TimedVotes, "from" | "to"> {
  const from = new Int32Array(timesS.length);
  const to = new Int32Array(timesS.length);
  let low = 0;
  let high = 0;
  for (let place = 0; place < timesS.length; place += 1) {
    const timeS = timesS[place] as number;
    while ((timesS[low] as number) < timeS - windowSeconds) low += 1;
    while (high < timesS.length && (timesS[high] as number) <= timeS + windowSeconds) high += 1;
    from[place] = low;
    to[place] = high;
  }
  return { from, to };
}

/** Voters in the window of a vote, itself not counted. */
export function windowVoters(ballot: TimedVotes, place: number): number {
  return (ballot.to[place] as number) - (ballot.from[place] as number) - 1;
}

/**
 * How many voters the fuller of the two windows holds where two votes coincide, and 0 where they do not: cast within a
 * minute of each other, for the same choice, neither of them in a burst.
 */
export function coincidentVoters(ballot: TimedVotes, one: number, other: number): number {
  if (other < (ballot.from[one] as number) || other >= (ballot.to[one] as number)) return 0;
  if (ballot.choiceIndexes[one] !== ballot.choiceIndexes[other]) return 0;
  const larger = Math.max(windowVoters(ballot, one), windowVoters(ballot, other));
  return larger > windowVotersMax ? 0 : larger;
}
