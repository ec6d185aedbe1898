import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, countUpTo } from "../method/statistics.ts";
import { largestVoters } from "./largest-voters.ts";
import { createVoteComparer, type VoterVotes } from "./voter-votes.ts";

const { from: FROM, span: SPAN, doubt: DOUBT, equalWithin: EQUAL_WITHIN } = METHODOLOGY.alikeness;

/** Who may be a piece of whom: voters that vote as a larger one does. */
export interface Alikeness {
  /** By voter: its rank among the 100 largest, from 0, or −1. */
  readonly rankOfVoter: Int32Array;
  readonly ranksCount: number;
  /** By voter: the rank of the larger voter it passes to, or −1. */
  readonly receiverOf: Int32Array;
  /** By voter: the part of its share that it passes (μ), 0–1. */
  readonly partOf: Float64Array;
}

/** Who has no more votes cannot be alike to anybody: all of them the same would not be more than half, with the doubt. */
const FEWEST_VOTES = (FROM * DOUBT) / (1 - FROM);

/** What `same` must exceed where either of two attended so much. */
function leastSame(attended: number): number {
  return FROM * (attended + DOUBT);
}

/** What is added up of each voter over one frame after another: anew only of those who voted where attention changed. */
function createRecords({ ballots, starts, ballotOf, shares }: VoterVotes) {
  /** Σ ω·s in billionths, and Σ ω of the ballots it voted on. */
  const sizes = new Float64Array(starts.length - 1);
  const attended = new Float64Array(sizes.length);
  const isChanged = new Uint8Array(sizes.length);
  const last = new Float64Array(ballots.length);
  // Runs for every vote; votes and voters lie in their columns.
  const addUp = (voter: number, attentions: Float64Array): void => {
    const end = starts[voter + 1] as number;
    let size = 0;
    let own = 0;
    for (let vote = starts[voter] as number; vote < end; vote += 1) {
      const attention = attentions[ballotOf[vote] as number] as number;
      size += attention * (shares[vote] as number);
      own += attention;
    }
    // Whole numbers of 1e-9: equally large voters must not be told apart by what their sums round to.
    sizes[voter] = Math.round(size / EQUAL_WITHIN);
    attended[voter] = own;
  };
  return {
    sizes,
    attended,
    /** 1 for who voted where attention changed since the last frame. */
    isChanged,
    update(attentions: Float64Array): void {
      isChanged.fill(0);
      ballots.forEach(({ voters }, at) => {
        if (attentions[at] === last[at]) return;
        for (let place = 0; place < voters.length; place += 1) {
          const voter = voters[place] as number;
          if (isChanged[voter] === 0) addUp(voter, attentions);
          isChanged[voter] = 1;
        }
      });
      last.set(attentions);
    },
  };
}

/** The largest voters, or some of them, in ascending order of what they attended. */
function byAttended(
  largest: readonly number[],
  attended: Float64Array,
  isIn: (voter: number) => boolean = () => true,
) {
  const sorted = largest
    .map((voter, rank) => ({ voter, rank, attended: attended[voter] as number }))
    .filter(({ voter }) => isIn(voter))
    .sort((a, b) => a.attended - b.attended);
  return {
    ranks: Int32Array.from(sorted, ({ rank }) => rank),
    attended: Float64Array.from(sorted, (each) => each.attended),
  };
}

/**
 * Finds the voters that one could have split himself into, in one frame after another: J = same/(either + 5), where `same`
 * is Σω of the ballots on which two made the same choice, `either` of those on which at least one voted. A voter passes the
 * part clamp((J − .5)/.2) to the one of the 100 largest that is larger and most alike; of equals to the largest.
 * Who is labelled passes nothing: so no two labelled entities are merged, by way of a third neither.
 *
 * `attentions` by ballot: ω, 0 for those that are not in the frame. `undefined` where nobody passes anything; what is found
 * holds until the next frame. Costs a look at those who voted where attention changed; who voted often is compared with the
 * largest where either of them did, as two of whom neither did are as little alike as before.
 */
export function createAlikeFinder(
  votes: VoterVotes,
  isLabelled: (voter: number) => boolean,
): (attentions: Float64Array) => Alikeness | undefined {
  const records = createRecords(votes);
  const { sizes, attended, isChanged } = records;
  const comparer = createVoteComparer(votes, FEWEST_VOTES);
  const rankOfVoter = new Int32Array(sizes.length).fill(-1);
  const receiverOf = new Int32Array(sizes.length).fill(-1);
  const partOf = new Float64Array(sizes.length);
  let largest: readonly number[] = [];
  let passing: number[] = [];

  return (attentions) => {
    records.update(attentions);
    comparer.startFrame(attentions);
    const wereLargest = new Set(largest);
    const ballots = votes.ballots.filter((_, at) => (attentions[at] as number) > 0);
    largest = largestVoters(ballots, sizes, isLabelled);
    for (const voter of wereLargest) rankOfVoter[voter] = -1;
    largest.forEach((voter, rank) => {
      rankOfVoter[voter] = rank;
    });
    const all = byAttended(largest, attended);
    const changed = byAttended(
      largest,
      attended,
      (voter) => isChanged[voter] === 1 || !wereLargest.has(voter),
    );
    // Those who are or were among the largest are compared with others than before, and those who passed were alike.
    for (const voter of [...largest, ...wereLargest, ...passing]) isChanged[voter] = 1;
    for (const voter of passing) {
      receiverOf[voter] = -1;
      partOf[voter] = 0;
    }
    passing = [];
    const alikeness = new Float64Array(largest.length);
    for (let row = 0; row < comparer.voters.length; row += 1) {
      const voter = comparer.voters[row] as number;
      const own = attended[voter] as number;
      const ownLeast = leastSame(own);
      // Whoever votes too rarely to be a piece of anybody.
      if (own <= ownLeast || isLabelled(voter)) continue;
      const ownRank = rankOfVoter[voter] as number;
      const larger = ownRank < 0 ? largest.length : ownRank;
      const others = isChanged[voter] === 1 ? all : changed;
      let most = 0;
      // Same is at most what the one attended who attended less; either at least what the other did.
      for (let at = countUpTo(others.attended, ownLeast); at < others.ranks.length; at += 1) {
        const rank = others.ranks[at] as number;
        const other = others.attended[at] as number;
        const least = leastSame(Math.max(own, other));
        if (own <= least) break;
        if (rank >= larger) continue;
        const rival = largest[rank] as number;
        if (comparer.sameAtMost(voter, rival) <= least) continue;
        const found = comparer.compare(voter, rival);
        if (found.same <= least) continue;
        if (most === 0) alikeness.fill(0);
        const each = found.same / (own + other - found.both + DOUBT);
        alikeness[rank] = each;
        if (each > most) most = each;
      }
      const part = clamp((most - FROM) / SPAN);
      if (part === 0) continue;
      passing.push(voter);
      // Largest first: what is more by no more than rounding is equal.
      receiverOf[voter] = alikeness.findIndex((each) => each >= most - EQUAL_WITHIN);
      partOf[voter] = part;
    }
    return passing.length > 0 ? { rankOfVoter, ranksCount: largest.length, receiverOf, partOf } : undefined;
  };
}
