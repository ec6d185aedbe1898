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

/**
 * Builds all documents of one DAO, without its top entities, which follow from all DAOs; a DAO without a score has no
 * `standing`. Throws on evidence of another moment, and on the score of another DAO.
 */
export function buildDaoDocuments(
  scored: ScoredDao,
  standing: Standing | undefined,
  entities: PublicEntities,
): DaoDocuments {
  const { dao, current, evidence } = scored;
  const { measures } = evidence;
  invariant(measures.asOfMs === current.asOfMs, `${dao.spaceId} was scored as of another moment`);
  const isOfDao = [current, measures].every(({ spaceId }) => spaceId === dao.spaceId);
  invariant(isOfDao, `${dao.spaceId} carries the score of another DAO`);
  const explained = buildEvidence(evidence, current);
  const isEmpty = hasEmptyFrame(evidence);
  return {
    details: standing === undefined ? [] : [placeDetail(buildDaoDetail(scored), standing, [])],
    risks: standing === undefined ? [] : present(buildRiskAssessment(scored)),
    listings: present(buildDelegateListing(scored, entities)),
    graphs: present(buildDelegationGraph(scored, entities)),
    histories: present(buildDaoHistory(scored)),
    evidence: isEmpty ? [] : [explained],
    emptyFrames: isEmpty ? [{ spaceId: dao.spaceId, proposals: explained.proposals }] : [],
  };
}

const present = <Value>(value: Value | undefined): readonly Value[] => (value === undefined ? [] : [value]);
