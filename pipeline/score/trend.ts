import type { Trend } from "../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "./methodology.ts";

/** Median of all pairwise slopes: one odd day moves nothing. */
export function theilSenSlope(
  points: readonly { readonly x: number; readonly y: number }[],
): number | undefined {
  const slopes: number[] = [];
  points.forEach((a, index) => {
    for (const b of points.slice(index + 1)) if (b.x !== a.x) slopes.push((b.y - a.y) / (b.x - a.x));
  });
  if (slopes.length === 0) return undefined;
  slopes.sort((a, b) => a - b);
  const middle = slopes.length / 2;
  const [low, high] = [slopes[Math.ceil(middle) - 1] ?? 0, slopes[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}

/**
 * Where a DAO's risk is heading.
 *
 * Range: improving (risk falls by 2 or more over 30 days), declining (rises as much), stable.
 * Unit: risk points over 30 days, by the Theil–Sen slope.
 * Source: the daily risk scores of the last 30 ended days.
 * Gap: fewer than 14 points are `stable`, as the contract has no fourth word.
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
