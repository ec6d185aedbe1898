import { attentionOf } from "../method/attention.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import { INDICATORS, type Indicator, indicator } from "../method/indicators.ts";
import type { Concentration, MemberMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { medianOver } from "../method/statistics.ts";

/** Concentration over the frame: weighted medians, and how often one head held more than half. */
export interface Decentralization {
  readonly score: ScoreOrGap;
  readonly medianNakamoto: number | undefined;
  readonly medianWhaleShare: number | undefined;
  /** q: share of ω where one human-equivalent held more than half. */
  readonly dominatedShare: number | undefined;
}
/** The same with the indicators that the score is made of. */
export interface ScoredDecentralization extends Decentralization {
  readonly indicators: readonly Indicator[];
}
/** What DEI is made of. */
type DecentralizationMeasures = readonly Pick<MemberMeasures, "attention" | "concentration">[];
/** The indicators of one set of medians: logarithms of effective voters and Nakamoto heads, and the top share. */
export function decentralizationIndicators(
  medians: Partial<Pick<Concentration, "effectiveVoters" | "nakamoto" | "topShare">>,
): readonly Indicator[] {
  const { fullMarksEffectiveVoters, fullMarksNakamoto, fullMarksTopShare, noMarksTopShare } =
    METHODOLOGY.decentralization;
  const { effectiveVoters, nakamoto, topShare } = medians;
  const known = (raw: number | undefined, position: (value: number) => number) =>
    raw === undefined ? undefined : position(raw);
  const kinds = INDICATORS.dei;
  return [
    indicator(
      kinds.effectiveVoters,
      effectiveVoters,
      known(effectiveVoters, (n) => Math.log(n) / Math.log(fullMarksEffectiveVoters)),
    ),
    indicator(
      kinds.nakamoto,
      nakamoto,
      known(nakamoto, (k) => Math.log(k) / Math.log(fullMarksNakamoto)),
    ),
    indicator(
      kinds.topShare,
      topShare,
      known(topShare, (top) => 1 - (top - fullMarksTopShare) / (noMarksTopShare - fullMarksTopShare)),
    ),
  ];
}
/** Points (0–10) by the values (0–1) of the indicators of decentralisation. */
export function decentralizationPoints(effective: number, majority: number, top: number): number {
  return (10 * (effective + majority + top)) / 3;
}
/** The values (0–1) of the three indicators; 0 for a gap. */
export function valuesOf(
  indicators: readonly Indicator[],
): readonly [effective: number, majority: number, top: number] {
  const [effective, majority, top] = indicators;
  return [effective?.value ?? 0, majority?.value ?? 0, top?.value ?? 0];
}
/**
 * Decentralization Index (dei): who decides, judged by the power that was cast.
 *
 * Range: 0..10 points; one voter 0, 200 equal voters 10.
 * Unit: shares of one proposal's power per human-equivalent; weighted medians over the frame.
 * Source: counted votes with known power.
 * Gap: no proposal of the frame has known power.
 */
export function scoreDecentralization(members: DecentralizationMeasures): ScoredDecentralization {
  const median = (of: (measure: Concentration) => number): number | undefined =>
    medianOver(members, ({ concentration: found }) => found && of(found), attentionOf);
  const effectiveVoters = median((measure) => measure.effectiveVoters);
  const nakamoto = median((measure) => measure.nakamoto);
  const topShare = median((measure) => measure.topShare);
  if (effectiveVoters === undefined || nakamoto === undefined || topShare === undefined) {
    return {
      score: gap("POWER_UNKNOWN"),
      medianNakamoto: undefined,
      medianWhaleShare: undefined,
      dominatedShare: undefined,
      indicators: decentralizationIndicators({}),
    };
  }
  let weights = 0;
  let dominated = 0;
  for (const { attention, concentration: found } of members) {
    if (found === undefined) continue;
    weights += attention;
    if (found.nakamoto === 1) dominated += attention;
  }
  const indicators = decentralizationIndicators({ effectiveVoters, nakamoto, topShare });
  return {
    score: points(decentralizationPoints(...valuesOf(indicators))),
    medianNakamoto: nakamoto,
    medianWhaleShare: median((measure) => measure.whaleShare),
    dominatedShare: dominated / weights,
    indicators,
  };
}
