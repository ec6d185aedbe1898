import { dayOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import { endedDayEndsMs } from "../base/days.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import {
  freezeDayOf,
  type GovernanceIndex,
  membersOn,
  scoreGovernanceIndex,
} from "../score/governance-index.ts";

type PointsByDate = ReadonlyMap<string, DailyPoint>;

/** Every DAO's points by date, read once for the whole series. */
function pointsByDao(daos: readonly ScoredDao[]): ReadonlyMap<string, PointsByDate> {
  return new Map(
    daos.map(({ dao, points }) => [dao.spaceId, new Map(points.map((point) => [point.date, point]))]),
  );
}

function membersOfQuarter(byDao: ReadonlyMap<string, PointsByDate>, atMs: number): ReadonlySet<string> {
  const freezeDay = freezeDayOf(atMs);
  return membersOn([...byDao].map(([spaceId, points]) => [spaceId, points.get(freezeDay)]));
}

/** The index as of the run, over the members of its quarter. */
export function indexAt(daos: readonly ScoredDao[], asOfMs: number): GovernanceIndex | undefined {
  const members = membersOfQuarter(pointsByDao(daos), asOfMs);
  const scores = daos.flatMap(({ dao, current }) => {
    const point = dailyPointOf(current);
    return point === undefined ? [] : [{ ...point, spaceId: dao.spaceId }];
  });
  return scoreGovernanceIndex(members, scores, asOfMs);
}

/** The index as of the end of each ended day of the longest period, ascending; days with too few members are absent. */
export function indexHistoryOf(daos: readonly ScoredDao[], asOfMs: number): GovernanceIndex[] {
  const byDao = pointsByDao(daos);
  const membersBy = new Map<string, ReadonlySet<string>>();
  return endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]).flatMap((endMs) => {
    const freezeDay = freezeDayOf(endMs);
    const members = membersBy.get(freezeDay) ?? membersOfQuarter(byDao, endMs);
    membersBy.set(freezeDay, members);
    const scores = [...byDao].flatMap(([spaceId, points]) => {
      const point = points.get(dayOf(endMs));
      return point === undefined ? [] : [{ ...point, spaceId }];
    });
    return scoreGovernanceIndex(members, scores, endMs) ?? [];
  });
}
