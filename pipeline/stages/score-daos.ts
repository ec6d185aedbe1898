import { setImmediate as nextTurn } from "node:timers/promises";
import { dayOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { RunEffects } from "../home/settings.ts";
import { dailyPointOf } from "../score/daily-point.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import {
  createIndexSeries,
  type GovernanceIndex,
  scoreGovernanceIndex,
} from "../score/ranking/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { createDaoScoring, methodKey, type ScoredOne } from "./score-dao.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** Everything that is computed for one version. */
export type ScoredDaos = Awaited<ReturnType<typeof scoreDaos>>;

/** Scores DAOs as of one moment, of a day earlier and of every ended day of a year that nothing is kept of, and the index over them. */
export async function scoreDaos(input: {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  /** Without threads one DAO is scored after the other, in this one. */
  readonly threads?: ThreadPool | undefined;
}) {
  const { daos, registry, warehouse, asOfMs, effects, threads } = input;
  const results = new Map<string, ScoredOne>();
  const score = createDaoScoring(registry, warehouse);
  const scoreOne = async (dao: TrackedDao): Promise<ScoredOne> => {
    if (threads !== undefined) return threads.run<ScoredOne>({ kind: "score", dao, asOfMs });
    // Scoring never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
    return score(dao, asOfMs);
  };
  const queue = daos.values();
  const work = async (): Promise<void> => {
    for (const dao of queue) {
      const result = await scoreOne(dao);
      results.set(dao.spaceId, result);
      const { gvs, unscored } = result.scored.current;
      const facts = unscored === undefined ? { gvs: gvs.point.toFixed(2) } : { unscored };
      effects.progress.step("score", results.size, daos.length, dao.spaceId, facts);
    }
  };
  await Promise.all(Array.from({ length: threads?.atOnce ?? 1 }, work));
  const inOrder = daos.flatMap(({ spaceId }) => results.get(spaceId) ?? []);
  const scored = inOrder.map((result) => result.scored);
  return {
    daos: scored,
    /** Data that miss their source's own counts, and history that was made anew. */
    findings: inOrder.flatMap((result) => [...result.findings, ...historyFindings(result, warehouse)]),
    /** By space_id: points that were scored now and stand from now on. To be kept once they are published. */
    standing: new Map(
      inOrder.flatMap(({ scored: { dao }, standing }) =>
        standing.length > 0 ? [[dao.spaceId, standing] as const] : [],
      ),
    ),
    index: indexAt(scored, asOfMs),
    indexHistory: indexHistoryOf(scored, asOfMs),
  };
}

/** Where points of another method are kept, the year is not new but made anew, and a reader should know. */
function historyFindings({ scored, firstDays }: ScoredOne, warehouse: Warehouse): readonly Finding[] {
  const { spaceId } = scored.dao;
  if (firstDays === 0 || !warehouse.dailyPoints.hasOtherMethod(spaceId, methodKey())) return [];
  const message = `the method or a constant of it changed: ${firstDays} days were scored anew with ${METHODOLOGY.version}`;
  return [{ code: "HISTORY_RECOMPUTED", space_id: spaceId, message }];
}

/** The index as of the run. */
function indexAt(daos: readonly ScoredDao[], asOfMs: number): GovernanceIndex | undefined {
  const scores = daos.flatMap(({ dao, current }) => {
    const point = dailyPointOf(current);
    return point === undefined ? [] : [{ ...point, spaceId: dao.spaceId }];
  });
  return scoreGovernanceIndex(scores, asOfMs);
}

/** The index as of the end of each ended day of the longest period, ascending; days with too few DAOs are absent. */
function indexHistoryOf(daos: readonly ScoredDao[], asOfMs: number): GovernanceIndex[] {
  const dayEndsMs = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
  const indexOf = new Map(dayEndsMs.map((endMs, index) => [dayOf(endMs), index]));
  const series = createIndexSeries(dayEndsMs);
  const bySpaceId = [...daos].sort((a, b) => (a.dao.spaceId < b.dao.spaceId ? -1 : 1));
  for (const { points } of bySpaceId) {
    for (const point of points) {
      const index = indexOf.get(point.date);
      if (index !== undefined) series.add(index, point);
    }
  }
  return series.indexes().flatMap((index) => index ?? []);
}
