import { METHODOLOGY } from "../method/methodology.ts";
import { clamp } from "../method/statistics.ts";
import { createVoteComparer } from "./compare-votes.ts";
import { largestVoters, type WeighedBallot } from "./largest-voters.ts";

const RULES = METHODOLOGY.alikeness;

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

/** What is added up of each voter over the frame. */
interface Records {
  /** Σ ω·s in billionths, and Σ ω of the ballots it voted on. */
  readonly sizes: Float64Array;
  readonly attended: Float64Array;
  readonly votes: Int32Array;
}

// All loops below run for every vote of the frame; places lie in a ballot's columns, voters in those of the DAO.

function addUpRecords(ballots: readonly WeighedBallot[], votersCount: number): Records {
  const sizes = new Float64Array(votersCount);
  const attended = new Float64Array(votersCount);
  const votes = new Int32Array(votersCount);
  for (const { ballot, attention } of ballots) {
    const { voters, shares } = ballot;
    for (let place = 0; place < voters.length; place += 1) {
      const voter = voters[place] as number;
      sizes[voter] = (sizes[voter] as number) + attention * (shares[place] as number);
      attended[voter] = (attended[voter] as number) + attention;
      votes[voter] = (votes[voter] as number) + 1;
    }
  }
  // Whole numbers of 1e-9: equally large voters must not be told apart by what their sums round to.
  for (let voter = 0; voter < votersCount; voter += 1)
    sizes[voter] = Math.round((sizes[voter] as number) / RULES.equalWithin);
  return { sizes, attended, votes };
}

/** Who votes often enough to be a piece of anybody, and is no labelled entity. */
function possibleGivers(attended: Float64Array, isLabelled: (voter: number) => boolean): readonly number[] {
  const givers: number[] = [];
  for (let voter = 0; voter < attended.length; voter += 1) {
    const own = attended[voter] as number;
    if (own > RULES.from * (own + RULES.doubt) && !isLabelled(voter)) givers.push(voter);
  }
  return givers;
}

/**
 * Finds the voters that one could have split himself into: J = same/(either + 5), where `same` is Σω of the ballots on
 * which two made the same choice, `either` of those on which at least one voted. A voter passes the part
 * clamp((J − .5)/.2) to the one of the 100 largest that is larger and most alike; of equals to the largest.
 * Who is labelled passes nothing: so no two labelled entities are merged, by way of a third neither.
 *
 * `undefined` where nobody passes anything. Costs a look at each vote, and at the largest voters for those who voted often.
 */
export function findAlike(
  ballots: readonly WeighedBallot[],
  votersCount: number,
  isLabelled: (voter: number) => boolean,
): Alikeness | undefined {
  const records = addUpRecords(ballots, votersCount);
  const { attended } = records;
  const largest = largestVoters(ballots, records.sizes, isLabelled);
  const rankOfVoter = new Int32Array(votersCount).fill(-1);
  largest.forEach((voter, rank) => {
    rankOfVoter[voter] = rank;
  });
  const attendedOfRank = Float64Array.from(largest, (voter) => attended[voter] as number);
  const givers = possibleGivers(attended, isLabelled);
  if (givers.length === 0) return undefined;

  const comparer = createVoteComparer(ballots, { givers, votesOf: records.votes, largest, rankOfVoter });
  const receiverOf = new Int32Array(votersCount).fill(-1);
  const partOf = new Float64Array(votersCount);
  const alikeness = new Float64Array(largest.length);
  let isAnyAlike = false;
  for (let index = 0; index < givers.length; index += 1) {
    const voter = givers[index] as number;
    const own = attended[voter] as number;
    const ownRank = rankOfVoter[voter] as number;
    const larger = ownRank < 0 ? largest.length : ownRank;
    let most = 0;
    comparer.load(index);
    for (let rank = 0; rank < larger; rank += 1) {
      alikeness[rank] = 0;
      const other = attendedOfRank[rank] as number;
      // Either is at least what the one attended who attended more, and same must exceed half of it with the doubt.
      const least = RULES.from * (Math.max(own, other) + RULES.doubt);
      if (Math.min(own, other) <= least || comparer.sameAtMost(rank) <= least) continue;
      const found = comparer.compareWith(rank);
      if (found.same <= least) continue;
      const each = found.same / (own + other - found.both + RULES.doubt);
      alikeness[rank] = each;
      if (each > most) most = each;
    }
    const part = clamp((most - RULES.from) / RULES.span);
    if (part === 0) continue;
    isAnyAlike = true;
    // Largest first: what is more by no more than rounding is equal.
    receiverOf[voter] = alikeness.findIndex((each) => each >= most - RULES.equalWithin);
    partOf[voter] = part;
  }
  return isAnyAlike ? { rankOfVoter, ranksCount: largest.length, receiverOf, partOf } : undefined;
}
