import type { BallotVotes } from "./ballot-votes.ts";
import { concentration } from "./decentralization.ts";
import { headWeight } from "./heads.ts";
import type { Concentration } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";

/** The heads that voted on one ballot, each once and in no order to rely on, as one way of merging voters makes them. */
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

/** `undefined` where all weigh fully. */
function weightsOf(shares: Float64Array): Float64Array | undefined {
  const { fullHeadShare } = METHODOLOGY.votes;
  let least = Infinity;
  for (let place = 0; place < shares.length; place += 1) least = Math.min(least, shares[place] as number);
  return least >= 2 * fullHeadShare ? undefined : partialWeightsOf(shares);
}

function partialWeightsOf(shares: Float64Array): Float64Array | undefined {
  const weights = shares.map(headWeight);
  return weights.every((weight) => weight === 1) ? undefined : weights;
}

/** A memory of no ballot, for voters who are all alone. */
export function createBallotHeadsMemory(votersCount: number): BallotHeadsMemory {
  let headOfVoter: Int32Array = new Int32Array(votersCount).map((_, voter) => voter);
  let known = new Map<BallotVotes, BallotHeads>();
  const placeOfHead = new Int32Array(votersCount);

  const isAsBefore = ({ voters }: BallotVotes, next: Int32Array): boolean => {
    for (let vote = 0; vote < voters.length; vote += 1) {
      const voter = voters[vote] as number;
      if (headOfVoter[voter] !== next[voter]) return false;
    }
    return true;
  };

  const mergeVotes = ({ voters, shares }: BallotVotes): BallotHeads => {
    const heads = new Int32Array(voters.length);
    const sums = new Float64Array(voters.length);
    let count = 0;
    // Votes come in ascending power, so every sum is a sorted one.
    // Once for every vote; voters and heads are inside of their columns.
    for (let vote = 0; vote < voters.length; vote += 1) {
      const head = headOfVoter[voters[vote] as number] as number;
      const place = placeOfHead[head] as number;
      const share = shares === undefined ? 0 : (shares[vote] as number);
      // A place is this ballot's own only where the same head stands there.
      if (place < count && heads[place] === head) sums[place] = (sums[place] as number) + share;
      else {
        placeOfHead[head] = count;
        heads[count] = head;
        sums[count] = share;
        count += 1;
      }
    }
    const ofHeads = sums.subarray(0, count);
    const weights = shares === undefined ? undefined : weightsOf(ofHeads);
    const own = heads.subarray(0, count);
    return {
      // Nothing hangs on their order, and columns by head are read faster from front to back.
      heads: weights === undefined ? own.sort() : own,
      weights,
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
