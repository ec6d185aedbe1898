import { coincidentVoters, type TimedVotes, windowVoters } from "../frame/timed-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import {
  addPair,
  clearPairs,
  createPairTable,
  createVotesByVoter,
  dropPair,
  type PairTable,
  type VotesByVoter,
} from "./pair-table.ts";

const { coincidencesMin, windowVotersMax } = METHODOLOGY.coordination;

/** Surprises are kept in units of 2^-32. */
export const SURPRISE_UNITS = 2 ** 32;

/** Who coincided with whom, how often and how surprisingly, on the ballots of one frame. */
interface FramePairs {
  readonly table: PairTable;
  enter(order: number, ballot: TimedVotes): void;
  leave(order: number): void;
  /** Forgets all and takes these ballots in; ascending. */
  refill(ballots: readonly { readonly order: number; readonly ballot: TimedVotes }[]): void;
  /** N: voters with a timed vote in the frame. */
  votersCount(): number;
  /** S as the floats have it when they are added up by (end, id). */
  exactSurprise(voter: number, partner: number): number;
}

const at = (column: ArrayLike<number>, place: number): number => column[place] ?? 0;

const logarithms = Float64Array.from({ length: windowVotersMax + 1 }, (_, voters) => Math.log(voters));

/** −ln(q_t · q_c) of a coincidence, as a whole number of units. */
function surpriseUnits(ballot: TimedVotes, voters: number, place: number): number {
  const ofTime = ballot.logOthers - at(logarithms, voters);
  return Math.round((ofTime + at(ballot.choiceSurprises, place)) * SURPRISE_UNITS);
}

/** No pairs yet, among voters 0..n−1. */
export function createFramePairs(votersCount: number): FramePairs {
  const table = createPairTable(votersCount);
  const cast = createVotesByVoter(votersCount);
  const timed: (TimedVotes | undefined)[] = [];
  const placeOf = new Int32Array(votersCount).fill(-1);
  const seen = new Int32Array(votersCount);
  let stamp = 0;
  let timedVoters = 0;

  const timedOf = (order: number): TimedVotes => {
    const ballot = timed[order];
    if (ballot === undefined) throw new Error("invariant: a ballot that is not in the frame");
    return ballot;
  };
  const list = (order: number, { voters }: TimedVotes): void => {
    for (let place = 0; place < voters.length; place += 1) {
      const voter = voters[place] as number;
      if (cast.countOf(voter) === 0) timedVoters += 1;
      cast.insert(voter, order, place);
    }
  };
  /** Says where on a ballot its voters stand. */
  const mark = ({ voters }: TimedVotes): void => {
    for (let place = 0; place < voters.length; place += 1) placeOf[voters[place] as number] = place;
  };
  const unmark = ({ voters }: TimedVotes): void => {
    for (let place = 0; place < voters.length; place += 1) placeOf[voters[place] as number] = -1;
  };

  /** Counts one ballot more (or less) for a remembered pair that cast it; whether they coincided on it. */
  const recount = (pair: number, ballot: TimedVotes, place: number, other: number, by: 1 | -1): boolean => {
    table.common[pair] = at(table.common, pair) + by;
    const voters = coincidentVoters(ballot, place, other);
    if (voters > 0) {
      table.coincidences[pair] = at(table.coincidences, pair) + by;
      table.surprise[pair] = at(table.surprise, pair) + by * surpriseUnits(ballot, voters, place);
    }
    table.excess[pair] = NaN;
    return voters > 0;
  };

  /** Remembers a pair if it has enough coincidences. */
  const consider = (voter: number, partner: number): void => {
    let coincidences = 0;
    let surprise = 0;
    const common = cast.forEachCommon(voter, partner, (order, place, other) => {
      const ballot = timedOf(order);
      const voters = coincidentVoters(ballot, place, other);
      if (voters === 0) return;
      coincidences += 1;
      surprise += surpriseUnits(ballot, voters, place);
    });
    if (coincidences >= coincidencesMin) remember(voter, partner, coincidences, common, surprise);
  };
  const remember = (voter: number, partner: number, j: number, m: number, surprise: number): void => {
    const pair = addPair(table, voter, partner);
    table.coincidences[pair] = j;
    table.common[pair] = m;
    table.surprise[pair] = surprise;
    table.excess[pair] = NaN;
  };

  /** Considers those in the window of a vote who are not remembered with its voter. */
  const meet = (ballot: TimedVotes, place: number): void => {
    const voter = at(ballot.voters, place);
    if (cast.countOf(voter) < coincidencesMin || windowVoters(ballot, place) > windowVotersMax) return;
    for (let other = at(ballot.from, place); other < at(ballot.to, place); other += 1) {
      const partner = at(ballot.voters, other);
      if (partner <= voter || seen[partner] === stamp || coincidentVoters(ballot, place, other) === 0)
        continue;
      if (cast.countOf(partner) >= coincidencesMin) consider(voter, partner);
    }
  };

  const enter = (order: number, ballot: TimedVotes): void => {
    timed[order] = ballot;
    list(order, ballot);
    mark(ballot);
    for (let place = 0; place < ballot.voters.length; place += 1) {
      const voter = ballot.voters[place] as number;
      stamp += 1;
      for (let pair = at(table.first, voter); pair >= 0; pair = at(table.next, pair)) {
        const partner = at(table.partner, pair);
        const other = at(placeOf, partner);
        if (other >= 0 && recount(pair, ballot, place, other, 1)) seen[partner] = stamp;
      }
      meet(ballot, place);
    }
    unmark(ballot);
  };

  const leave = (order: number): void => {
    const ballot = timedOf(order);
    timed[order] = undefined;
    const { voters } = ballot;
    for (let place = 0; place < voters.length; place += 1) {
      const voter = voters[place] as number;
      cast.remove(voter, order);
      if (cast.countOf(voter) === 0) timedVoters -= 1;
    }
    mark(ballot);
    for (let place = 0; place < voters.length; place += 1) {
      const voter = voters[place] as number;
      let before = -1;
      for (let pair = at(table.first, voter); pair >= 0; ) {
        const next = at(table.next, pair);
        const other = at(placeOf, at(table.partner, pair));
        if (other >= 0) recount(pair, ballot, place, other, -1);
        if (at(table.coincidences, pair) < coincidencesMin) dropPair(table, pair, before);
        else before = pair;
        pair = next;
      }
    }
    unmark(ballot);
  };

  const refill: FramePairs["refill"] = (ballots) => {
    clearPairs(table);
    cast.clear();
    timed.length = 0;
    timedVoters = 0;
    for (const { order, ballot } of ballots) {
      timed[order] = ballot;
      list(order, ballot);
    }
    findPairs({ votersCount, cast, timedOf, remember });
  };

  const exactSurprise = (voter: number, partner: number): number => {
    let surprise = 0;
    cast.forEachCommon(voter, partner, (order, place, other) => {
      const ballot = timedOf(order);
      const voters = coincidentVoters(ballot, place, other);
      if (voters === 0) return;
      surprise = surprise - Math.log(voters / (ballot.voters.length - 1)) + at(ballot.choiceSurprises, place);
    });
    return surprise;
  };

  return { table, enter, leave, refill, votersCount: () => timedVoters, exactSurprise };
}

/** Every pair with enough coincidences on the ballots listed, voter by voter. */
function findPairs(input: {
  readonly votersCount: number;
  readonly cast: VotesByVoter;
  readonly timedOf: (order: number) => TimedVotes;
  readonly remember: (voter: number, partner: number, j: number, m: number, surprise: number) => void;
}): void {
  const { votersCount, cast, timedOf, remember } = input;
  const coincidences = new Int32Array(votersCount);
  const surprises = new Float64Array(votersCount);
  for (let voter = 0; voter < votersCount; voter += 1) {
    // A pair needs three coincidences, so a voter of two proposals has no partner.
    if (cast.countOf(voter) < coincidencesMin) continue;
    const partners: number[] = [];
    cast.forEach(voter, (order, place) => {
      const ballot = timedOf(order);
      if (windowVoters(ballot, place) > windowVotersMax) return;
      for (let other = at(ballot.from, place); other < at(ballot.to, place); other += 1) {
        const partner = at(ballot.voters, other);
        const voters = partner <= voter ? 0 : coincidentVoters(ballot, place, other);
        if (voters === 0) continue;
        if (coincidences[partner] === 0) partners.push(partner);
        coincidences[partner] = at(coincidences, partner) + 1;
        surprises[partner] = at(surprises, partner) + surpriseUnits(ballot, voters, place);
      }
    });
    for (const partner of partners) {
      const j = at(coincidences, partner);
      if (j >= coincidencesMin) {
        const m = cast.forEachCommon(voter, partner, () => undefined);
        remember(voter, partner, j, m, at(surprises, partner));
      }
      coincidences[partner] = 0;
      surprises[partner] = 0;
    }
  }
}
