import { dayOf } from "../../snapshots/format/ids.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../facts/days.ts";
import { endsOf } from "./method/marks.ts";
import { METHODOLOGY } from "./method/methodology.ts";
import { median } from "./method/statistics.ts";
import type { DayScore } from "./score-measures.ts";

/** The part of a score that is kept for a past day; `undefined` if the DAO was unscored, because absent is not zero. */
export function dailyPointOf(score: DayScore): DailyPoint | undefined {
  const { gvs, components, risk, completenessPct, indexWeight, asOfMs } = score;
  if (score.unscored !== undefined || completenessPct === undefined) return undefined;
  return {
    date: dayOf(asOfMs),
    methodologyVersion: METHODOLOGY.version,
    gvs: gvs.point,
    gvsEnds: [gvs.low, gvs.high],
    components: endsOf(components, "point"),
    riskScore: risk?.score.point,
    completenessPct,
    indexWeight,
  };
}

/** Median of all pairwise slopes, which a single outlier does not move; `undefined` for fewer than two points. */
function theilSenSlope(points: readonly { readonly x: number; readonly y: number }[]): number | undefined {
  const slopes: number[] = [];
  points.forEach((a, index) => {
    for (const b of points.slice(index + 1)) if (b.x !== a.x) slopes.push((b.y - a.y) / (b.x - a.x));
  });
  if (slopes.length === 0) return undefined;
  return median(slopes.sort((a, b) => a - b));
}

/**
 * The direction in which a DAO's risk is moving.
 *
 * Range: improving (risk falls by 2 or more over 30 days), declining (rises as much), stable.
 * Unit: risk points over 30 days, by the Theil–Sen slope.
 * Source: the daily risk scores of the last 30 ended days.
 * Unknown: with fewer than 14 points it is `stable`, because the contract has no value for unknown.
 */
export function scoreTrend(
  dailyRisks: readonly { readonly dayIndex: number; readonly risk: number }[],
): Trend {
  const { trendPointsMin, trendDays, trendChange } = METHODOLOGY.risk;
  if (dailyRisks.length < trendPointsMin) return "stable";
  const slope = theilSenSlope(dailyRisks.map(({ dayIndex, risk }) => ({ x: dayIndex, y: risk })));
  const change = (slope ?? 0) * trendDays;
  if (change <= -trendChange) return "improving";
  return change >= trendChange ? "declining" : "stable";
}
