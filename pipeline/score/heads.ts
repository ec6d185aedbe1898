import { remember } from "../base/remember.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import type { FrameProposal } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";
import { clamp, sortedSum } from "./weighted-statistics.ts";

/** The heads that voted on one proposal, and the share of its power each of them cast. */
export interface HeadShares {
  readonly heads: Int32Array;
  /** By place in `heads`; `undefined` where power is unknown. */
  readonly shares: Float64Array | undefined;
}

/** How many heads voted, each by its weight. */
export interface HeadCount {
  /** Heads that voted in these proposals. */
  readonly heads: Int32Array;
  /** g, 0–1, by place in `heads`. */
  readonly weights: Float64Array;
  /** π: share of ω of the proposals on which it voted, by place in `heads`. */
  readonly attendance: Float64Array;
  /** Σ g over the heads that voted, by place in the proposals given. */
  readonly perProposal: Float64Array;
}

/** Merges the votes of one ballot by head. Votes come in ascending power, so every sum is a sorted one. */
export function sharesByHead(votes: BallotVotes, headOfVoter: Int32Array): HeadShares {
  return sharesOfBallots(headOfVoter)(votes);
}

/** Frames of neighbouring days hold the same ballots, and most DAOs the same heads: each is merged once. */
const sharesOfBallots = remember((headOfVoter: Int32Array) =>
  remember((votes: BallotVotes) => mergeByHead(votes, headOfVoter)),
);

function mergeByHead(votes: BallotVotes, headOfVoter: Int32Array): HeadShares {
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
export function headWeight(share: number | undefined): number {
  const { fullHeadShare, dustShare } = METHODOLOGY.votes;
  if (share === undefined) return 1;
  const floor = dustShare / fullHeadShare;
  return clamp((share / fullHeadShare - floor) / (1 - floor));
}

/** Counts heads over proposals; `headOfVoter` says which voters are one head. */
export function countHeads(members: readonly FrameProposal[], headOfVoter: Int32Array): HeadCount {
  const perMember = members.map((member) => sharesByHead(member.votes, headOfVoter));
  const attention = new Float64Array(headOfVoter.length);
  const weighted = new Float64Array(headOfVoter.length);
  let attentionSum = 0;
  members.forEach((member, index) => {
    const { heads, shares } = perMember[index] ?? { heads: new Int32Array(), shares: undefined };
    attentionSum += member.attention;
    heads.forEach((head, place) => {
      attention[head] = (attention[head] ?? 0) + member.attention;
      weighted[head] = (weighted[head] ?? 0) + member.attention * headWeight(shares?.[place]);
    });
  });
  const weightOf = (head: number): number => (weighted[head] ?? 0) / (attention[head] ?? 1);
  const heads = Int32Array.from(headOfVoter.keys()).filter((head) => (attention[head] ?? 0) > 0);
  return {
    heads,
    weights: Float64Array.from(heads, weightOf),
    attendance: Float64Array.from(heads, (head) => (attention[head] ?? 0) / attentionSum),
    perProposal: Float64Array.from(perMember, (shares) =>
      sortedSum(Float64Array.from(shares.heads, weightOf)),
    ),
  };
}
