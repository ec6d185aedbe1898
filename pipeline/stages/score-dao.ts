import { createHash } from "node:crypto";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import { hasEmptyFrame } from "../documents/evidence-documents.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DaoFacts } from "../facts/dao-facts.ts";
import { type DailyPoint, endedDayEndsMs } from "../facts/days.ts";
import { entityOfWallet, type Registry, type TrackedDao } from "../facts/tracked.ts";
import { type Reconciliation, reconcile } from "../score/components/completeness.ts";
import { dailyPointOf, scoreTrend } from "../score/daily-point.ts";
import { HORIZON_MS } from "../score/frame/frame.ts";
import { createDaoMeasurer, type DaoMeasurer } from "../score/measure-dao.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { ifScored, scoreMeasures } from "../score/score-measures.ts";
import type { DailyPointStore } from "../warehouse/daily-points.ts";

/**
 * Returns a function that scores one DAO as of a moment, as of the day before, and at the end of every day of
 * the year without a stored point, unless the day ended by `scoredUntilMs`: then it is known to have no score.
 */
export function createDaoScoring(
  registry: Registry,
  warehouse: {
    daoFacts(dao: TrackedDao, registry: Registry): DaoFacts;
    dailyPoints: Pick<DailyPointStore, "read">;
  },
) {
  const entities = entityOfWallet(registry);
  const key = methodKey();
  return (dao: TrackedDao, asOfMs: number, scoredUntilMs = -Infinity) => {
    const facts = warehouse.daoFacts(dao, registry);
    const measurer = createDaoMeasurer(facts, (wallet) => entities.get(wallet));
    const kept = warehouse.dailyPoints.read(dao.spaceId, key);
    const keptDates = new Set(kept.map(({ date }) => date));
    const year = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
    const missing = year.filter(
      (endMs) => endMs > scoredUntilMs && !(keptDates.size > 0 && keptDates.has(dayOf(endMs))),
    );
    const dayBeforeMs = asOfMs - DAY_MS;
    // A day that ends at `asOfMs` has the current score. Nothing is scored twice.
    const earlier = [...new Set([...missing, dayBeforeMs])].filter((endMs) => endMs < asOfMs);
    const pointAt = scoreDays(
      measurer,
      earlier.sort((a, b) => a - b),
    );
    const evidence = measurer.evidenceAt(asOfMs);
    const current = scoreMeasures(evidence.measures);
    pointAt.set(asOfMs, dailyPointOf(current));
    const fresh = missing.flatMap((endMs) => pointAt.get(endMs) ?? []);
    // Dates are compared as text, which is a hundred times faster than parsing them.
    const lastDay = dayOf(year.at(-1) ?? asOfMs);
    const points = [...kept, ...fresh]
      .filter(({ date }) => date <= lastDay)
      .sort((a, b) => (a.date < b.date ? -1 : 1));
    const lastFinalDay = dayOf(lastFinalDayEndMs(asOfMs));
    const delegates = measurer.delegates.tracedAt(asOfMs);
    const participations = measurer.entitiesAt(asOfMs);
    const scored: ScoredDao = {
      dao,
      current,
      evidence,
      entities: participations.voters,
      otherEntities: participations.others,
      gvsDayBefore: pointAt.get(dayBeforeMs)?.gvs,
      points,
      trend: trendOf(points, asOfMs),
      latestDelegates: delegates?.ranking,
      delegations: delegates?.delegations,
      datedDelegates: measurer.delegates.dated(asOfMs),
    };
    return {
      scored,
      /** Newly scored points that can no longer change. */
      finalPoints: fresh.filter(({ date }) => date <= lastFinalDay),
      /** Newly scored days of a DAO without stored points. */
      firstDays: kept.length === 0 ? fresh.length : 0,
      /** If its frame is empty, when that may change unless something is fetched; else undefined. */
      dormantUntilMs: hasEmptyFrame(evidence) ? frameTurnMs(facts, asOfMs) : undefined,
      findings: [...spaceFindings(facts), ...reconciliationFindings(dao.spaceId, reconcile(facts, asOfMs))],
    };
  };
}

/**
 * When the next proposal ends or becomes too old for a frame; `Infinity` if none will. Undefined for a DAO with delegates,
 * as these have dates of their own.
 */
function frameTurnMs({ dao, proposals, delegateLists }: DaoFacts, asOfMs: number): number | undefined {
  if (dao.governor !== undefined || delegateLists.length > 0) return undefined;
  const turns = proposals.flatMap(({ end }) => (end === undefined ? [] : [end.atMs, end.atMs + HORIZON_MS]));
  return turns.reduce((next, turnMs) => (turnMs > asOfMs ? Math.min(next, turnMs) : next), Infinity);
}

/** Findings about the whole space. A flagged space needs none, as it has no score. */
function spaceFindings({ dao: { spaceId }, space }: DaoFacts): readonly Finding[] {
  if (space?.isHibernated !== true) return [];
  const message = "its platform marked the space as hibernated: nobody can propose there";
  return [{ code: "SPACE_HIBERNATED", space_id: spaceId, message }];
}

/** A source's final counts may arrive this late; until then, every run scores the day again. */
export const PROVISIONAL_DAYS = 7;

/** The point of each moment, absent without a score; ascending moments cost only their changes. */
export function scoreDays({ measureAt }: Pick<DaoMeasurer, "measureAt">, momentsMs: readonly number[]) {
  return new Map(
    momentsMs.map((atMs) => {
      const score = ifScored(measureAt(atMs));
      return [atMs, score && dailyPointOf(score)];
    }),
  );
}

/** The end of the last day that can no longer change. */
export function lastFinalDayEndMs(asOfMs: number): number {
  return endedDayEndsMs(asOfMs - PROVISIONAL_DAYS * DAY_MS, 1)[0] ?? asOfMs;
}

/** Identifies the method: its version, and a hash of all constants that shows an accidental change too. */
export function methodKey(): string {
  const constants = createHash("sha256").update(JSON.stringify(METHODOLOGY)).digest("hex");
  return `${METHODOLOGY.version}+${constants.slice(0, 16)}`;
}

/** The trend of the risk over the last 30 ended days. */
function trendOf(points: readonly DailyPoint[], asOfMs: number): ScoredDao["trend"] {
  const riskOf = new Map(points.map(({ date, riskScore }) => [date, riskScore]));
  return scoreTrend(
    endedDayEndsMs(asOfMs, METHODOLOGY.risk.trendDays).flatMap((endMs, dayIndex) => {
      const risk = riskOf.get(dayOf(endMs));
      return risk === undefined ? [] : [{ dayIndex, risk }];
    }),
  );
}

/** Proposals listed in a finding; the others are counted. */
const NAMED_MAX = 20;

/** Findings for the run report where the data differ from their source's own counts. */
function reconciliationFindings(spaceId: string, reconciliation: Reconciliation): Finding[] {
  const { powerCompared, votersCompared } = reconciliation;
  const finding = (code: string, ids: readonly string[], what: string): Finding[] => {
    const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
    const message = `${ids.length} ${what}: ${ids.slice(0, NAMED_MAX).join(", ")}${more}`;
    return ids.length === 0 ? [] : [{ code, space_id: spaceId, message }];
  };
  const power = `of ${powerCompared} ballots do not add up to the declared power`;
  const voters = `of ${votersCompared} ballots do not have the declared number of voters`;
  const missing = "proposals have votes of which none was fetched";
  return [
    ...finding("POWER_NOT_RECONCILED", reconciliation.powerDiffers, power),
    ...finding("VOTERS_NOT_RECONCILED", reconciliation.votersDiffer, voters),
    ...finding("BALLOTS_MISSING", reconciliation.ballotsMissing, missing),
  ];
}
