import { remember } from "../base/remember.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import type { BatchVoting } from "./batch-voting.ts";
import type { FrameProposal } from "./frame.ts";
import { INDICATORS, type Indicator, indicator, withEffectiveWeights } from "./indicator.ts";
import { type DeliberationMeasures, measureDeliberation } from "./measure-deliberation.ts";
import type { MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { weightedMean } from "./weighted-statistics.ts";

const RULES = METHODOLOGY.deliberation;

/** The seven indicators of one proposal, each 0–1; `undefined` is a gap: not known, which is not a no. */
export type DeliberationIndicators = Readonly<Record<keyof typeof RULES.weights, number | undefined>>;

type BatchMeasures = Pick<MemberMeasures, "overlappingVotes" | "batchVotes">;

const mapped = (value: number | undefined, map: (known: number) => number): number | undefined =>
  value === undefined ? undefined : map(value);

/** The rows of one proposal: what was measured, and where it lies between its goalposts. */
export function deliberationRows(measures: DeliberationMeasures & BatchMeasures): readonly Indicator[] {
  const kinds = INDICATORS.pdi;
  const { hasDiscussionLink, votingPeriodDays: days, reviewDelayDays: delay } = measures;
  const { topChoiceShare: top, rationaleShare: reasons, elapsedAtHalfPower: elapsed } = measures;
  const { overlappingVotes, batchVotes } = measures;
  const linked = mapped(
    hasDiscussionLink === undefined ? undefined : Number(hasDiscussionLink),
    (one) => one,
  );
  const apart = overlappingVotes === 0 ? undefined : 1 - batchVotes / overlappingVotes;
  return [
    indicator(kinds.discussion, linked, linked),
    indicator(
      kinds.votingPeriod,
      days,
      mapped(days, (known) => (known - RULES.votingPeriodFromDays) / RULES.votingPeriodSpanDays),
    ),
    indicator(
      kinds.reviewDelay,
      delay,
      mapped(delay, (known) => known / RULES.fullMarksReviewDays),
    ),
    indicator(
      kinds.contestedness,
      top,
      mapped(top, (known) => (1 - known) / RULES.fullMarksDissentShare),
    ),
    indicator(
      kinds.rationale,
      reasons,
      mapped(reasons, (known) => known / RULES.fullMarksRationaleShare),
    ),
    indicator(
      kinds.halfPowerTime,
      elapsed,
      mapped(elapsed, (known) => 4 * known * (1 - known)),
    ),
    indicator(kinds.notBatch, apart, apart),
  ];
}

/** What one proposal tells about deliberation, as marks. */
export function deliberationIndicators(
  proposal: Proposal,
  votes: BallotVotes,
  batch: BatchVoting,
): DeliberationIndicators {
  const rows = deliberationRows({
    ...measureDeliberation(proposal, votes),
    overlappingVotes: batch.overlappingCount,
    batchVotes: batch.batchCount,
  });
  const keys = Object.keys(INDICATORS.pdi) as (keyof DeliberationIndicators)[];
  return Object.fromEntries(keys.map((key, place) => [key, rows[place]?.value])) as DeliberationIndicators;
}

/** Weighted mean (0–1) of the rows present; `undefined` with less than the given part of the weight. */
export function presentMeanOf(rows: readonly Indicator[], presentShareMin: number): number | undefined {
  const byId = <Value>(of: (row: Indicator) => Value) =>
    Object.fromEntries(rows.map((row) => [row.id, of(row)]));
  return presentMean(
    byId((row) => row.weight),
    byId((row) => row.value),
    presentShareMin,
  );
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

/** A member that is in hundreds of daily frames is the same object in most of them. */
const judged = remember((measures: DeliberationMeasures & BatchMeasures) => {
  const rows = deliberationRows(measures);
  return { value: presentMeanOf(rows, RULES.presentShareMin), rows: withEffectiveWeights(rows) };
});

/** PDI with what each indicator contributed. */
export interface Deliberation {
  readonly score: ScoreOrGap;
  readonly indicators: readonly Indicator[];
}

/** Mean (0–1) of one proposal; `undefined` with less than half of the weight known. */
export function deliberationValue(measures: DeliberationMeasures & BatchMeasures): number | undefined {
  return presentMeanOf(deliberationRows(measures), RULES.presentShareMin);
}

/**
 * Proposal Deliberation Index (pdi): is there time, reason and room to disagree?
 *
 * Range: 0..10 points.
 * Unit: proposals; a mean over the frame, each weighted by ω.
 * Source: proposals and counted votes of the frame; batch voting against earlier open proposals.
 * Gap: no proposal has half of the indicators' weight. Single gaps drop out and the rest is renormalised.
 */
export function scoreDeliberationMeasures(
  members: readonly (DeliberationMeasures & BatchMeasures & Pick<MemberMeasures, "attention">)[],
): Deliberation {
  const measured = members.flatMap((member) => {
    const { value, rows } = judged(member);
    return value === undefined ? [] : [{ value, weight: member.attention, rows }];
  });
  const mean = weightedMean(measured);
  return {
    score: mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean),
    indicators: meanRows(measured),
  };
}

/** Each indicator over proposals: means of what is known; by effective weights, so that the rows add up to the index. */
function meanRows(
  measured: readonly { readonly weight: number; readonly rows: readonly Indicator[] }[],
): readonly Indicator[] {
  const all = measured.reduce((sum, { weight }) => sum + weight, 0);
  return Object.values(INDICATORS.pdi).map((kind, place) => {
    let weights = 0;
    const sums = { raw: 0, position: 0, value: 0 };
    for (const { weight, rows } of measured) {
      const row = rows[place];
      if (row?.value === undefined) continue;
      const effective = weight * row.effectiveWeight;
      weights += effective;
      sums.raw += (row.raw ?? 0) * effective;
      sums.position += (row.position ?? 0) * effective;
      sums.value += row.value * effective;
    }
    const mean = (sum: number) => (weights > 0 ? sum / weights : undefined);
    return {
      ...kind,
      raw: mean(sums.raw),
      position: mean(sums.position),
      value: mean(sums.value),
      effectiveWeight: all > 0 ? weights / all : 0,
    };
  });
}

/**
 * PDI of members of a frame.
 *
 * Range: 0..10 points.
 * Unit: proposals.
 * Source: a frame, measured here and now.
 * Gap: as `scoreDeliberationMeasures`.
 */
export function scoreDeliberation(
  members: readonly FrameProposal[],
  batchOf: (member: FrameProposal) => BatchVoting,
): ScoreOrGap {
  return scoreDeliberationMeasures(
    members.map((member) => {
      const { overlappingCount, batchCount } = batchOf(member);
      return {
        ...measureDeliberation(member.proposal, member.votes),
        attention: member.attention,
        overlappingVotes: overlappingCount,
        batchVotes: batchCount,
      };
    }),
  ).score;
}
