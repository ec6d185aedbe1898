import { dayOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import { endedDayEndsMs } from "../base/days.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import {
  freezeDayOf,
  type GovernanceIndex,
  isIndexMember,
  scoreGovernanceIndex,
} from "../score/governance-index.ts";
import { createIndexSeries } from "../score/index-series.ts";

type IndexedDao = Pick<ScoredDao, "points"> & { readonly dao: Pick<ScoredDao["dao"], "spaceId"> };

/** The index as of the run, over the members of its quarter. */
export function indexAt(daos: readonly ScoredDao[], asOfMs: number): GovernanceIndex | undefined {
  const freezeDay = freezeDayOf(asOfMs);
  const frozen = daos.filter(({ points }) => isIndexMember(points.find(({ date }) => date === freezeDay)));
  const scores = frozen.flatMap(({ dao, current }) => {
    const point = dailyPointOf(current);
    return point === undefined ? [] : [{ ...point, spaceId: dao.spaceId }];
  });
  return scoreGovernanceIndex(new Set(frozen.map(({ dao }) => dao.spaceId)), scores, asOfMs);
}

/** Each ended day of the longest period: its place by date, and on which day its quarter's members were chosen. */
function daysOf(dayEndsMs: readonly number[]) {
  return {
    placeOf: new Map(dayEndsMs.map((endMs, place) => [dayOf(endMs), place])),
    freezeDays: dayEndsMs.map(freezeDayOf),
  };
}

/** The freeze days on which a DAO was good enough for the quarter that followed. */
function membershipsOf(points: readonly DailyPoint[], freezeDays: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    points.flatMap((point) => (freezeDays.has(point.date) && isIndexMember(point) ? [point.date] : [])),
  );
}

/** The index as of the end of each ended day of the longest period, ascending; days with too few members are absent. */
export function indexHistoryOf(daos: readonly IndexedDao[], asOfMs: number): GovernanceIndex[] {
  const dayEndsMs = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
  const { placeOf, freezeDays } = daysOf(dayEndsMs);
  const distinctFreezeDays = new Set(freezeDays);
  const series = createIndexSeries(dayEndsMs);
  const bySpaceId = [...daos].sort((a, b) => (a.dao.spaceId < b.dao.spaceId ? -1 : 1));
  for (const { points } of bySpaceId) {
    const memberships = membershipsOf(points, distinctFreezeDays);
    if (memberships.size === 0) continue;
    for (const point of points) {
      const place = placeOf.get(point.date);
      if (place !== undefined && memberships.has(freezeDays[place] ?? "")) series.add(place, point);
    }
  }
  return series.indexes().flatMap((index) => index ?? []);
}
