import { isDeepStrictEqual } from "node:util";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import { documentsBut } from "../../snapshots/format/agreement/check-shapes.ts";
import type { DaoDetail, RiskAssessment } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding, ManifestFile } from "../../snapshots/format/manifest.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import { buildDaoDocuments } from "../documents/build-documents.ts";
import { buildDaoList, buildUnscoredList, type DaoRow, rankRows, rowOf } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import { type DailyPoint, dayStartMs, endedDayEndsMs } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-gates.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import { deriveDao } from "../recompute/derive-dao.ts";
import { recomputePart } from "../recompute/recompute.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import type { IndexedScore } from "../score/ranking/governance-index.ts";
import { createDaoScoring, type ScoredOne } from "./score-dao.ts";

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
  /** Of each day with a weight in the index: its number among the year's ended days, gvs, components, weight, ends of the gvs. */
  readonly days: Float64Array;
  /** Newly scored points that can no longer change. */
  readonly finalPoints: readonly DailyPoint[];
  /** Newly scored days of a DAO without stored points. */
  readonly firstDays: number;
  readonly findings: readonly Finding[];
  /** Present if its documents only change once something is fetched, or at `untilMs`: its frame is empty. */
  readonly dormant:
    | {
        readonly untilMs: number;
        readonly findings: readonly Finding[];
        readonly file: ManifestFile;
      }
    | undefined;
}

/**
 * Returns a function that scores one DAO, builds its documents, recomputes them from their own evidence and checks them:
 * everything that can be done without knowing the other DAOs.
 */
export function createDaoVisits(
  registry: Registry,
  warehouse: Parameters<typeof createDaoScoring>[1],
): (visit: Visit) => VisitedDao {
  const score = createDaoScoring(registry, warehouse);
  const build = createDaoBuilding(registry);
  return ({ dao, asOfMs, isRendered, scoredUntilMs }) => build(score(dao, asOfMs, scoredUntilMs), isRendered);
}

/** The part of a visit that follows scoring. */
export function createDaoBuilding(registry: Registry): (one: ScoredOne, isRendered: boolean) => VisitedDao {
  const entities = publicEntities(registry);
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  return ({ scored, finalPoints, firstDays, findings, dormantUntilMs }, isRendered) => {
    const { spaceId } = scored.dao;
    const { asOfMs } = scored.current;
    const row = rowOf(scored, entities);
    const about = { asOf: timestampOf(asOfMs), methodologyVersion: METHODOLOGY.version };
    // Its rank and entities follow once all DAOs are known: until then it is the only one.
    const standings = rankRows([row]);
    const standing = standings.get(spaceId);
    const alone = { ...about, daos: buildDaoList([row], standings), unscored: buildUnscoredList([row]) };
    const documents = buildDaoDocuments(scored, standing, entities);
    const part = { ...contextsOf(alone)(spaceId), ...documents };
    // Only the documents to be published are used, not the data that they were built from.
    const derived = deriveDao(part);
    const { differences } = recomputePart(part, derived, standing);
    const { gated, checked } = checkDao(part, optedOut, differences);
    const version = {
      as_of: about.asOf,
      methodology_version: about.methodologyVersion,
      certainty: new Map(),
    };
    const rendered =
      checked === undefined || !isRendered
        ? undefined
        : renderPart(documentsBut(checked, ["dao", "risk"]), version);
    const isClean = gated.findings.length === 0 && differences.length === 0;
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
        dormantUntilMs === undefined || file === undefined || otherFiles.length > 0 || !isClean
          ? undefined
          : { untilMs: dormantUntilMs, findings, file: file.entry },
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

/** Days of the index's history (a year), and numbers per packed day. */
const INDEX_DAYS = DGI_PERIOD_DAYS["365d"];
const DAY_NUMBERS = 9;

function packDays(points: readonly DailyPoint[], asOfMs: number): Float64Array {
  const [firstEndMs = 0] = endedDayEndsMs(asOfMs, INDEX_DAYS);
  const firstDayMs = dayStartMs(firstEndMs);
  const numbers = points.flatMap(
    ({ date, gvs, gvsEnds, components: { hpr, dei, pdi, gpi }, indexWeight }) => {
      const index = (Date.parse(date) - firstDayMs) / DAY_MS;
      const isIndexed = index >= 0 && index < INDEX_DAYS && indexWeight !== 0;
      const ends = gvsEnds ?? [Number.NaN, Number.NaN];
      return isIndexed ? [index, gvs, hpr, dei, pdi, gpi, indexWeight, ...ends] : [];
    },
  );
  return Float64Array.from(numbers);
}

/** Yields a DAO's contribution to the index on each packed day, by the day's number. */
export function* packedDays(days: Float64Array): Generator<readonly [index: number, point: IndexedScore]> {
  for (let start = 0; start < days.length; start += DAY_NUMBERS) {
    const [index = 0, gvs = 0, hpr = 0, dei = 0, pdi = 0, gpi = 0, indexWeight = 0, low = 0, high = 0] =
      days.subarray(start, start + DAY_NUMBERS);
    const gvsEnds = Number.isNaN(low) ? undefined : ([low, high] as const);
    yield [index, { gvs, gvsEnds, components: { hpr, dei, pdi, gpi }, indexWeight }];
  }
}
