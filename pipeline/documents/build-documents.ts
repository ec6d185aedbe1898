import type { TopEntity } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoDocuments, VersionLists } from "../../snapshots/format/published-set.ts";
import { invariant } from "../facts/errors.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import type { GovernanceIndex } from "../score/ranking/governance-index.ts";
import { buildDaoDetail, buildDaoHistory, buildRiskAssessment } from "./dao-documents.ts";
import { buildDaoList, buildUnscoredList, type DaoRow } from "./dao-row.ts";
import { buildDelegateListing } from "./delegate-listing.ts";
import { buildDelegationGraph } from "./delegation-graph.ts";
import { buildDgi, buildDgiHistory } from "./dgi-documents.ts";
import { buildEntities, type PublicEntities } from "./entities.ts";
import { buildEvidence } from "./evidence-documents.ts";
import type { ScoredDao, Standing } from "./scored-dao.ts";

/** What the lists of a version are built from. The order of the DAOs changes nothing. */
export interface ListsInput {
  readonly asOfMs: number;
  readonly rows: readonly DaoRow[];
  readonly standings: ReadonlyMap<string, Standing>;
  readonly entities: PublicEntities;
  readonly index: GovernanceIndex | undefined;
  /** As of the ends of past days, ascending; days without an index are absent. */
  readonly indexHistory: readonly GovernanceIndex[];
}

/** Everything that a version says of all its DAOs together. */
export function buildLists({
  asOfMs,
  rows,
  standings,
  entities,
  index,
  indexHistory,
}: ListsInput): VersionLists {
  // Every document carries the moment of the run, so nothing in it may have been computed for another one.
  invariant(index === undefined || index.asOfMs === asOfMs, "the index is of another moment");
  return {
    asOf: timestampOf(asOfMs),
    methodologyVersion: METHODOLOGY.version,
    daos: buildDaoList(rows, standings),
    unscored: buildUnscoredList(rows),
    dgi: buildDgi(index),
    dgiHistory: buildDgiHistory(asOfMs, index, indexHistory),
    entities: buildEntities(
      rows.flatMap(({ participations }) => participations),
      entities,
    ),
  };
}

/** What the documents of one DAO are built from, beside its own scores. */
export interface DaoDocumentsInput {
  readonly asOfMs: number;
  /** Absent where it has no score. */
  readonly standing: Standing | undefined;
  readonly topEntities: readonly TopEntity[];
  readonly entities: PublicEntities;
}

/** Every document of one DAO. */
export function buildDaoDocuments(
  scored: ScoredDao,
  { asOfMs, standing, topEntities, entities }: DaoDocumentsInput,
): DaoDocuments {
  const { dao, current, evidence } = scored;
  for (const { asOfMs: atMs, spaceId } of [current, evidence.measures]) {
    invariant(atMs === asOfMs, `${dao.spaceId} was scored as of another moment`);
    invariant(spaceId === dao.spaceId, `${dao.spaceId} carries the score of another DAO`);
  }
  return {
    details: standing === undefined ? [] : [buildDaoDetail(scored, standing, topEntities)],
    risks: standing === undefined ? [] : present(buildRiskAssessment(scored)),
    listings: present(buildDelegateListing(scored, entities)),
    graphs: present(buildDelegationGraph(scored, entities)),
    histories: present(buildDaoHistory(scored)),
    evidence: [buildEvidence(evidence, current, standing)],
  };
}

const present = <Value>(value: Value | undefined): readonly Value[] => (value === undefined ? [] : [value]);
