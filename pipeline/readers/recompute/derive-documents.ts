import { dayOf, timestampOf } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildDaoList,
  buildRiskAssessment,
  rankedDaos,
} from "../../documents/dao-documents.ts";
import { buildDgi, buildDgiHistory } from "../../documents/dgi-documents.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { buildUnscoredList } from "../../documents/unscored.ts";
import { dailyPointOf } from "../../score/daily-point.ts";
import { scoreGovernanceIndex } from "../../score/ranking/governance-index.ts";
import type { Compared } from "./differences.ts";

/** Every document of scores, built again by the code that builds them, from what was derived. */
export function compareDocuments(set: WholeSet, daos: readonly ScoredDao[]): readonly Compared[] {
  const ranked = rankedDaos(daos);
  const risks = ranked.flatMap((dao) => buildRiskAssessment(dao) ?? []);
  const unscored = buildUnscoredList(daos);
  return [
    compareList(set, buildDaoList(ranked)),
    ...compareDetails(set, ranked),
    ...compareEach(PATHS.risk, set.risks, risks),
    { path: PATHS.unscored, published: set.unscored, derived: unscored },
    ...(isDayEnd(set.asOf) ? compareLastPoints(set, daos) : []),
  ];
}

/** The index again: as of the version from unrounded scores, and where that is a day's end the last point of its history too. */
export function compareIndex(set: WholeSet, daos: readonly ScoredDao[]): readonly Compared[] {
  const asOfMs = Date.parse(set.asOf);
  const points = daos.flatMap(({ dao, current }) => {
    const point = dailyPointOf(current);
    return point === undefined ? [] : [{ ...point, spaceId: dao.spaceId }];
  });
  const index = scoreGovernanceIndex(points, asOfMs);
  const dgi = { path: PATHS.dgi, published: set.dgi, derived: buildDgi(index) };
  if (!isDayEnd(set.asOf)) return [dgi];
  const date = dayOf(asOfMs);
  return [
    dgi,
    {
      path: `${PATHS.dgiHistory} ${date}`,
      published: set.dgiHistory?.values.find((point) => point.date === date),
      derived: buildDgiHistory(asOfMs, undefined, index === undefined ? [] : [index])?.values[0],
    },
  ];
}

/** Whether a moment is the last of its UTC day. */
export function isDayEnd(asOf: string): boolean {
  return timestampOf(Date.parse(asOf) + 1).endsWith("T00:00:00.000Z");
}

const byId = <Document extends { readonly space_id: string }>(documents: readonly Document[]) =>
  new Map(documents.map((document) => [document.space_id, document]));

/** The list: everything but what 24 hours did, which needs the day before. */
function compareList(set: WholeSet, built: ReturnType<typeof buildDaoList>): Compared {
  const without = (daos: typeof built) => daos.map(({ delta_24h: _, ...rest }) => rest);
  return { path: PATHS.daos, published: without(set.daos), derived: without(built) };
}

/** The documents of each DAO by its id; one that is missing on either side is a difference. */
function compareEach<Document extends { readonly space_id: string }>(
  pathOf: (spaceId: string) => string,
  published: readonly Document[],
  derived: readonly Document[],
): Compared[] {
  const [publishedById, derivedById] = [byId(published), byId(derived)];
  return [...new Set([...publishedById.keys(), ...derivedById.keys()])].sort().map((spaceId) => ({
    path: pathOf(spaceId),
    published: publishedById.get(spaceId),
    derived: derivedById.get(spaceId),
  }));
}

function compareDetails(set: WholeSet, ranked: ReturnType<typeof rankedDaos>): Compared[] {
  const publishedById = byId(set.details);
  // Who the strongest are is in no evidence: it names nobody.
  const derived = ranked.map((dao) =>
    buildDaoDetail(dao, publishedById.get(dao.scored.dao.spaceId)?.top_entities ?? []),
  );
  return compareEach(PATHS.dao, set.details, derived);
}

/** The last point of each history, where the moment of the version is the end of its day. */
function compareLastPoints(set: WholeSet, daos: readonly ScoredDao[]): Compared[] {
  const date = set.asOf.slice(0, 10);
  const published = byId(set.histories);
  return daos.map((scored) => {
    const { spaceId } = scored.dao;
    const last = published.get(spaceId)?.points.find((point) => point.date === date);
    const point = dailyPointOf(scored.current);
    const points = point === undefined ? [] : [point];
    return {
      path: `${PATHS.history(spaceId)} ${date}`,
      published: last,
      derived: buildDaoHistory({ ...scored, points })?.points[0],
    };
  });
}
