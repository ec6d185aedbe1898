import { topEntitiesOf } from "../../snapshots/format/entity.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { invariant } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GovernanceIndex } from "../score/ranking/governance-index.ts";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildDaoList,
  buildRiskAssessment,
  rankedDaos,
} from "./dao-documents.ts";
import { buildDelegateListing } from "./delegate-listing.ts";
import { buildDelegationGraph } from "./delegation-graph.ts";
import { buildDgi, buildDgiHistory } from "./dgi-documents.ts";
import { buildEntities, publicEntities } from "./entities.ts";
import { buildEvidence } from "./evidence-documents.ts";
import type { ScoredDao } from "./scored-dao.ts";
import { buildUnscoredList } from "./unscored.ts";

/** Everything a version is built from. */
export interface PublishedSetInput {
  readonly asOfMs: number;
  readonly methodologyVersion: string;
  readonly daos: readonly ScoredDao[];
  readonly registry: Registry;
  readonly index: GovernanceIndex | undefined;
  /** As of the ends of past days, ascending; days without an index are absent. */
  readonly indexHistory: readonly GovernanceIndex[];
}

/** Every document carries the moment of the run, so nothing in it may have been computed for another one. */
function requireOneMoment({ asOfMs, daos, index }: PublishedSetInput): void {
  for (const { dao, current, evidence } of daos) {
    for (const { asOfMs: atMs, spaceId } of [current, evidence.measures]) {
      invariant(atMs === asOfMs, `${dao.spaceId} was scored as of another moment`);
      invariant(spaceId === dao.spaceId, `${dao.spaceId} carries the score of another DAO`);
    }
  }
  invariant(index === undefined || index.asOfMs === asOfMs, "the index is of another moment");
}

/** Turns scores into every document of one version. The order of the DAOs and entities in the input changes nothing. */
export function buildPublishedSet(input: PublishedSetInput): PublishedSet {
  requireOneMoment(input);
  const { asOfMs, methodologyVersion, index, indexHistory } = input;
  const daos = [...input.daos].sort((a, b) => (a.dao.spaceId < b.dao.spaceId ? -1 : 1));
  const entities = publicEntities(input.registry);
  const ranked = rankedDaos(daos);
  const named = buildEntities(daos, entities);
  const topEntities = topEntitiesOf(named);
  const ranks = new Map(ranked.map((dao) => [dao.scored, dao]));
  return {
    asOf: timestampOf(asOfMs),
    methodologyVersion,
    daos: buildDaoList(ranked),
    details: ranked.map((dao) => buildDaoDetail(dao, topEntities.get(dao.scored.dao.spaceId) ?? [])),
    risks: ranked.flatMap((dao) => buildRiskAssessment(dao) ?? []),
    listings: daos.flatMap((dao) => buildDelegateListing(dao, entities) ?? []),
    graphs: daos.flatMap((dao) => buildDelegationGraph(dao, entities) ?? []),
    dgi: buildDgi(index),
    dgiHistory: buildDgiHistory(asOfMs, index, indexHistory),
    entities: named,
    histories: daos.flatMap((dao) => buildDaoHistory(dao) ?? []),
    unscored: buildUnscoredList(daos),
    evidence: daos.map((dao) => buildEvidence(dao.evidence, dao.current, ranks.get(dao))),
  };
}
