import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildRiskAssessment,
  placeDetail,
} from "../documents/dao-documents.ts";
import {
  buildDaoList,
  buildRankings,
  buildUnscoredList,
  type DaoRow,
  indexMembers,
} from "../documents/dao-row.ts";
import { buildDgi, buildDgiHistory } from "../documents/dgi-documents.ts";
import { buildEvidence, hasEmptyFrame } from "../documents/evidence-documents.ts";
import type { ScoredDao, Standing } from "../documents/scored-dao.ts";
import { dailyPointOf } from "../score/daily-point.ts";
import { scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import type { ExplainedPart } from "./derive-dao.ts";
import type { Compared } from "./differences.ts";

/** Builds the score documents of one DAO again, with the code that publishes them; `standing` is its rank. */
export function comparePart(
  part: ExplainedPart,
  scored: ScoredDao,
  standing: Standing | undefined,
): readonly Compared[] {
  const { spaceId, details, risks, asOf } = part;
  const rebuilt = buildEvidence(scored.evidence, scored.current);
  const isEmpty = hasEmptyFrame(scored.evidence);
  const { proposals } = part.evidence[0] ?? part.emptyFrames[0] ?? {};
  // Evidence names no entities, so the top entities are copied.
  const detail = standing && placeDetail(buildDaoDetail(scored), standing, details[0]?.top_entities ?? []);
  return [
    {
      path: PATHS.evidence(spaceId),
      published: part.evidence[0]?.evidence,
      derived: isEmpty ? undefined : rebuilt.evidence,
    },
    { path: PATHS.proposals(spaceId), published: proposals, derived: rebuilt.proposals },
    { path: PATHS.dao(spaceId), published: details[0], derived: detail },
    {
      path: PATHS.risk(spaceId),
      published: risks[0],
      derived: standing && buildRiskAssessment(scored),
    },
    ...(isDayEnd(asOf) ? [compareLastPoint(part, scored)] : []),
  ];
}

/** The same for a DAO without evidence or in no list: none of its published scores can be recomputed. */
export function compareUnderived({
  spaceId,
  details,
  risks,
  evidence,
  emptyFrames,
}: ExplainedPart): readonly Compared[] {
  return [
    { path: PATHS.evidence(spaceId), published: evidence[0]?.evidence, derived: undefined },
    { path: PATHS.proposals(spaceId), published: emptyFrames[0]?.proposals, derived: undefined },
    { path: PATHS.dao(spaceId), published: details[0], derived: undefined },
    { path: PATHS.risk(spaceId), published: risks[0], derived: undefined },
  ];
}

/** The history's last point, if the version's moment is the end of that day. */
function compareLastPoint({ spaceId, asOf, histories }: ExplainedPart, scored: ScoredDao): Compared {
  const date = asOf.slice(0, 10);
  const point = dailyPointOf(scored.current);
  const points = point === undefined ? [] : [point];
  return {
    path: `${PATHS.history(spaceId)} ${date}`,
    published: histories[0]?.points.find((point) => point.date === date),
    derived: buildDaoHistory({ ...scored, points })?.points[0],
  };
}

/** Builds a version's lists again from all recomputed DAOs; entities are not in the evidence. */
export function compareLists(
  lists: VersionLists,
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): readonly Compared[] {
  // The 24-hour change needs the day before.
  const without = (daos: VersionLists["daos"]) => daos.map(({ delta_24h: _, ...rest }) => rest);
  return [
    { path: PATHS.daos, published: without(lists.daos), derived: without(buildDaoList(rows, standings)) },
    { path: PATHS.rankings, published: lists.rankings, derived: buildRankings(standings) },
    { path: PATHS.unscored, published: lists.unscored, derived: buildUnscoredList(rows) },
    ...compareIndex(lists, rows),
  ];
}

/** The index from unrounded scores and, at the end of a day, its last history point. */
function compareIndex(lists: VersionLists, rows: readonly DaoRow[]): readonly Compared[] {
  const asOfMs = Date.parse(lists.asOf);
  const index = scoreGovernanceIndex(indexMembers(rows), asOfMs);
  const dgi = { path: PATHS.dgi, published: lists.dgi, derived: buildDgi(index) };
  if (!isDayEnd(lists.asOf)) return [dgi];
  const date = lists.asOf.slice(0, 10);
  return [
    dgi,
    {
      path: `${PATHS.dgiHistory} ${date}`,
      published: lists.dgiHistory?.values.find((point) => point.date === date),
      derived: buildDgiHistory(asOfMs, undefined, index === undefined ? [] : [index])?.values[0],
    },
  ];
}

/** Whether a moment is the last of its UTC day. */
export function isDayEnd(asOf: string): boolean {
  return timestampOf(Date.parse(asOf) + 1).endsWith("T00:00:00.000Z");
}
