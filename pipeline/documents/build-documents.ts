import type { TopEntity } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoDocuments, VersionLists } from "../../snapshots/format/published-set.ts";
import { invariant } from "../facts/errors.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import type { CurrentIndex, GovernanceIndex } from "../score/ranking/governance-index.ts";
import { buildDaoDetail, buildDaoHistory, buildRiskAssessment, placeDetail } from "./dao-documents.ts";
import {
  buildDaoList,
  buildDgi,
  buildDgiHistory,
  buildRankings,
  buildUnscoredList,
  type DaoRow,
} from "./dao-row.ts";
import { buildDelegateListing, buildDelegationGraph } from "./delegate-documents.ts";
import { buildEntities, type PublicEntities } from "./entities.ts";
import { buildEvidence, hasEmptyFrame } from "./evidence-documents.ts";
import type { ScoredDao, Standing } from "./scored-dao.ts";

/** The input of the lists of a version. The order of the DAOs does not matter. */
interface ListsInput {
  readonly asOfMs: number;
  readonly rows: readonly DaoRow[];
  readonly standings: ReadonlyMap<string, Standing>;
  readonly entities: PublicEntities;
  readonly index: CurrentIndex | undefined;
  /** The index at the end of each past day, ascending; days without an index are absent. */
  readonly indexHistory: readonly GovernanceIndex[];
  readonly corrections?: VersionLists["corrections"];
}

/** Builds the documents of a version that cover all DAOs. Throws on an index of another moment. */
export function buildLists({
  asOfMs,
  rows,
  standings,
  entities,
  index,
  indexHistory,
  corrections,
}: ListsInput): VersionLists {
  // Every document states the moment of the run, so all its content must be of this moment.
  invariant(index === undefined || index.asOfMs === asOfMs, "the index is of another moment");
  return {
    asOf: timestampOf(asOfMs),
    methodologyVersion: METHODOLOGY.version,
    daos: buildDaoList(rows, standings),
    rankings: buildRankings(standings),
    unscored: buildUnscoredList(rows),
    dgi: buildDgi(index),
    dgiHistory: buildDgiHistory(asOfMs, index, indexHistory),
    entities: buildEntities(
      rows.flatMap(({ participations }) => participations),
      entities,
    ),
    corrections,
  };
}

interface DaoDocumentsInput {
  readonly asOfMs: number;
  /** `undefined` if it has no score. */
  readonly standing: Standing | undefined;
  readonly topEntities: readonly TopEntity[];
  readonly entities: PublicEntities;
}

/** Builds all documents of one DAO. Throws on scores of another moment or DAO. */
export function buildDaoDocuments(
  scored: ScoredDao,
  { asOfMs, standing, topEntities, entities }: DaoDocumentsInput,
): DaoDocuments {
  const { dao, current, evidence } = scored;
  for (const { asOfMs: atMs, spaceId } of [current, evidence.measures]) {
    invariant(atMs === asOfMs, `${dao.spaceId} was scored as of another moment`);
    invariant(spaceId === dao.spaceId, `${dao.spaceId} carries the score of another DAO`);
  }
  const explained = buildEvidence(evidence, current);
  const isEmpty = hasEmptyFrame(evidence);
  return {
    details: standing === undefined ? [] : [placeDetail(buildDaoDetail(scored), standing, topEntities)],
    risks: standing === undefined ? [] : present(buildRiskAssessment(scored)),
    listings: present(buildDelegateListing(scored, entities)),
    graphs: present(buildDelegationGraph(scored, entities)),
    histories: present(buildDaoHistory(scored)),
    evidence: isEmpty ? [] : [explained],
    emptyFrames: isEmpty ? [{ spaceId: dao.spaceId, proposals: explained.proposals }] : [],
  };
}

const present = <Value>(value: Value | undefined): readonly Value[] => (value === undefined ? [] : [value]);
