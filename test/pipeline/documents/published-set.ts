import { buildDaoDocuments, buildLists } from "../../../pipeline/documents/build-documents.ts";
import { placeDetail } from "../../../pipeline/documents/dao-documents.ts";
import { rankRows, rowOf } from "../../../pipeline/documents/dao-row.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import type { CurrentIndex, GovernanceIndex } from "../../../pipeline/score/ranking/governance-index.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";

/** Everything a version is built from, of all its DAOs at once. */
export interface PublishedSetInput {
  readonly asOfMs: number;
  readonly daos: readonly ScoredDao[];
  readonly registry: Registry;
  readonly index: CurrentIndex | undefined;
  readonly indexHistory: readonly GovernanceIndex[];
}

/** A whole version as a run makes it, DAO by DAO; details and risks in the order of the ranks. */
export function buildPublishedSet(input: PublishedSetInput): PublishedSet {
  const entities = publicEntities(input.registry);
  const daos = input.daos.toSorted((a, b) => (a.dao.spaceId < b.dao.spaceId ? -1 : 1));
  const rows = daos.map((scored) => rowOf(scored, entities));
  const standings = rankRows(rows);
  const lists = buildLists({ ...input, rows, standings, entities });
  const topEntities = topEntitiesOf(lists.entities);
  const parts = daos.map((scored) => {
    const { spaceId } = scored.dao;
    const standing = standings.get(spaceId);
    const { details, ...documents } = buildDaoDocuments(scored, standing, entities);
    const placed = details.flatMap((detail) =>
      standing === undefined ? [] : [placeDetail(detail, standing, topEntities.get(spaceId) ?? [])],
    );
    return { ...documents, details: placed };
  });
  const byRank = <Document extends { readonly space_id: string }>(documents: readonly Document[]) => {
    const rankOf = ({ space_id }: Document) => standings.get(space_id)?.rank ?? 0;
    return documents.toSorted((a, b) => rankOf(a) - rankOf(b));
  };
  return {
    ...lists,
    details: byRank(parts.flatMap(({ details }) => details)),
    risks: byRank(parts.flatMap(({ risks }) => risks)),
    listings: parts.flatMap(({ listings }) => listings),
    graphs: parts.flatMap(({ graphs }) => graphs),
    histories: parts.flatMap(({ histories }) => histories),
    evidence: parts.flatMap(({ evidence }) => evidence),
    emptyFrames: parts.flatMap(({ emptyFrames }) => emptyFrames),
  };
}
