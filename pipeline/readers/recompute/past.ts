import { dayOf, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { Trend } from "../../../snapshots/format/value-sets.ts";
import type { WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import { DAY_MS, endedDayEndsMs } from "../../facts/days.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import type { DerivedDao } from "./derive-daos.ts";
import { isDayEnd } from "./derive-documents.ts";
import type { Difference } from "./differences.ts";

/** What is published of the past is rounded: a change over it is known to within this. */
const HALF_STEP = 0.5 * 10 ** -SCORE_DECIMALS;
const RISK_STEP = 0.1;

/** What the past allows: the numbers that were looked at, and those that it rules out. */
export interface PastFindings {
  readonly checked: number;
  readonly differences: readonly Difference[];
}

/** What is published of each DAO, found once for all. */
interface Published {
  readonly asOf: string;
  readonly deltas: ReadonlyMap<string, { readonly place: number; readonly delta: number }>;
  readonly trends: ReadonlyMap<string, Trend>;
}

function publishedOf({ asOf, daos, risks }: WholeSet): Published {
  return {
    asOf,
    deltas: new Map(daos.map((dao, place) => [dao.space_id, { place, delta: dao.delta_24h }])),
    trends: new Map(risks.map((risk) => [risk.space_id, risk.trend])),
  };
}

/** delta_24h against the gvs that the history has of the day before; only where the version is of a day's end. */
function checkDelta(set: Published, { scored }: DerivedDao): PastFindings {
  const { spaceId } = scored.dao;
  const { place, delta: published } = set.deltas.get(spaceId) ?? {};
  const { gvs } = scored.current;
  if (!isDayEnd(set.asOf) || published === undefined || gvs.kind === "gap") {
    return { checked: 0, differences: [] };
  }
  const dayBefore = dayOf(Date.parse(set.asOf) - DAY_MS);
  const before = scored.points.find(({ date }) => date === dayBefore)?.gvs;
  const change = before === undefined ? 0 : gvs.points - before;
  const slack = before === undefined ? 0 : 2 * HALF_STEP + 1e-9;
  if (Math.abs(published - change) <= slack) return { checked: 1, differences: [] };
  const path = `${PATHS.daos} ${place}.delta_24h`;
  return { checked: 1, differences: [{ path, published, recomputed: change }] };
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
function checkTrend(set: Published, { scored }: DerivedDao): PastFindings {
  const { spaceId } = scored.dao;
  const published = set.trends.get(spaceId);
  if (published === undefined) return { checked: 0, differences: [] };
  const { trendDays, trendPointsMin } = METHODOLOGY.risk;
  const risks = new Map(scored.points.map(({ date, riskScore }) => [date, riskScore]));
  const points = endedDayEndsMs(Date.parse(set.asOf), trendDays).flatMap((endMs, x) => {
    const y = risks.get(dayOf(endMs));
    return y === undefined ? [] : [{ x, y }];
  });
  const possible: readonly Trend[] =
    points.length < trendPointsMin ? ["stable"] : trendsWithin(changeBounds(points));
  if (possible.includes(published)) return { checked: 1, differences: [] };
  const recomputed = possible.join(" or ");
  return { checked: 1, differences: [{ path: `${PATHS.risk(spaceId)} trend`, published, recomputed }] };
}

/** What follows from the published past, within its rounding: changes of a day, and trends. */
export function checkPast(set: WholeSet, daos: readonly DerivedDao[]): PastFindings {
  const published = publishedOf(set);
  const all = daos.flatMap((dao) => [checkDelta(published, dao), checkTrend(published, dao)]);
  return {
    checked: all.reduce((sum, { checked }) => sum + checked, 0),
    differences: all.flatMap(({ differences }) => differences),
  };
}
