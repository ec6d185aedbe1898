import { setImmediate as nextTurn } from "node:timers/promises";
import { dayOf } from "../../snapshots/format/ids.ts";
import { GVS_HISTORY_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/run-report.ts";
import { DAY_MS, endedDayEndsMs } from "../base/days.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { createDaoScorer } from "../score/dao-scorer.ts";
import { type GovernanceIndex, scoreGovernanceIndex } from "../score/governance-index.ts";
import { reconcile } from "../score/reconciliation.ts";
import { scoreTrend } from "../score/trend.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { reconciliationFindings } from "./reconciliation-findings.ts";

/** Everything that is computed for one version. */
export interface ScoredDaos {
  readonly daos: readonly ScoredDao[];
  readonly index: GovernanceIndex | undefined;
  /** As of the last ended days, ascending; days with too few members are absent. */
  readonly indexHistory: readonly GovernanceIndex[];
  /** Data that miss their source's own counts. */
  readonly findings: readonly Finding[];
}

function scoreDao(
  dao: TrackedDao,
  warehouse: Warehouse,
  registry: Registry,
  asOfMs: number,
  entityIdOfWallet: ReadonlyMap<string, string>,
): { readonly scored: ScoredDao; readonly findings: readonly Finding[] } {
  const facts = warehouse.daoFacts(dao, registry);
  const scorer = createDaoScorer(facts, (wallet) => entityIdOfWallet.get(wallet));
  const dayEnds = endedDayEndsMs(asOfMs, GVS_HISTORY_DAYS).map((atMs) => ({
    date: dayOf(atMs),
    score: scorer.scoreAt(atMs, true),
  }));
  const risks = dayEnds.flatMap(({ score }, dayIndex) =>
    score.risk.kind === "risk" ? [{ dayIndex, risk: score.risk.score }] : [],
  );
  const scored: ScoredDao = {
    dao,
    current: scorer.scoreAt(asOfMs, false),
    dayBefore: scorer.scoreAt(asOfMs - DAY_MS, true),
    dayEnds,
    trend: scoreTrend(risks),
    latestDelegates: scorer.delegates.at(asOfMs),
    datedDelegates: scorer.delegates.dated(asOfMs),
  };
  return { scored, findings: reconciliationFindings(dao.spaceId, reconcile(facts)) };
}

/** Scores DAOs as of one moment, of the 30 ended days before it and of a day earlier, and the index over them. */
export async function scoreDaos(input: {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
}): Promise<ScoredDaos> {
  const { daos, registry, warehouse, asOfMs, effects } = input;
  const entityIdOfWallet = new Map(
    registry.entities.flatMap(({ entityId, wallets }) =>
      wallets.map((wallet) => [wallet, entityId] as const),
    ),
  );
  const findings: Finding[] = [];
  const scored: ScoredDao[] = [];
  for (const dao of daos) {
    const result = scoreDao(dao, warehouse, registry, asOfMs, entityIdOfWallet);
    const { gvs } = result.scored.current;
    findings.push(...result.findings);
    const facts = gvs.kind === "score" ? { gvs: gvs.points.toFixed(2) } : { unscored: gvs.reason };
    scored.push(result.scored);
    effects.progress.step("score", scored.length, daos.length, dao.spaceId, facts);
    // Scoring never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
  }
  const dayEndsMs = endedDayEndsMs(asOfMs, GVS_HISTORY_DAYS);
  return {
    daos: scored,
    findings,
    index: scoreGovernanceIndex(
      scored.map((dao) => dao.current),
      asOfMs,
    ),
    indexHistory: dayEndsMs.flatMap((atMs, day) => {
      const scores = scored.flatMap((dao) => dao.dayEnds[day]?.score ?? []);
      return scoreGovernanceIndex(scores, atMs) ?? [];
    }),
  };
}
