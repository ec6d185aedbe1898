import type { BallotVotes } from "./ballot-votes.ts";
import { concentration } from "./decentralization.ts";
import { headWeight } from "./heads.ts";
import type { Concentration } from "./measures.ts";

/** The heads that voted on one ballot, as one way of merging voters makes them. */
export interface BallotHeads {
  readonly heads: Int32Array;
  /** Weight of each head on this ballot (0–1); `undefined` where all weigh fully. */
  readonly weights: Float64Array | undefined;
  /** Of the power of these heads; `undefined` where no power is known. */
  readonly concentration: Concentration | undefined;
}

/** The heads of ballots, merged once for as long as the voters of a ballot are merged the same way. */
export interface BallotHeadsMemory {
  /** From now on `headOfVoter` says which voters are one head. */
  merge(headOfVoter: Int32Array): void;
  of(votes: BallotVotes): BallotHeads;
}

/** A memory of no ballot, for voters who are all alone. */
export function createBallotHeadsMemory(votersCount: number): BallotHeadsMemory {
  let headOfVoter: Int32Array = Int32Array.from({ length: votersCount }, (_, voter) => voter);
  let known = new Map<BallotVotes, BallotHeads>();
  const placeOfHead = new Int32Array(votersCount);

  const isAsBefore = (votes: BallotVotes, next: Int32Array): boolean =>
    votes.voters.every((voter) => headOfVoter[voter] === next[voter]);

  const mergeVotes = ({ voters, shares }: BallotVotes): BallotHeads => {
    const heads = new Int32Array(voters.length);
    const sums = new Float64Array(voters.length);
    let count = 0;
    // Votes come in ascending power, so every sum is a sorted one.
    voters.forEach((voter, vote) => {
      const head = headOfVoter[voter] ?? voter;
      const place = placeOfHead[head] ?? 0;
      // A place is this ballot's own only where the same head stands there.
      if (place < count && heads[place] === head) sums[place] = (sums[place] ?? 0) + (shares?.[vote] ?? 0);
      else {
        placeOfHead[head] = count;
        heads[count] = head;
        sums[count] = shares?.[vote] ?? 0;
        count += 1;
      }
    });
    const ofHeads = sums.subarray(0, count);
    const weights = shares === undefined ? undefined : ofHeads.map(headWeight);
    return {
      heads: heads.slice(0, count),
      weights: weights?.every((weight) => weight === 1) ? undefined : weights,
      concentration: shares === undefined || count === 0 ? undefined : concentration(ofHeads),
    };
  };

  return {
    merge(next) {
      if (next === headOfVoter) return;
      known = new Map([...known].filter(([votes]) => isAsBefore(votes, next)));
      headOfVoter = next;
    },
    of(votes) {
      const found = known.get(votes) ?? mergeVotes(votes);
      known.set(votes, found);
      return found;
    },
  };
}
