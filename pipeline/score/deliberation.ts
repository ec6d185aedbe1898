import { remember } from "../base/remember.ts";
import { INDICATORS, type Indicator, indicator, withEffectiveWeights } from "./indicator.ts";
import { meanRows } from "./mean-rows.ts";
import type { DeliberationMeasures } from "./measure-deliberation.ts";
import type { MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { presentMeanOf } from "./present-mean.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { weightedMean } from "./weighted-statistics.ts";

const RULES = METHODOLOGY.deliberation;

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
export function scoreDeliberation(
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
