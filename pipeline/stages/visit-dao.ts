import { isDeepStrictEqual } from "node:util";
import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import { documentsBut } from "../../snapshots/format/agreement/check-shapes.ts";
import type { DaoDetail, RiskAssessment } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { Finding, ManifestFile } from "../../snapshots/format/manifest.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import { buildDaoDocuments } from "../documents/build-documents.ts";
import { buildDaoList, buildUnscoredList, type DaoRow, rankRows, rowOf } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import type { DailyPoint } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-gates.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import { deriveDao } from "../recompute/derive-dao.ts";
import { recomputePart } from "../recompute/recompute.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { packDays } from "../score/ranking/governance-index.ts";
import type { createDaoScoring } from "./score-dao.ts";

/** What to visit: one DAO as of a moment. */
export interface Visit {
  readonly dao: TrackedDao;
  readonly asOfMs: number;
  /** Whether to render the files, or only to score and to run the gates. */
  readonly isRendered: boolean;
  /** Days that ended by then have a stored point or no score. */
  readonly scoredUntilMs?: number | undefined;
}

/** What one visit found out about a DAO, as plain data that can be posted between threads. */
export interface VisitedDao {
  readonly row: DaoRow;
  /** Its detail as if no other DAO had a score, and its risk; absent without a score. */
  readonly detail: DaoDetail | undefined;
  readonly risk: RiskAssessment | undefined;
  readonly gated: GatedDao;
  /** Recomputed from its evidence: the very `row` if it follows; absent without evidence. */
  readonly derived: DaoRow | undefined;
  /** The files that depend on no other DAO; absent if a gate refuses them, or if rendering was not requested. */
  readonly rendered: RenderedPart | undefined;
  /** As packed by `packDays`. */
  readonly days: Float64Array;
  /** Newly scored points that can no longer change. */
  readonly finalPoints: readonly DailyPoint[];
  /** Newly scored days of a DAO without stored points. */
  readonly firstDays: number;
  readonly findings: readonly Finding[];
  /** Present if its documents only change once something is fetched, or at `untilMs`: its frame is empty. */
  readonly dormant: { readonly untilMs: number; readonly file: ManifestFile } | undefined;
}

/**
 * Returns a function that scores one DAO, builds its documents, recomputes them from their own evidence and checks them:
 * everything that can be done without knowing the other DAOs.
 */
export function createDaoVisits(
  registry: Registry,
  score: ReturnType<typeof createDaoScoring>,
): (visit: Visit) => VisitedDao {
  const entities = publicEntities(registry);
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  return ({ dao, asOfMs, isRendered, scoredUntilMs }) => {
    const { scored, finalPoints, firstDays, findings, dormantUntilMs } = score(dao, asOfMs, scoredUntilMs);
    const { spaceId } = dao;
    const row = rowOf(scored, entities);
    const about = { as_of: timestampOf(asOfMs), methodology_version: METHODOLOGY.version };
    // Its rank and entities follow once all DAOs are known: until then it is the only one.
    const standings = rankRows([row]);
    const standing = standings.get(spaceId);
    const alone = {
      asOf: about.as_of,
      methodologyVersion: about.methodology_version,
      daos: buildDaoList([row], standings),
      unscored: buildUnscoredList([row]),
    };
    const documents = buildDaoDocuments(scored, standing, entities);
    const part = { ...contextsOf(alone)(spaceId), ...documents };
    // Only the documents to be published are used, not the data that they were built from.
    const derived = deriveDao(part);
    const { differences } = recomputePart(part, derived, standing);
    const { gated, checked } = checkDao(part, optedOut, differences);
    const rendered =
      checked === undefined || !isRendered
        ? undefined
        : renderPart(documentsBut(checked, ["dao", "risk"]), { ...about, certainty: new Map() });
    const [file, ...otherFiles] = rendered?.files ?? [];
    return {
      row,
      detail: documents.details[0],
      risk: documents.risks[0],
      gated,
      derived: derived && (isSameRow(row, derived.row) ? row : derived.row),
      rendered,
      days: packDays(scored.points, asOfMs),
      finalPoints,
      firstDays,
      findings,
      dormant:
        dormantUntilMs === undefined || file === undefined || otherFiles.length > 0 || differences.length > 0
          ? undefined
          : { untilMs: dormantUntilMs, file: file.entry },
    };
  };
}

/** Whether a recomputed row is the row; the day before and who takes part are in no evidence. */
function isSameRow(row: DaoRow, derived: DaoRow): boolean {
  const comparable = ({ participations: _, summary, ...rest }: DaoRow) => ({
    ...rest,
    summary: summary && { ...summary, delta_24h: 0 },
  });
  return isDeepStrictEqual(comparable(row), comparable(derived));
}
