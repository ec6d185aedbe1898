import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, countUpTo } from "../method/statistics.ts";
import { largestVoters } from "./largest-voters.ts";
import { compareVotes, type VoterVotes } from "./voter-votes.ts";

const { from: FROM, span: SPAN, doubt: DOUBT, equalWithin: EQUAL_WITHIN } = METHODOLOGY.alikeness;

/** Which voters vote like a larger one and may be parts of it. */
export interface Alikeness {
  /** By voter: its rank among the 100 largest, from 0, or −1. */
  readonly rankOfVoter: Int32Array;
  readonly ranksCount: number;
  /** By voter: the rank of the larger voter that receives its share, or −1. */
  readonly receiverOf: Int32Array;
  /** By voter: the part of its share that it passes on (μ), 0–1. */
  readonly partOf: Float64Array;
}

/** A voter with at most this many votes is alike to nobody: even if all of them match, `doubt` keeps J at one half. */
const FEWEST_VOTES = (FROM * DOUBT) / (1 - FROM);

/** The Σω that `same` must exceed if at least one of the two voters attended `attended`. */
function leastSame(attended: number): number {
  return FROM * (attended + DOUBT);
}

/** Sums per voter over a frame; for the next frame, only voters on ballots whose attention changed are summed again. */
function createRecords({ ballots, starts, ballotOf, shares }: VoterVotes) {
  /** Σ ω·s in billionths, and Σ ω of the ballots it voted on. */
  const sizes = new Float64Array(starts.length - 1);
  const attended = new Float64Array(sizes.length);
  const isChanged = new Uint8Array(sizes.length);
  const last = new Float64Array(ballots.length);
  // Runs for every vote; all indexes exist.
  const addUp = (voter: number, attentions: Float64Array): void => {
    const end = starts[voter + 1] as number;
    let size = 0;
    let attendedBallots = 0;
    for (let vote = starts[voter] as number; vote < end; vote += 1) {
      const attention = attentions[ballotOf[vote] as number] as number;
      size += attention * (shares[vote] as number);
      attendedBallots += attention;
    }
    // Rounded to multiples of 1e-9, so that rounding errors do not order equally large voters.
    sizes[voter] = Math.round(size / EQUAL_WITHIN);
    attended[voter] = attendedBallots;
  };
  return {
    sizes,
    attended,
    /** By voter: 1 if it voted on a ballot whose attention changed since the last frame. */
    isChanged,
    update(attentions: Float64Array): void {
      isChanged.fill(0);
      ballots.forEach(({ voters }, ballot) => {
        if (attentions[ballot] === last[ballot]) return;
        for (let index = 0; index < voters.length; index += 1) {
          const voter = voters[index] as number;
          if (isChanged[voter] === 0) addUp(voter, attentions);
          isChanged[voter] = 1;
        }
      });
      last.set(attentions);
    },
  };
}

/** The largest voters that pass `isIn`, in ascending order of the attention of their ballots. */
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
    attended: Float64Array.from(sorted, (other) => other.attended),
  };
}

/**
 * Finds voters that may be one voter split over several wallets, in consecutive frames: J = same/(either + 5), where
 * `same` is Σω·agreement over the ballots on which both voted, and `either` is Σω of those on which at least one did.
 * A voter passes the part clamp((J − .5)/.2) of its share to the most alike of the larger voters among the 100 largest,
 * in a tie to the largest. Labelled voters pass nothing, so two labelled entities never merge, not even through a third.
 *
 * `attentions` holds ω per ballot, 0 outside the frame. Returns `undefined` if nobody passes anything; a result is valid
 * until the next call. Two voters are compared again only if one of them voted on a ballot whose attention changed;
 * otherwise their alikeness cannot have changed.
 */
export function createAlikeFinder(
  votes: VoterVotes,
  isLabelled: (voter: number) => boolean,
): (attentions: Float64Array) => Alikeness | undefined {
  const records = createRecords(votes);
  const { sizes, attended, isChanged } = records;
  const { starts } = votes;
  const compared = Int32Array.from(sizes.keys()).filter(
    (voter) => (starts[voter + 1] as number) - (starts[voter] as number) > FEWEST_VOTES,
  );
  const rankOfVoter = new Int32Array(sizes.length).fill(-1);
  const receiverOf = new Int32Array(sizes.length).fill(-1);
  const partOf = new Float64Array(sizes.length);
  let largest: readonly number[] = [];
  let passing: number[] = [];

  return (attentions) => {
    records.update(attentions);
    const wereLargest = new Set(largest);
    const ballots = votes.ballots.filter((_, index) => (attentions[index] as number) > 0);
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
    // Voters that are or were among the largest have other candidates now; those that passed must be judged again.
    for (const voter of [...largest, ...wereLargest, ...passing]) isChanged[voter] = 1;
    for (const voter of passing) {
      receiverOf[voter] = -1;
      partOf[voter] = 0;
    }
    passing = [];
    const alikeness = new Float64Array(largest.length);
    for (const voter of compared) {
      const ownAttended = attended[voter] as number;
      const ownLeast = leastSame(ownAttended);
      // Votes too rarely to be part of anybody, or must not pass.
      if (ownAttended <= ownLeast || isLabelled(voter)) continue;
      const ownRank = rankOfVoter[voter] as number;
      const larger = ownRank < 0 ? largest.length : ownRank;
      const others = isChanged[voter] === 1 ? all : changed;
      let most = 0;
      // `same` is at most the smaller, `either` at least the larger of what the two attended.
      for (let place = countUpTo(others.attended, ownLeast); place < others.ranks.length; place += 1) {
        const rank = others.ranks[place] as number;
        const other = others.attended[place] as number;
        const least = leastSame(Math.max(ownAttended, other));
        if (ownAttended <= least) break;
        if (rank >= larger) continue;
        const candidate = largest[rank] as number;
        const agreement = compareVotes(votes, attentions, voter, candidate);
        if (agreement.same <= least) continue;
        if (most === 0) alikeness.fill(0);
        const likeness = agreement.same / (ownAttended + other - agreement.both + DOUBT);
        alikeness[rank] = likeness;
        if (likeness > most) most = likeness;
      }
      const part = clamp((most - FROM) / SPAN);
      if (part === 0) continue;
      passing.push(voter);
      // The first within rounding of the maximum, that is the largest voter.
      receiverOf[voter] = alikeness.findIndex((likeness) => likeness >= most - EQUAL_WITHIN);
      partOf[voter] = part;
    }
    return passing.length > 0 ? { rankOfVoter, ranksCount: largest.length, receiverOf, partOf } : undefined;
  };
}
