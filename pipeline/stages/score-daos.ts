import { setImmediate as nextTurn } from "node:timers/promises";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import type { DaoRow } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { RunEffects } from "../home/settings.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { createIndexSeries, scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { inOrder } from "./in-order.ts";
import { createDaoScoring, methodKey, type PackedOne, packedDay, packOne } from "./score-dao.ts";
import type { PutAside, ScratchFile } from "./scratch-file.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** Everything that is computed for one version. */
export type ScoredDaos = Awaited<ReturnType<typeof scoreDaos>>;

/** One DAO that was scored: what is held of it, and where the rest was put aside. */
export interface ScoredRow extends DaoRow {
  /** A `ScoredDao`. */
  readonly scored: PutAside;
  /** The daily points that stand from now on, to be kept once they are published. */
  readonly standing: PutAside | undefined;
}

/** What is scored, out of what, as of when. */
export interface ScoringInput {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  readonly scratch: ScratchFile;
  /** Without threads one DAO is scored after the other, in this one. */
  readonly threads?: ThreadPool | undefined;
}

/** Scores DAOs as of one moment, of a day earlier and of every ended day of a year that nothing is kept of, and the index over them. */
export async function scoreDaos(input: ScoringInput) {
  const { registry, warehouse, asOfMs, effects, threads, scratch } = input;
  const score = createDaoScoring(registry, warehouse);
  const entities = publicEntities(registry);
  const scoreOne = async (dao: TrackedDao): Promise<PackedOne> => {
    if (threads !== undefined) return threads.run<PackedOne>({ kind: "score", dao, asOfMs });
    // Scoring never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
    return packOne(score(dao, asOfMs), entities);
  };
  // Sums of the index are in this order, whatever that of the registry.
  const daos = input.daos.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  const dayEndsMs = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
  const series = createIndexSeries(dayEndsMs);
  const rows: ScoredRow[] = [];
  const findings: Finding[] = [];
  for await (const { row, days, standing, scored, firstDays, ...rest } of inOrder(
    daos,
    threads?.atOnce ?? 1,
    scoreOne,
  )) {
    dayEndsMs.forEach((_, index) => {
      const point = packedDay(days, index);
      if (point !== undefined) series.add(index, point);
    });
    findings.push(...rest.findings, ...historyFindings(row.spaceId, firstDays, warehouse));
    rows.push({
      ...row,
      scored: scratch.putAside(scored),
      standing: standing === undefined ? undefined : scratch.putAside(standing),
    });
    const { gvs, unscored } = row.score;
    const facts = unscored === undefined ? { gvs: gvs.point.toFixed(2) } : { unscored };
    effects.progress.step("score", rows.length, daos.length, row.spaceId, facts);
  }
  const points = rows.flatMap(({ spaceId, point }) => (point === undefined ? [] : [{ ...point, spaceId }]));
  return {
    /** By space_id. */
    rows,
    /** Data that miss their source's own counts, and history that was made anew. */
    findings,
    index: scoreGovernanceIndex(points, asOfMs),
    /** As of the end of each ended day of the longest period, ascending; days with too few DAOs are absent. */
    indexHistory: series.indexes().flatMap((index) => index ?? []),
  };
}

/** Where points of another method are kept, the year is not new but made anew, and a reader should know. */
function historyFindings(spaceId: string, firstDays: number, warehouse: Warehouse): readonly Finding[] {
  if (firstDays === 0 || !warehouse.dailyPoints.hasOtherMethod(spaceId, methodKey())) return [];
  const message = `the method or a constant of it changed: ${firstDays} days were scored anew with ${METHODOLOGY.version}`;
  return [{ code: "HISTORY_RECOMPUTED", space_id: spaceId, message }];
}
