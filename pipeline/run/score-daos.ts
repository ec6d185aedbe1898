import { setImmediate as nextTurn } from "node:timers/promises";
import type { Finding } from "../../snapshots/format/run-report.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { GovernanceIndex } from "../score/governance-index.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { historyFinding } from "./history-finding.ts";
import { methodKey } from "./method-key.ts";
import { indexAt, indexHistoryOf } from "./score-index.ts";
import { createDaoScoring, type ScoredOne } from "./score-one-dao.ts";
import type { ThreadPool } from "./threads/thread-pool.ts";

/** Everything that is computed for one version. */
export interface ScoredDaos {
  readonly daos: readonly ScoredDao[];
  readonly index: GovernanceIndex | undefined;
  /** As of the last ended days, ascending; days with too few members are absent. */
  readonly indexHistory: readonly GovernanceIndex[];
  /** By space_id: points that were scored now and stand from now on. To be kept once they are published. */
  readonly standing: ReadonlyMap<string, readonly DailyPoint[]>;
  /** Data that miss their source's own counts, and history that was made anew. */
  readonly findings: readonly Finding[];
}

/** Where points of another method are kept, the year is not new but made anew. */
function historyFindings({ scored, firstDays }: ScoredOne, warehouse: Warehouse): readonly Finding[] {
  const { spaceId } = scored.dao;
  const isMadeAnew = firstDays > 0 && warehouse.dailyPoints.hasOtherMethod(spaceId, methodKey());
  return isMadeAnew ? [historyFinding(spaceId, firstDays)] : [];
}

/** Scores DAOs as of one moment, of a day earlier and of every ended day of a year that nothing is kept of, and the index over them. */
export async function scoreDaos(input: {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  /** Without threads one DAO is scored after the other, in this one. */
  readonly threads?: ThreadPool | undefined;
}): Promise<ScoredDaos> {
  const { daos, registry, warehouse, asOfMs, effects, threads } = input;
  const results = new Map<string, ScoredOne>();
  const score = threads === undefined ? createDaoScoring(registry, warehouse) : undefined;
  const scoreOne = async (dao: TrackedDao): Promise<ScoredOne> => {
    if (threads !== undefined) return threads.run<ScoredOne>({ kind: "score", dao, asOfMs });
    // Scoring never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
    return (score ?? createDaoScoring(registry, warehouse))(dao, asOfMs);
  };
  const queue = daos.values();
  const work = async (): Promise<void> => {
    for (const dao of queue) {
      const result = await scoreOne(dao);
      results.set(dao.spaceId, result);
      const { gvs } = result.scored.current;
      const facts = gvs.kind === "score" ? { gvs: gvs.points.toFixed(2) } : { unscored: gvs.reason };
      effects.progress.step("score", results.size, daos.length, dao.spaceId, facts);
    }
  };
  await Promise.all(Array.from({ length: threads?.atOnce ?? 1 }, work));
  const inOrder = daos.flatMap(({ spaceId }) => results.get(spaceId) ?? []);
  const scored = inOrder.map((result) => result.scored);
  return {
    daos: scored,
    findings: inOrder.flatMap((result) => [...result.findings, ...historyFindings(result, warehouse)]),
    standing: new Map(
      inOrder.flatMap(({ scored: { dao }, standing }) =>
        standing.length > 0 ? [[dao.spaceId, standing] as const] : [],
      ),
    ),
    index: indexAt(scored, asOfMs),
    indexHistory: indexHistoryOf(scored, asOfMs),
  };
}
