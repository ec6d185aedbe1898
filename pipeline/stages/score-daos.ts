import { setImmediate as nextTurn } from "node:timers/promises";
import { inOrder } from "../../snapshots/base/concurrency.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import { indexMembers } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { RunEffects } from "../home/settings.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { createIndexSeries, scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import {
  createDaoScoring,
  methodKey,
  type PackedOne,
  packedDays,
  packOne,
  type ScoredRow,
} from "./score-dao.ts";
import type { ScratchFile } from "./scratch-file.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** Everything computed for one version. */
export type ScoredDaos = Awaited<ReturnType<typeof scoreDaos>>;

/** What to score, from which data, as of when. */
export interface ScoringInput {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  readonly scratch: ScratchFile;
  /** Without threads, the DAOs are scored one by one in this thread. */
  readonly threads?: ThreadPool | undefined;
}

/**
 * Scores DAOs as of a moment, as of the day before, and at the end of every day of the year without a stored
 * point; and computes the index.
 */
export async function scoreDaos(input: ScoringInput) {
  const { registry, warehouse, asOfMs, effects, threads, scratch } = input;
  const score = createDaoScoring(registry, warehouse);
  const entities = publicEntities(registry);
  const scoreOne = async (dao: TrackedDao): Promise<PackedOne> => {
    if (threads !== undefined) return threads.run<PackedOne>({ kind: "score", dao, asOfMs, scratch });
    // Scoring never awaits, so interrupts are only seen here.
    await nextTurn();
    return packOne(score(dao, asOfMs), entities, scratch);
  };
  // The index is summed in this order, independent of the registry's.
  const daos = input.daos.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  const dayEndsMs = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
  const series = createIndexSeries(dayEndsMs);
  const rows: ScoredRow[] = [];
  const findings: Finding[] = [];
  for await (const { row, days, firstDays, ...rest } of inOrder(daos, threads?.atOnce ?? 1, scoreOne)) {
    for (const [index, point] of packedDays(days)) series.add(index, point);
    findings.push(...rest.findings, ...historyFindings(row.spaceId, firstDays, warehouse));
    rows.push(row);
    const { gvs, unscored } = row.score;
    const facts = unscored === undefined ? { gvs: gvs.point.toFixed(2) } : { unscored };
    effects.progress.step("score", rows.length, daos.length, row.spaceId, facts);
  }
  return {
    /** By space_id. */
    rows,
    /** Differences from a source's own counts, and recomputed histories. */
    findings,
    index: scoreGovernanceIndex(indexMembers(rows), asOfMs),
    /** At the end of each ended day of the longest period, ascending; days with too few DAOs are absent. */
    indexHistory: series.indexes().flatMap((index) => index ?? []),
  };
}

/** Reports a recomputed year: there are stored points, but of another version of the method. */
function historyFindings(spaceId: string, firstDays: number, warehouse: Warehouse): readonly Finding[] {
  if (firstDays === 0 || !warehouse.dailyPoints.hasOtherMethod(spaceId, methodKey())) return [];
  const message = `the method or one of its constants changed: ${firstDays} days were scored again with ${METHODOLOGY.version}`;
  return [{ code: "HISTORY_RECOMPUTED", space_id: spaceId, message }];
}
