import type { VoterVotes } from "../frame/voter-votes.ts";

/** How voters voted beside the largest ones, by rank. One giver after another is loaded and compared. */
interface VoteComparer {
  load(giver: number): void;
  /** At least `same`: the ballots on which the choices could be the same, without a look at each vote. */
  sameAtMost(rank: number): number;
  /** Σω of the ballots on which both made the same choice, and of those on which both voted. */
  compareWith(rank: number): { readonly same: number; readonly both: number };
}

// All run for every vote of many voters; votes, ballots and words of 32 ballots lie in their columns.

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

/** Compares voters with the largest ones on the ballots with attention. */
export function createVoteComparer(
  { starts, ballotOf, choices }: VoterVotes,
  attentions: Float64Array,
  largest: readonly number[],
): VoteComparer {
  const first = attentions.findIndex((attention) => attention > 0);
  const span = 1 + attentions.findLastIndex((attention) => attention > 0) - first;
  const words = Math.ceil(span / 32);
  const own = emptyBits(words);
  const others = emptyBits(largest.length * words);
  /** By rank and ballot: the choice of one of the largest voters, or −1. */
  const othersChoices = new Int32Array(largest.length * span).fill(-1);
  largest.forEach((voter, rank) => {
    for (let vote = starts[voter] as number; vote < (starts[voter + 1] as number); vote += 1) {
      const ballot = ballotOf[vote] as number;
      if (attentions[ballot] === 0) continue;
      othersChoices[rank * span + ballot - first] = choices[vote] as number;
      setBits(others, rank * words, ballot - first, choices[vote] as number);
    }
  });
  let from = 0;
  let to = 0;
  return {
    load(giver) {
      for (const bits of [own.voted, own.last, own.second]) bits.fill(0);
      from = starts[giver] as number;
      to = starts[giver + 1] as number;
      for (let vote = from; vote < to; vote += 1) {
        const ballot = ballotOf[vote] as number;
        if ((attentions[ballot] as number) > 0) setBits(own, 0, ballot - first, choices[vote] as number);
      }
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
      let same = 0;
      let both = 0;
      for (let vote = from; vote < to; vote += 1) {
        const ballot = ballotOf[vote] as number;
        const attention = attentions[ballot] as number;
        if (attention === 0) continue;
        const other = othersChoices[rank * span + ballot - first] as number;
        if (other >= 0) both += attention;
        if (other === choices[vote]) same += attention;
      }
      return { same, both };
    },
  };
}
