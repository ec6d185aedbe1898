import { dayEndMs, dayOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { WholeSet } from "../../snapshots/store/read-version.ts";
import { buildDgi, buildDgiHistory } from "../documents/governance-index-documents.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import { freezeDayOf, membersOn, scoreGovernanceIndex } from "../score/governance-index.ts";
import type { Compared } from "./recompute-compare.ts";
import type { DerivedDao } from "./recompute-derived.ts";
import { isDayEnd } from "./recompute-documents.ts";

type PointOf = (date: string) => DailyPoint | undefined;

/** The members of a moment's quarter, from the points that are published of the day before it. */
function membersAt(points: ReadonlyMap<string, PointOf>, atMs: number): ReadonlySet<string> {
  const freezeDay = freezeDayOf(atMs);
  return membersOn([...points].map(([spaceId, pointOf]) => [spaceId, pointOf(freezeDay)]));
}

/** The index again: as of the version from unrounded scores, and where that is a day's end the last point of its history too. */
export function compareIndex(set: WholeSet, daos: readonly DerivedDao[]): readonly Compared[] {
  const points = new Map(
    daos.map(({ scored }): [string, PointOf] => {
      const byDate = new Map(scored.points.map((point) => [point.date, point]));
      return [scored.dao.spaceId, (date) => byDate.get(date)];
    }),
  );
  const asOfMs = Date.parse(set.asOf);
  const current = daos.flatMap(({ scored }) => {
    const point = dailyPointOf(scored.current);
    return point === undefined ? [] : [{ ...point, spaceId: scored.dao.spaceId }];
  });
  const index = scoreGovernanceIndex(membersAt(points, asOfMs), current, asOfMs);
  const dgi = { path: PATHS.dgi, published: set.dgi, derived: buildDgi(index) };
  if (!isDayEnd(set.asOf)) return [dgi];
  const date = dayOf(asOfMs);
  const ends = daos.flatMap(({ scored, dayEndPoint }) =>
    dayEndPoint === undefined ? [] : [{ ...dayEndPoint, spaceId: scored.dao.spaceId }],
  );
  const last = scoreGovernanceIndex(membersAt(points, dayEndMs(date)), ends, asOfMs);
  return [
    dgi,
    {
      path: `${PATHS.dgiHistory} ${date}`,
      published: set.dgiHistory?.values.find((point) => point.date === date),
      derived: buildDgiHistory(asOfMs, undefined, last === undefined ? [] : [last])?.values[0],
    },
  ];
}
