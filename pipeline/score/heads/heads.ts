import { invariant } from "../../facts/errors.ts";
import type { CountedVotes } from "../frame/counted-votes.ts";
import type { Concentration } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, remember } from "../method/statistics.ts";

/** Concentration of power on one proposal; shares in any order, summing to 1 but for dust. Equal voters do not hang on rounding. */
export function concentration(shares: Float64Array): Concentration {
  invariant(shares.length > 0, "concentration of nobody's power");
  const ascending = shares.slice().sort();
  let squares = 0;
  for (const share of ascending) squares += share * share;
  const descending = ascending.reverse();
  const majority = 0.5 * (1 + METHODOLOGY.decentralization.majorityMargin);
  let held = 0;
  let nakamoto = 0;
  while (nakamoto < descending.length && held <= majority) {
    held += descending[nakamoto] ?? 0;
    nakamoto += 1;
  }
  let whaleShare = 0;
  for (const share of descending.subarray(0, METHODOLOGY.risk.whales)) whaleShare += share;
  return {
    effectiveVoters: 1 / squares,
    nakamoto,
    topShare: descending[0] ?? 0,
    whaleShare: Math.min(1, whaleShare),
  };
}

/** The heads that voted on one proposal, and the share of its power each of them cast. */
interface HeadShares {
  readonly heads: Int32Array;
  /** By place in `heads`; `undefined` where power is unknown. */
  readonly shares: Float64Array | undefined;
}

/** Merges the votes of one ballot by head. Votes come in ascending power, so every sum is a sorted one. */
export function sharesByHead(votes: CountedVotes, headOfVoter: Int32Array): HeadShares {
  return sharesOfVotes(headOfVoter)(votes);
}

/** Frames of neighbouring days hold the same ballots, and most DAOs the same heads: each is merged once. */
const sharesOfVotes = remember((headOfVoter: Int32Array) =>
  remember((votes: CountedVotes) => mergeByHead(votes, headOfVoter)),
);

function mergeByHead(votes: CountedVotes, headOfVoter: Int32Array): HeadShares {
  const placeOfHead = new Map<number, number>();
  const sums: number[] = [];
  votes.voters.forEach((voter, vote) => {
    const head = headOfVoter[voter] ?? voter;
    const place = placeOfHead.get(head) ?? sums.length;
    placeOfHead.set(head, place);
    sums[place] = (sums[place] ?? 0) + (votes.shares?.[vote] ?? 0);
  });
  return {
    heads: Int32Array.from(placeOfHead.keys()),
    shares: votes.shares === undefined ? undefined : Float64Array.from(sums),
  };
}

/** Weight of one head on one proposal: to fake a thousand people takes a thousandth of the power cast. */
function headWeight(share: number | undefined): number {
  const { fullHeadShare, dustShare } = METHODOLOGY.votes;
  if (share === undefined) return 1;
  const floor = dustShare / fullHeadShare;
  return clamp((share / fullHeadShare - floor) / (1 - floor));
}

/** The heads that voted on one ballot, each once and in no order to rely on, as one way of merging voters makes them. */
export interface VotesHeads {
  readonly heads: Int32Array;
  /** Weight of each head on this ballot (0–1); `undefined` where all weigh fully. */
  readonly weights: Float64Array | undefined;
  /** Of the power of these heads; `undefined` where no power is known. */
  readonly concentration: Concentration | undefined;
}

/** The heads of ballots, merged once for as long as the voters of a ballot are merged the same way. */
interface VotesHeadsMemory {
  /** From now on `headOfVoter` says which voters are one head. */
  merge(headOfVoter: Int32Array): void;
  of(votes: CountedVotes): VotesHeads;
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
export function createVotesHeadsMemory(votersCount: number): VotesHeadsMemory {
  let headOfVoter: Int32Array = new Int32Array(votersCount).map((_, voter) => voter);
  let known = new Map<CountedVotes, VotesHeads>();
  const placeOfHead = new Int32Array(votersCount);

  const isAsBefore = ({ voters }: CountedVotes, next: Int32Array): boolean => {
    for (let vote = 0; vote < voters.length; vote += 1) {
      const voter = voters[vote] as number;
      if (headOfVoter[voter] !== next[voter]) return false;
    }
    return true;
  };

  const mergeVotes = ({ voters, shares }: CountedVotes): VotesHeads => {
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
