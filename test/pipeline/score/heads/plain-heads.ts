import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import { sharesByHead } from "../../../../pipeline/score/heads/heads.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { clamp, sortedSum } from "../../../../pipeline/score/method/statistics.ts";

// Heads counted anew for each frame, as the method says it and without a window.

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

function headWeight(share: number | undefined): number {
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

/** How many heads of these proposals have at least half weight. */
export function countActive(recent: readonly FrameProposal[], headOfVoter: Int32Array): number {
  return countHeads(recent, headOfVoter).weights.filter((weight) => weight >= 0.5).length;
}
