import { setImmediate as nextTurn } from "node:timers/promises";
import { inOrder } from "../../snapshots/base/concurrency.ts";
import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import type { CheckedDocuments } from "../../snapshots/format/agreement/check-shapes.ts";
import { topEntitiesOf } from "../../snapshots/format/entity.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { RenderedPart } from "../../snapshots/store/write/render-part.ts";
import { buildLists } from "../documents/build-documents.ts";
import { placeDetail } from "../documents/dao-documents.ts";
import { type DaoRow, indexMembers, rankRows } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import type { Standing } from "../documents/scored-dao.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-gates.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import type { RunEffects } from "../home/settings.ts";
import type { Difference } from "../recompute/differences.ts";
import { recomputeLists } from "../recompute/recompute.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { createIndexSeries, scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { EarlierVisits } from "./earlier-visits.ts";
import { methodKey } from "./score-dao.ts";
import type { ThreadPool } from "./thread-pool.ts";
import { createDaoVisits, packedDays, type VisitedDao } from "./visit-dao.ts";

/** What to build a version from, as of when. */
export interface VersionInput {
  /** With current opt-outs. */
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  /** Without threads, the DAOs are visited one by one in this thread. */
  readonly threads?: ThreadPool | undefined;
  readonly isRendered: boolean;
  /** What need not be found out again; without it everything is. */
  readonly earlier?: Pick<EarlierVisits, "recall"> | undefined;
}

/** All DAOs of a version. */
export interface VisitedVersion {
  readonly lists: VersionLists;
  /** By space_id. */
  readonly rows: readonly DaoRow[];
  readonly standings: ReadonlyMap<string, Standing>;
  /** Differences from a source's own counts, and recomputed histories. */
  readonly findings: readonly Finding[];
  /** What is kept of each DAO until the others are known; small, so that all DAOs fit into memory. */
  readonly kept: readonly Pick<VisitedDao, "row" | "detail" | "risk" | "gated" | "derived" | "dormant">[];
}

/** Throws `NOTHING_TO_SCORE` if a version would have no data at all. */
function assertSomething(registry: Registry, warehouse: Warehouse): void {
  if (registry.daos.length === 0) {
    const isListed = registry.spaces !== undefined;
    const hint = isListed
      ? "Run `govdata fetch`, which gets the hub's list of spaces."
      : "Add DAOs under `daos:`.";
    throw pipelineFailure("NOTHING_TO_SCORE", "the registry tracks no DAO", { hint });
  }
  const held = new Set(warehouse.holdings().map((holding) => holding.spaceId));
  if (registry.daos.some((dao) => held.has(dao.spaceId))) return;
  const others = held.size === 0 ? "" : `: this home has data of ${held.size} other DAOs`;
  throw pipelineFailure("NOTHING_TO_SCORE", "no tracked DAO was ever fetched into this home", {
    hint: `Run \`govdata fetch\` or \`govdata run\` first. Check --home and --registry${others}.`,
  });
}

/** Visits DAOs, by space_id. */
export async function* visitDaos(
  daos: readonly TrackedDao[],
  { registry, warehouse, asOfMs, effects, threads, isRendered, earlier }: VersionInput,
): AsyncGenerator<VisitedDao> {
  const visit = createDaoVisits(registry, warehouse);
  const visitOne = async (dao: TrackedDao): Promise<VisitedDao> => {
    // Visiting here never awaits, so interrupts are only seen now.
    if (threads === undefined || earlier !== undefined) await nextTurn();
    const { visited, scoredUntilMs } = earlier?.recall(dao) ?? {};
    if (visited !== undefined) return visited;
    const task = { dao, asOfMs, isRendered, scoredUntilMs };
    return threads === undefined ? visit(task) : threads.run<VisitedDao>({ kind: "visit", ...task });
  };
  // The index is summed in this order, independent of the registry's.
  const sorted = daos.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  let done = 0;
  for await (const visited of inOrder(sorted, threads?.atOnce ?? 1, visitOne)) {
    const { spaceId, score } = visited.row;
    const facts =
      score.unscored === undefined ? { gvs: score.gvs.point.toFixed(2) } : { unscored: score.unscored };
    done += 1;
    effects.progress.step("score", done, sorted.length, spaceId, facts);
    yield visited;
  }
}

/**
 * Yields the files of every visited DAO and keeps what the lists need; then ranks all of them. Deterministic: the same
 * warehouse, registry and moment give the same result.
 */
export async function* visitVersion(
  input: VersionInput,
  onPoints: (spaceId: string, finalPoints: VisitedDao["finalPoints"]) => void = () => {},
  visits: AsyncIterable<VisitedDao> = visitDaos(input.registry.daos, input),
): AsyncGenerator<RenderedPart, VisitedVersion, undefined> {
  const { registry, warehouse, asOfMs } = input;
  assertSomething(registry, warehouse);
  const series = createIndexSeries(endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]));
  const kept: VisitedVersion["kept"][number][] = [];
  const findings: Finding[] = [];
  for await (const { days, firstDays, finalPoints, rendered, findings: ofDao, ...dao } of visits) {
    const { spaceId } = dao.row;
    for (const [index, point] of packedDays(days)) series.add(index, point);
    findings.push(...ofDao);
    // There are stored points, but of another version of the method.
    if (firstDays > 0 && warehouse.dailyPoints.hasOtherMethod(spaceId, methodKey())) {
      const message = `the method or one of its constants changed: ${firstDays} days were scored again with ${METHODOLOGY.version}`;
      findings.push({ code: "HISTORY_RECOMPUTED", space_id: spaceId, message });
    }
    kept.push(dao);
    if (finalPoints.length > 0) onPoints(spaceId, finalPoints);
    if (rendered !== undefined) yield rendered;
  }
  const rows = kept.map(({ row }) => row);
  const standings = rankRows(rows);
  const lists = buildLists({
    asOfMs,
    rows,
    standings,
    entities: publicEntities(registry),
    index: scoreGovernanceIndex(indexMembers(rows), asOfMs),
    // At the end of each ended day of the longest period, ascending; days with too few DAOs are absent.
    indexHistory: series.indexes().flatMap((index) => index ?? []),
    corrections: registry.corrections,
  });
  return { lists, rows, standings, findings, kept };
}

/** The documents of one DAO that depend on the others: its detail with its rank and entities, and its risk. */
interface PlacedDao {
  readonly gated: GatedDao;
  /** Absent if a gate refuses them. */
  readonly checked: CheckedDocuments | undefined;
}

/** Completes and checks the documents of every DAO, by space_id. */
export async function* placeDaos(
  { lists, standings, kept }: VisitedVersion,
  registry: Registry,
): AsyncGenerator<PlacedDao> {
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  const contextOf = contextsOf(lists);
  const topEntities = topEntitiesOf(lists.entities);
  const others = { listings: [], graphs: [], histories: [], evidence: [], emptyFrames: [] };
  for (const { row, detail, risk, gated: before } of kept) {
    await nextTurn();
    // Its detail was checked with the rest.
    if (before.findings.length > 0) {
      yield { gated: before, checked: undefined };
      continue;
    }
    const { spaceId } = row;
    const standing = standings.get(spaceId);
    const placed = detail && standing && placeDetail(detail, standing, topEntities.get(spaceId) ?? []);
    const documents = { details: placed ? [placed] : [], risks: risk ? [risk] : [], ...others };
    const { gated, checked } = checkDao({ ...contextOf(spaceId), ...documents }, optedOut, []);
    const digest = { ...gated.digest, hasEvidence: before.digest.hasEvidence };
    yield { gated: { ...before, digest, findings: gated.findings }, checked };
  }
}

/** Where figures recomputed from all evidence differ from the published lists and ranks. */
export function listDifferences({ lists, kept }: VisitedVersion): readonly Difference[] {
  const derived = kept.flatMap(({ derived }) => derived ?? []);
  return recomputeLists(lists, derived, rankRows(derived)).differences;
}
