import { setImmediate as nextTurn } from "node:timers/promises";
import { dayOf } from "../../snapshots/format/ids.ts";
import type { Finding } from "../../snapshots/format/run-report.ts";
import { DAY_MS, endedDayEndsMs } from "../base/days.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { dailyPointOf } from "../score/daily-point-of.ts";
import { createDaoScorer } from "../score/dao-scorer.ts";
import type { GovernanceIndex } from "../score/governance-index.ts";
import { METHODOLOGY } from "../score/methodology.ts";
import { reconcile } from "../score/reconciliation.ts";
import { scoreTrend } from "../score/trend.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { historyDayEndsMs, joinPoints, missingDayEndsMs, standingPoints } from "./daily-points.ts";
import type { RunEffects } from "./effects.ts";
import { entityOfWallet } from "./entity-of-wallet.ts";
import { historyFinding } from "./history-finding.ts";
import { methodKey } from "./method-key.ts";
import { reconciliationFindings } from "./reconciliation-findings.ts";
import { indexAt, indexHistoryOf } from "./score-index.ts";

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

interface Work {
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly entityIdOfWallet: ReadonlyMap<string, string>;
  readonly methodKey: string;
}

/** The trend looks at the risk of the last 30 ended days. */
function trendOf(points: readonly DailyPoint[], asOfMs: number): ScoredDao["trend"] {
  const days = endedDayEndsMs(asOfMs, METHODOLOGY.risk.trendDays).map(dayOf);
  const riskOf = new Map(points.map(({ date, riskScore }) => [date, riskScore]));
  return scoreTrend(
    days.flatMap((date, dayIndex) => {
      const risk = riskOf.get(date);
      return risk === undefined ? [] : [{ dayIndex, risk }];
    }),
  );
}

function scoreDao(
  dao: TrackedDao,
  { warehouse, registry, asOfMs, entityIdOfWallet, methodKey: key }: Work,
): { readonly scored: ScoredDao; readonly standing: readonly DailyPoint[]; readonly findings: Finding[] } {
  const facts = warehouse.daoFacts(dao, registry);
  const scorer = createDaoScorer(facts, (wallet) => entityIdOfWallet.get(wallet));
  const kept = warehouse.dailyPoints.read(dao.spaceId, key);
  const isMadeAnew = kept.length === 0 && warehouse.dailyPoints.hasOtherMethod(dao.spaceId, key);
  const fresh = scorer
    .scoreDays(missingDayEndsMs(historyDayEndsMs(asOfMs), kept))
    .flatMap((score) => dailyPointOf(score) ?? []);
  const points = joinPoints(kept, fresh, asOfMs);
  const delegates = scorer.delegates.tracedAt(asOfMs);
  const scored: ScoredDao = {
    dao,
    current: scorer.scoreAt(asOfMs, false),
    evidence: scorer.evidenceAt(asOfMs),
    dayBefore: scorer.scoreAt(asOfMs - DAY_MS, true),
    points,
    trend: trendOf(points, asOfMs),
    latestDelegates: delegates?.ranking,
    delegations: delegates?.delegations,
    datedDelegates: scorer.delegates.dated(asOfMs),
  };
  return {
    scored,
    standing: standingPoints(fresh, asOfMs),
    findings: [
      ...reconciliationFindings(dao.spaceId, reconcile(facts)),
      ...(isMadeAnew && fresh.length > 0 ? [historyFinding(dao.spaceId, fresh.length)] : []),
    ],
  };
}

/** Scores DAOs as of one moment, of a day earlier and of every ended day of a year that nothing is kept of, and the index over them. */
export async function scoreDaos(input: {
  readonly daos: readonly TrackedDao[];
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
}): Promise<ScoredDaos> {
  const { daos, registry, warehouse, asOfMs, effects } = input;
  const entityIdOfWallet = entityOfWallet(registry);
  const work: Work = { registry, warehouse, asOfMs, entityIdOfWallet, methodKey: methodKey() };
  const findings: Finding[] = [];
  const scored: ScoredDao[] = [];
  const standing = new Map<string, readonly DailyPoint[]>();
  for (const dao of daos) {
    const result = scoreDao(dao, work);
    const { gvs } = result.scored.current;
    findings.push(...result.findings);
    const facts = gvs.kind === "score" ? { gvs: gvs.points.toFixed(2) } : { unscored: gvs.reason };
    scored.push(result.scored);
    if (result.standing.length > 0) standing.set(dao.spaceId, result.standing);
    effects.progress.step("score", scored.length, daos.length, dao.spaceId, facts);
    // Scoring never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
  }
  return {
    daos: scored,
    findings,
    standing,
    index: indexAt(scored, asOfMs),
    indexHistory: indexHistoryOf(scored, asOfMs),
  };
}
