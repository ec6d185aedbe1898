import { dayOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { WholeSet } from "../../snapshots/store/read-version.ts";
import { buildDgi, buildDgiHistory } from "../documents/governance-index-documents.ts";
import { readFreezePoint } from "../documents/whole-measures.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import { membersOn, scoreGovernanceIndex } from "../score/governance-index.ts";
import type { Compared } from "./recompute-compare.ts";
import type { DerivedDao } from "./recompute-derived.ts";
import { isDayEnd } from "./recompute-documents.ts";

/** The members of the version's quarter, by what the evidence says each DAO had on the day before it: not rounded. */
function membersOf(set: WholeSet): ReadonlySet<string> {
  return membersOn(set.evidence.map(({ evidence }) => [evidence.space_id, readFreezePoint(evidence)]));
}

/** The index again: as of the version from unrounded scores, and where that is a day's end the last point of its history too. */
export function compareIndex(set: WholeSet, daos: readonly DerivedDao[]): readonly Compared[] {
  const members = membersOf(set);
  const asOfMs = Date.parse(set.asOf);
  const current = daos.flatMap(({ scored }) => {
    const point = dailyPointOf(scored.current);
    return point === undefined ? [] : [{ ...point, spaceId: scored.dao.spaceId }];
  });
  const index = scoreGovernanceIndex(members, current, asOfMs);
  const dgi = { path: PATHS.dgi, published: set.dgi, derived: buildDgi(index) };
  if (!isDayEnd(set.asOf)) return [dgi];
  const date = dayOf(asOfMs);
  const ends = daos.flatMap(({ scored, dayEndPoint }) =>
    dayEndPoint === undefined ? [] : [{ ...dayEndPoint, spaceId: scored.dao.spaceId }],
  );
  const last = scoreGovernanceIndex(members, ends, asOfMs);
  return [
    dgi,
    {
      path: `${PATHS.dgiHistory} ${date}`,
      published: set.dgiHistory?.values.find((point) => point.date === date),
      derived: buildDgiHistory(asOfMs, undefined, last === undefined ? [] : [last])?.values[0],
    },
  ];
}
