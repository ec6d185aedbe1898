import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayOf, SCORE_DECIMALS } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { median } from "../score/method/statistics.ts";
import { type ExplainedPart, isDayEnd } from "./derive-dao.ts";
import type { Difference } from "./differences.ts";

/** Published history is rounded: a change of it is known to within this. */
const HALF_STEP = 0.5 * 10 ** -SCORE_DECIMALS;
const RISK_STEP = 0.1;

/** Differences found by one check; `undefined` if there was nothing to check. */
type CheckResult = readonly Difference[] | undefined;

/** Checks what follows from a DAO's published history, within its rounding: daily change and trend. */
export function checkPast(part: ExplainedPart, scored: ScoredDao) {
  const checks = [checkDelta(part, scored), checkTrend(part, scored)].filter((check) => check !== undefined);
  return { checked: checks.length, differences: checks.flat() };
}

/** Compares delta_24h with the history's gvs of the day before; only if the version is of a day's end. */
function checkDelta(
  { asOf, listed }: ExplainedPart,
  { current: { gvs, unscored }, points }: ScoredDao,
): CheckResult {
  if (!isDayEnd(asOf) || listed === undefined || unscored !== undefined) return undefined;
  const { rank, delta_24h: published } = listed.summary;
  const dayBefore = dayOf(Date.parse(asOf) - DAY_MS);
  const before = points.find(({ date }) => date === dayBefore)?.gvs;
  const change = before === undefined ? 0 : gvs.point - before;
  const slack = before === undefined ? 0 : 2 * HALF_STEP + 1e-9;
  if (Math.abs(published - change) <= slack) return [];
  return [{ path: `${PATHS.daos} ${rank - 1}.delta_24h`, published, recomputed: change }];
}

/** The trends of a Theil–Sen slope over 30 days, for all possible values before rounding. */
function possibleTrends(points: readonly { readonly x: number; readonly y: number }[]): readonly Trend[] {
  const pairs = (points.length * (points.length - 1)) / 2;
  // Typed arrays: there are 435 pairs for each of a thousand DAOs, and they sort eight times as fast.
  const lows = new Float64Array(pairs);
  const highs = new Float64Array(pairs);
  let pair = 0;
  points.forEach((a, index) => {
    for (const b of points.slice(index + 1)) {
      const slope = (b.y - a.y) / (b.x - a.x);
      const slack = RISK_STEP / (b.x - a.x);
      lows[pair] = slope - slack;
      highs[pair] = slope + slack;
      pair += 1;
    }
  });
  const { trendDays, trendChange } = METHODOLOGY.risk;
  const low = trendDays * median(lows.sort());
  const high = trendDays * median(highs.sort());
  const trends: Trend[] = [];
  if (low <= -trendChange) trends.push("improving");
  if (high > -trendChange && low < trendChange) trends.push("stable");
  if (high >= trendChange) trends.push("declining");
  return trends;
}

/** Compares the trend with the risks of the last ended days, as far as rounding allows. */
function checkTrend({ asOf, risks: [assessed] }: ExplainedPart, scored: ScoredDao): CheckResult {
  const published = assessed?.trend;
  if (published === undefined) return undefined;
  const { trendDays, trendPointsMin } = METHODOLOGY.risk;
  const risks = new Map(scored.points.map(({ date, riskScore }) => [date, riskScore]));
  const points = endedDayEndsMs(Date.parse(asOf), trendDays).flatMap((endMs, x) => {
    const y = risks.get(dayOf(endMs));
    return y === undefined ? [] : [{ x, y }];
  });
  const possible: readonly Trend[] = points.length < trendPointsMin ? ["stable"] : possibleTrends(points);
  if (possible.includes(published)) return [];
  const recomputed = possible.join(" or ");
  return [{ path: `${PATHS.risk(scored.dao.spaceId)} trend`, published, recomputed }];
}
