import { METHODOLOGY } from "../method/methodology.ts";
import { clamp } from "../method/statistics.ts";
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

/**
 * The ranks that a voter could pass to: larger ones that were there often enough. At most what the one attended who
 * attended less is the same, at least what the other attended is either: so both must exceed half of each other.
 */
function ranksInReach(
  attended: number,
  attendedOfRank: Float64Array,
  ownRank: number,
  ranks: Int32Array,
): number {
  const least = RULES.from * (attended + RULES.doubt);
  const most = attended / RULES.from - RULES.doubt;
  const end = ownRank < 0 ? attendedOfRank.length : ownRank;
  let count = 0;
  for (let rank = 0; rank < end; rank += 1) {
    const other = attendedOfRank[rank] as number;
    if (other <= least || other >= most) continue;
    ranks[count] = rank;
    count += 1;
  }
  return count;
}

/** Who votes often enough to be a piece of anybody, and is no labelled entity. */
function possibleGivers(
  attended: Float64Array,
  attendedOfRank: Float64Array,
  rankOfVoter: Int32Array,
  isLabelled: (voter: number) => boolean,
): readonly number[] {
  const ranks = new Int32Array(attendedOfRank.length);
  const givers: number[] = [];
  for (let voter = 0; voter < attended.length; voter += 1) {
    const own = attended[voter] as number;
    if (own <= RULES.from * (own + RULES.doubt)) continue;
    if (ranksInReach(own, attendedOfRank, rankOfVoter[voter] as number, ranks) === 0) continue;
    if (!isLabelled(voter)) givers.push(voter);
  }
  return givers;
}

/** The votes of some voters, one voter after another. */
function votesByVoter(ballots: readonly WeighedBallot[], voters: readonly number[], records: Records) {
  const indexOf = new Int32Array(records.sizes.length).fill(-1);
  const starts = new Int32Array(voters.length + 1);
  voters.forEach((voter, index) => {
    indexOf[voter] = index;
    starts[index + 1] = (starts[index] as number) + (records.votes[voter] as number);
  });
  const next = starts.slice();
  const ballotOf = new Int32Array(starts[voters.length] as number);
  const choiceOf = new Uint32Array(ballotOf.length);
  ballots.forEach(({ ballot }, at) => {
    for (let place = 0; place < ballot.voters.length; place += 1) {
      const index = indexOf[ballot.voters[place] as number] as number;
      if (index < 0) continue;
      const vote = next[index] as number;
      next[index] = vote + 1;
      ballotOf[vote] = at;
      choiceOf[vote] = ballot.choices[place] as number;
    }
  });
  return { starts, ballotOf, choiceOf };
}

/** By ballot and rank: the choice of one of the largest voters, or −1. */
function choicesByRank(ballots: readonly WeighedBallot[], rankOfVoter: Int32Array, ranks: number) {
  const choices = new Int32Array(ballots.length * ranks).fill(-1);
  ballots.forEach(({ ballot }, at) => {
    for (let place = 0; place < ballot.voters.length; place += 1) {
      const rank = rankOfVoter[ballot.voters[place] as number] as number;
      if (rank >= 0) choices[at * ranks + rank] = ballot.choices[place] as number;
    }
  });
  return choices;
}

/** What voters are compared with: attention by ballot, choice by ballot and rank. */
interface Compared {
  readonly attentions: Float64Array;
  readonly choices: Int32Array;
  readonly ranksCount: number;
}

/** Σω of the ballots on which a voter and each of some ranks both voted, or both made the same choice. */
function shareBallots(
  { starts, ballotOf, choiceOf }: ReturnType<typeof votesByVoter>,
  index: number,
  { attentions, choices, ranksCount }: Compared,
  ranks: Int32Array,
  isSameOnly: boolean,
): Float64Array {
  const shared = new Float64Array(ranks.length);
  const end = starts[index + 1] as number;
  for (let vote = starts[index] as number; vote < end; vote += 1) {
    const at = ballotOf[vote] as number;
    const attention = attentions[at] as number;
    const choice = choiceOf[vote] as number;
    const row = at * ranksCount;
    for (let each = 0; each < ranks.length; each += 1) {
      const other = choices[row + (ranks[each] as number)] as number;
      if (isSameOnly ? other === choice : other >= 0) shared[each] = (shared[each] as number) + attention;
    }
  }
  return shared;
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
  const ranks = new Int32Array(largest.length);
  const givers = possibleGivers(attended, attendedOfRank, rankOfVoter, isLabelled);
  if (givers.length === 0) return undefined;

  const votes = votesByVoter(ballots, givers, records);
  const compared = {
    attentions: Float64Array.from(ballots, ({ attention }) => attention),
    choices: choicesByRank(ballots, rankOfVoter, largest.length),
    ranksCount: largest.length,
  };
  const receiverOf = new Int32Array(votersCount).fill(-1);
  const partOf = new Float64Array(votersCount);
  let isAnyAlike = false;
  for (let index = 0; index < givers.length; index += 1) {
    const voter = givers[index] as number;
    const own = attended[voter] as number;
    const reach = ranksInReach(own, attendedOfRank, rankOfVoter[voter] as number, ranks);
    const inReach = ranks.subarray(0, reach);
    const sameOf = shareBallots(votes, index, compared, inReach, true);
    // Nearly nobody is left here: at least what the one attended who attended more is either.
    const near = inReach.filter((rank, at) => {
      const either = Math.max(own, attendedOfRank[rank] as number);
      return (sameOf[at] as number) > RULES.from * (either + RULES.doubt);
    });
    if (near.length === 0) continue;
    const same = shareBallots(votes, index, compared, near, true);
    const both = shareBallots(votes, index, compared, near, false);
    const alikeness = Float64Array.from(near, (rank, at) => {
      const either = own + (attendedOfRank[rank] as number) - (both[at] as number);
      return (same[at] as number) / (either + RULES.doubt);
    });
    const most = alikeness.reduce((one, other) => Math.max(one, other), 0);
    const part = clamp((most - RULES.from) / RULES.span);
    if (part === 0) continue;
    isAnyAlike = true;
    // Largest first: what is more by no more than rounding is equal.
    const first = alikeness.findIndex((each) => each >= most - RULES.equalWithin);
    receiverOf[voter] = near[first] as number;
    partOf[voter] = part;
  }
  return isAnyAlike ? { rankOfVoter, ranksCount: largest.length, receiverOf, partOf } : undefined;
}
