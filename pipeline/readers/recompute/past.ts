import { dayOf, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { Trend } from "../../../snapshots/format/value-sets.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { DAY_MS, endedDayEndsMs } from "../../facts/days.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { isDayEnd } from "./compare-documents.ts";
import type { ExplainedPart } from "./derive-dao.ts";
import type { Difference } from "./differences.ts";

/** What is published of the past is rounded: a change over it is known to within this. */
const HALF_STEP = 0.5 * 10 ** -SCORE_DECIMALS;
const RISK_STEP = 0.1;

/** The differences that one look at the past finds; `undefined` where there is nothing to look at. */
type Looked = readonly Difference[] | undefined;

/** What follows from the published past of one DAO, within its rounding: the change of a day, and the trend. */
export function checkPast(part: ExplainedPart, scored: ScoredDao) {
  const looks = [checkDelta(part, scored), checkTrend(part, scored)].filter((found) => found !== undefined);
  return { checked: looks.length, differences: looks.flat() };
}

/** delta_24h against the gvs that the history has of the day before; only where the version is of a day's end. */
function checkDelta(
  { asOf, listed }: ExplainedPart,
  { current: { gvs, unscored }, points }: ScoredDao,
): Looked {
  if (!isDayEnd(asOf) || listed === undefined || unscored !== undefined) return undefined;
  const { rank, delta_24h: published } = listed.summary;
  const dayBefore = dayOf(Date.parse(asOf) - DAY_MS);
  const before = points.find(({ date }) => date === dayBefore)?.gvs;
  const change = before === undefined ? 0 : gvs.point - before;
  const slack = before === undefined ? 0 : 2 * HALF_STEP + 1e-9;
  if (Math.abs(published - change) <= slack) return [];
  return [{ path: `${PATHS.daos} ${rank - 1}.delta_24h`, published, recomputed: change }];
}

interface Change {
  readonly low: number;
  readonly high: number;
}

function median(ascending: Float64Array): number {
  const middle = ascending.length / 2;
  return ((ascending[Math.ceil(middle) - 1] ?? 0) + (ascending[Math.floor(middle)] ?? 0)) / 2;
}

/** Between which changes over 30 days the Theil–Sen slope lies, whatever the points were before they were rounded. */
function changeBounds(points: readonly { readonly x: number; readonly y: number }[]): Change {
  const pairs = (points.length * (points.length - 1)) / 2;
  // Columns: 435 pairs for each of a thousand DAOs, and numbers that are not boxed sort eight times as fast.
  const lows = new Float64Array(pairs);
  const highs = new Float64Array(pairs);
  let pair = 0;
  points.forEach((a, place) => {
    for (const b of points.slice(place + 1)) {
      const slope = (b.y - a.y) / (b.x - a.x);
      const slack = RISK_STEP / (b.x - a.x);
      lows[pair] = slope - slack;
      highs[pair] = slope + slack;
      pair += 1;
    }
  });
  const { trendDays } = METHODOLOGY.risk;
  return { low: trendDays * median(lows.sort()), high: trendDays * median(highs.sort()) };
}

function trendsWithin({ low, high }: Change): readonly Trend[] {
  const { trendChange } = METHODOLOGY.risk;
  const trends: Trend[] = [];
  if (low <= -trendChange) trends.push("improving");
  if (high > -trendChange && low < trendChange) trends.push("stable");
  if (high >= trendChange) trends.push("declining");
  return trends;
}

/** The trend against the risks of the last ended days, as far as their rounding lets one say. */
function checkTrend({ asOf, risks: [assessed] }: ExplainedPart, scored: ScoredDao): Looked {
  const published = assessed?.trend;
  if (published === undefined) return undefined;
  const { trendDays, trendPointsMin } = METHODOLOGY.risk;
  const risks = new Map(scored.points.map(({ date, riskScore }) => [date, riskScore]));
  const points = endedDayEndsMs(Date.parse(asOf), trendDays).flatMap((endMs, x) => {
    const y = risks.get(dayOf(endMs));
    return y === undefined ? [] : [{ x, y }];
  });
  const possible: readonly Trend[] =
    points.length < trendPointsMin ? ["stable"] : trendsWithin(changeBounds(points));
  if (possible.includes(published)) return [];
  const recomputed = possible.join(" or ");
  return [{ path: `${PATHS.risk(scored.dao.spaceId)} trend`, published, recomputed }];
}
