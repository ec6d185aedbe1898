import { DAY_MS, dayStartMs } from "../base/days.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import type { BatchVoting } from "./batch-voting.ts";
import { topChoiceShare } from "./contestedness.ts";
import type { FrameProposal } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, weightedMean, weightedMedian } from "./weighted-statistics.ts";

const RULES = METHODOLOGY.deliberation;

/** The seven indicators of one proposal, each 0–1; `undefined` is a gap: not known, which is not a no. */
export type DeliberationIndicators = Readonly<Record<keyof typeof RULES.weights, number | undefined>>;

function discussionLink(discussion: string | undefined): number | undefined {
  if (discussion === undefined) return undefined;
  if (!URL.canParse(discussion)) return 0;
  const { protocol } = new URL(discussion);
  return protocol === "http:" || protocol === "https:" ? 1 : 0;
}

/** Days a vote was open; whole days where a source knows only days. */
export function votingPeriodDays({ start, end }: Proposal): number | undefined {
  if (start === undefined || end === undefined) return undefined;
  if (start.precision === "second" && end.precision === "second") return (end.atMs - start.atMs) / DAY_MS;
  return (dayStartMs(end.atMs) - dayStartMs(start.atMs)) / DAY_MS;
}

function reviewDelay({ created, start }: Proposal): number | undefined {
  if (created?.precision !== "second" || start?.precision !== "second") return undefined;
  return clamp((start.atMs - created.atMs) / DAY_MS / RULES.fullMarksReviewDays);
}

/** Elapsed part of the vote when half of the final power was in, of the votes whose time is known. */
export function halfPowerTime({ start, end }: Proposal, votes: BallotVotes): number | undefined {
  const { shares } = votes;
  if (shares === undefined || start?.precision !== "second" || end?.precision !== "second") return undefined;
  if (end.atMs <= start.atMs) return undefined;
  const halfInS = weightedMedian(
    [...votes.voters.keys()]
      .filter((place) => votes.isTimed[place] === 1)
      .map((place) => ({ value: votes.timesS[place] ?? 0, weight: shares[place] ?? 0 })),
  );
  if (halfInS === undefined) return undefined;
  return clamp((halfInS * 1000 - start.atMs) / (end.atMs - start.atMs));
}

function rationale(proposal: Proposal, votes: BallotVotes): number | undefined {
  if (proposal.isShutter || votes.reasonsCount === undefined || votes.voters.length === 0) return undefined;
  return clamp(votes.reasonsCount / votes.voters.length / RULES.fullMarksRationaleShare);
}

const mapped = (value: number | undefined, map: (known: number) => number): number | undefined =>
  value === undefined ? undefined : map(value);

/** What one proposal tells about deliberation. */
export function deliberationIndicators(
  proposal: Proposal,
  votes: BallotVotes,
  batch: BatchVoting,
): DeliberationIndicators {
  return {
    discussion: discussionLink(proposal.discussion),
    votingPeriod: mapped(votingPeriodDays(proposal), (days) =>
      clamp((days - RULES.votingPeriodFromDays) / RULES.votingPeriodSpanDays),
    ),
    reviewDelay: reviewDelay(proposal),
    contestedness: mapped(topChoiceShare(proposal, votes), (top) =>
      clamp((1 - top) / RULES.fullMarksDissentShare),
    ),
    rationale: rationale(proposal, votes),
    halfPowerTime: mapped(halfPowerTime(proposal, votes), (elapsed) => 4 * elapsed * (1 - elapsed)),
    notBatch: batch.overlappingCount === 0 ? undefined : 1 - batch.batchCount / batch.overlappingCount,
  };
}

/** Weighted mean (0–1) of the indicators present; `undefined` with less than half of the weight. */
export function presentMean<Key extends string>(
  weights: Readonly<Record<Key, number>>,
  indicators: Readonly<Record<NoInfer<Key>, number | undefined>>,
  presentShareMin: number,
): number | undefined {
  let weighted = 0;
  let present = 0;
  let all = 0;
  for (const key of Object.keys(weights) as Key[]) {
    const value = indicators[key];
    all += weights[key];
    if (value === undefined) continue;
    weighted += weights[key] * value;
    present += weights[key];
  }
  // Weights like .2 + .2 + .1 must count as half of 1, whatever they round to.
  return present >= all * presentShareMin - 1e-9 && present > 0 ? weighted / present : undefined;
}

/**
 * Proposal Deliberation Index (pdi): is there time, reason and room to disagree?
 *
 * Range: 0..10 points.
 * Unit: proposals; a mean over the frame, each weighted by ω.
 * Source: proposals and counted votes of the frame; batch voting against earlier open proposals.
 * Gap: no proposal has half of the indicators' weight. Single gaps drop out and the rest is renormalised.
 */
export function scoreDeliberation(
  members: readonly FrameProposal[],
  batchOf: (member: FrameProposal) => BatchVoting,
): ScoreOrGap {
  const measured = members.flatMap((member) => {
    const indicators = deliberationIndicators(member.proposal, member.votes, batchOf(member));
    const value = presentMean(RULES.weights, indicators, RULES.presentShareMin);
    return value === undefined ? [] : [{ value, weight: member.attention }];
  });
  const mean = weightedMean(measured);
  return mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean);
}
