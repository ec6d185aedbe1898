import type { WeighedBallot } from "./largest-voters.ts";

/** How some voters, the givers, voted beside the largest ones, by rank. One giver after another is loaded and compared. */
interface VoteComparer {
  load(giver: number): void;
  /** At least `same`: the ballots on which the choices could be the same, without a look at each vote. */
  sameAtMost(rank: number): number;
  /** Σω of the ballots on which both made the same choice, and of those on which both voted. */
  compareWith(rank: number): { readonly same: number; readonly both: number };
}

// All run for every vote of many voters; votes, ballots and words of 32 ballots lie in their columns.

/** The votes of some voters, one voter after another. */
function votesByVoter(ballots: readonly WeighedBallot[], voters: readonly number[], votesOf: Int32Array) {
  const indexOf = new Int32Array(votesOf.length).fill(-1);
  const starts = new Int32Array(voters.length + 1);
  voters.forEach((voter, index) => {
    indexOf[voter] = index;
    starts[index + 1] = (starts[index] as number) + (votesOf[voter] as number);
  });
  const next = starts.slice();
  const ballotOf = new Int32Array(starts[voters.length] as number);
  const choiceOf = new Uint32Array(ballotOf.length);
  for (let at = 0; at < ballots.length; at += 1) {
    const { ballot } = ballots[at] as WeighedBallot;
    for (let place = 0; place < ballot.voters.length; place += 1) {
      const index = indexOf[ballot.voters[place] as number] as number;
      if (index < 0) continue;
      const vote = next[index] as number;
      next[index] = vote + 1;
      ballotOf[vote] = at;
      choiceOf[vote] = ballot.choices[place] as number;
    }
  }
  return { starts, ballotOf, choiceOf };
}

/** By rank and ballot: the choice of one of the largest voters, or −1. */
function choicesByRank(ballots: readonly WeighedBallot[], rankOfVoter: Int32Array, ranks: number) {
  const choices = new Int32Array(ranks * ballots.length).fill(-1);
  for (let at = 0; at < ballots.length; at += 1) {
    const { ballot } = ballots[at] as WeighedBallot;
    for (let place = 0; place < ballot.voters.length; place += 1) {
      const rank = rankOfVoter[ballot.voters[place] as number] as number;
      if (rank >= 0) choices[rank * ballots.length + at] = ballot.choices[place] as number;
    }
  }
  return choices;
}

/** A bit for each ballot: whether somebody voted, and the last two bits of the choice. */
interface VoteBits {
  readonly voted: Int32Array;
  readonly last: Int32Array;
  readonly second: Int32Array;
}

function emptyBits(words: number): VoteBits {
  return { voted: new Int32Array(words), last: new Int32Array(words), second: new Int32Array(words) };
}

function setBits({ voted, last, second }: VoteBits, row: number, at: number, choice: number): void {
  const word = row + (at >>> 5);
  const bit = 1 << (at & 31);
  voted[word] = (voted[word] as number) | bit;
  if ((choice & 1) !== 0) last[word] = (last[word] as number) | bit;
  if ((choice & 2) !== 0) second[word] = (second[word] as number) | bit;
}

/** How many bits of a word are set: pairs added up side by side, then fours, then bytes. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Compares givers with the largest voters; `votesOf` counts the votes of each voter. */
export function createVoteComparer(
  ballots: readonly WeighedBallot[],
  input: {
    readonly givers: readonly number[];
    readonly votesOf: Int32Array;
    readonly largest: readonly number[];
    readonly rankOfVoter: Int32Array;
  },
): VoteComparer {
  const { givers, votesOf, largest, rankOfVoter } = input;
  const { starts, ballotOf, choiceOf } = votesByVoter(ballots, givers, votesOf);
  const choices = choicesByRank(ballots, rankOfVoter, largest.length);
  const attentions = Float64Array.from(ballots, ({ attention }) => attention);
  const words = Math.ceil(ballots.length / 32);
  const own = emptyBits(words);
  const others = emptyBits(largest.length * words);
  for (let rank = 0; rank < largest.length; rank += 1) {
    for (let at = 0; at < ballots.length; at += 1) {
      const choice = choices[rank * ballots.length + at] as number;
      if (choice >= 0) setBits(others, rank * words, at, choice);
    }
  }
  let from = 0;
  let to = 0;
  return {
    load(giver) {
      for (const bits of [own.voted, own.last, own.second]) bits.fill(0);
      from = starts[giver] as number;
      to = starts[giver + 1] as number;
      for (let vote = from; vote < to; vote += 1)
        setBits(own, 0, ballotOf[vote] as number, choiceOf[vote] as number);
    },
    sameAtMost(rank) {
      let count = 0;
      for (let word = 0; word < words; word += 1) {
        const other = rank * words + word;
        const both = (own.voted[word] as number) & (others.voted[other] as number);
        if (both === 0) continue;
        const last = (own.last[word] as number) ^ (others.last[other] as number);
        const second = (own.second[word] as number) ^ (others.second[other] as number);
        count += countBits(both & ~(last | second));
      }
      return count;
    },
    compareWith(rank) {
      const row = rank * ballots.length;
      let same = 0;
      let both = 0;
      for (let vote = from; vote < to; vote += 1) {
        const at = ballotOf[vote] as number;
        const attention = attentions[at] as number;
        const other = choices[row + at] as number;
        if (other >= 0) both += attention;
        if (other === choiceOf[vote]) same += attention;
      }
      return { same, both };
    },
  };
}
