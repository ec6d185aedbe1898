import { setImmediate as nextTurn } from "node:timers/promises";
import { inOrder } from "../../snapshots/base/concurrency.ts";
import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import { topEntitiesOf } from "../../snapshots/format/entity.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { RenderedPart } from "../../snapshots/store/write/render-part.ts";
import { buildLists } from "../documents/build-documents.ts";
import { placeDetail } from "../documents/dao-documents.ts";
import { type DaoRow, indexMembers, rankRows } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import type { Standing } from "../documents/scored-dao.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { checkDao } from "../gate/check-gates.ts";
import type { RunEffects } from "../home/settings.ts";
import { type Difference, recomputeLists } from "../recompute/recompute.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { createIndexHistory, scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { EarlierVisits } from "./earlier-visits.ts";
import { createDaoScoring, methodKey } from "./score-dao.ts";
import type { ThreadPool } from "./thread-pool.ts";
import { createDaoVisits, type VisitedDao } from "./visit-dao.ts";

interface VisitInput {
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

export interface VisitedVersion {
  readonly lists: VersionLists;
  /** By space_id. */
  readonly rows: readonly DaoRow[];
  readonly standings: ReadonlyMap<string, Standing>;
  /** Differences from a source's own counts, and histories that were scored again. */
  readonly findings: readonly Finding[];
  /** What is kept of each DAO until the others are known; small, so that all DAOs fit into memory. */
  readonly kept: readonly Omit<VisitedDao, "days" | "firstDays" | "finalPoints" | "rendered">[];
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
  { registry, warehouse, asOfMs, effects, threads, isRendered, earlier }: VisitInput,
): AsyncGenerator<VisitedDao> {
  const visit = createDaoVisits(registry, createDaoScoring(registry, warehouse));
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
  { registry, warehouse, asOfMs }: Pick<VisitInput, "registry" | "warehouse" | "asOfMs">,
  visits: AsyncIterable<VisitedDao>,
  onPoints: (spaceId: string, finalPoints: VisitedDao["finalPoints"]) => void = () => {},
): AsyncGenerator<RenderedPart, VisitedVersion, undefined> {
  assertSomething(registry, warehouse);
  const indexHistory = createIndexHistory(asOfMs);
  const kept: VisitedVersion["kept"][number][] = [];
  const findings: Finding[] = [];
  for await (const { days, firstDays, finalPoints, rendered, ...dao } of visits) {
    const { spaceId } = dao.row;
    indexHistory.add(days);
    findings.push(...dao.findings);
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
    indexHistory: indexHistory.indexes(),
    corrections: registry.corrections,
  });
  return { lists, rows, standings, findings, kept };
}

/**
 * Completes and checks the documents of each DAO that depend on the others, by space_id: its detail, with its rank and
 * entities, and its risk. Yields none if a gate refuses any document of the DAO.
 */
export async function* placeDaos(
  { lists, standings, kept }: VisitedVersion,
  registry: Registry,
): AsyncGenerator<ReturnType<typeof checkDao>> {
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
