import type { Ballot } from "../frame/ballot.ts";

/** The votes of some ballots as columns of equal length, grouped by voter and then sorted by ballot. */
export interface VoterVotes {
  readonly ballots: readonly Ballot[];
  /** By voter: its first vote. Has one more element, so that a voter's votes end where the next voter's begin. */
  readonly starts: Int32Array;
  /** This and the next three are by vote: the index of its ballot, its share, choice and c. */
  readonly ballotOf: Int32Array;
  readonly shares: Float64Array;
  readonly choices: Uint32Array;
  readonly capped: Float64Array;
  /** By ballot, then by index in it: the vote. */
  readonly votesOf: readonly Int32Array[];
}

/**
 * Groups votes by voter, once for all frames: summing one voter after another along columns takes a fraction of the time
 * of going ballot by ballot and jumping between voters. `ballots` by (end, id).
 */
export function collectVoterVotes(ballots: readonly Ballot[], votersCount: number): VoterVotes {
  const starts = new Int32Array(votersCount + 1);
  // Runs for every vote; all indexes exist.
  for (const { voters } of ballots) {
    for (let index = 0; index < voters.length; index += 1) {
      const after = (voters[index] as number) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
  }
  for (let voter = 0; voter < votersCount; voter += 1)
    starts[voter + 1] = (starts[voter + 1] as number) + (starts[voter] as number);
  const count = starts[votersCount] as number;
  const next = starts.slice();
  const ballotOf = new Int32Array(count);
  const shares = new Float64Array(count);
  const choices = new Uint32Array(count);
  const capped = new Float64Array(count);
  const votesOf = ballots.map((ballot, number) => {
    const votes = new Int32Array(ballot.voters.length);
    for (let index = 0; index < votes.length; index += 1) {
      const voter = ballot.voters[index] as number;
      const vote = next[voter] as number;
      next[voter] = vote + 1;
      votes[index] = vote;
      ballotOf[vote] = number;
      shares[vote] = ballot.shares[index] as number;
      choices[vote] = ballot.choices[index] as number;
      capped[vote] = ballot.capped[index] as number;
    }
    return votes;
  });
  return { ballots, starts, ballotOf, shares, choices, capped, votesOf };
}

// These functions run for every vote of many voters; all indexes exist. A word holds the bits of 32 ballots.

/** Counts the set bits of a word, in parallel: pairs, then fours, then bytes. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Bits per voter and ballot: whether the voter voted, and the last two bits of the choice; none of the choice where
 * different ones may agree in part.
 */
function createVoteBits({ ballots, starts, ballotOf, choices }: VoterVotes, voters: Int32Array) {
  const words = Math.ceil(ballots.length / 32);
  const voted = new Int32Array(words * voters.length);
  const last = new Int32Array(words * voters.length);
  const second = new Int32Array(words * voters.length);
  for (let row = 0; row < voters.length; row += 1) {
    const voter = voters[row] as number;
    for (let vote = starts[voter] as number; vote < (starts[voter + 1] as number); vote += 1) {
      const ballot = ballotOf[vote] as number;
      const choice = choices[vote] as number;
      const word = row * words + (ballot >>> 5);
      const bit = 1 << (ballot & 31);
      voted[word] = (voted[word] as number) | bit;
      if ((ballots[ballot] as Ballot).agreement !== undefined) continue;
      if ((choice & 1) !== 0) last[word] = (last[word] as number) | bit;
      if ((choice & 2) !== 0) second[word] = (second[word] as number) | bit;
    }
  }
  return { words, voted, last, second };
}

/** Compares pairs of voters on the ballots of consecutive frames. */
export function createVoteComparer(votes: VoterVotes, fewest: number) {
  const { ballots, starts, ballotOf, choices } = votes;
  const agreements = ballots.map(({ agreement }) => agreement);
  const counts = starts.subarray(1).map((end, voter) => end - (starts[voter] as number));
  const voters = Int32Array.from(counts.keys()).filter((voter) => (counts[voter] as number) > fewest);
  const rowOf = new Int32Array(counts.length).fill(-1);
  voters.forEach((voter, row) => {
    rowOf[voter] = row;
  });
  const { words, voted, last, second } = createVoteBits(votes, voters);
  let attentions: Float64Array = new Float64Array();
  const inFrame = new Int32Array(words);
  let firstWord = 0;
  let endWord = 0;
  return {
    /** The voters with more than `fewest` votes, ascending; nobody else is compared. */
    voters,
    /** Sets the attention per ballot for the next frame. */
    startFrame(given: Float64Array): void {
      attentions = given;
      inFrame.fill(0);
      attentions.forEach((attention, ballot) => {
        if (attention > 0) inFrame[ballot >>> 5] = (inFrame[ballot >>> 5] as number) | (1 << (ballot & 31));
      });
      firstWord = inFrame.findIndex((word) => word !== 0);
      endWord = 1 + inFrame.findLastIndex((word) => word !== 0);
    },
    /** A quick upper bound of `same`: counts the ballots on which the choices may agree, by their last two bits. */
    sameAtMost(one: number, other: number): number {
      const start = (rowOf[one] as number) * words;
      const others = (rowOf[other] as number) * words;
      let count = 0;
      for (let word = firstWord; word < endWord; word += 1) {
        const either = (voted[start + word] as number) & (voted[others + word] as number);
        const both = either & (inFrame[word] as number);
        if (both === 0) continue;
        const lasts = (last[start + word] as number) ^ (last[others + word] as number);
        const seconds = (second[start + word] as number) ^ (second[others + word] as number);
        count += countBits(both & ~(lasts | seconds));
      }
      return count;
    },
    /** Σω of the ballots on which both made the same choice, or of the part to which they agree; and where both voted. */
    compare(one: number, other: number): { readonly same: number; readonly both: number } {
      const end = starts[one + 1] as number;
      const otherEnd = starts[other + 1] as number;
      let otherVote = starts[other] as number;
      let same = 0;
      let both = 0;
      for (let vote = starts[one] as number; vote < end; vote += 1) {
        const ballot = ballotOf[vote] as number;
        while (otherVote < otherEnd && (ballotOf[otherVote] as number) < ballot) otherVote += 1;
        if (otherVote === otherEnd) break;
        if (ballotOf[otherVote] !== ballot) continue;
        const attention = attentions[ballot] as number;
        both += attention;
        if (choices[otherVote] === choices[vote]) same += attention;
        else {
          const agreement = agreements[ballot];
          if (agreement !== undefined)
            same += attention * agreement(choices[vote] as number, choices[otherVote] as number);
        }
      }
      return { same, both };
    },
  };
}
