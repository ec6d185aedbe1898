import type {
  DaoDetail,
  DaoHistory,
  DaoSummary,
  HistoryPoint,
  RiskAssessment,
  TopEntity,
} from "../../snapshots/format/dao.ts";
import { dayOf, RISK_DECIMALS, roundTo, timestampOf } from "../../snapshots/format/ids.ts";
import { GVS_HISTORY_DAYS } from "../../snapshots/format/limits.ts";
import { byComponent, labelledPoints, labelOf, riskLevelOf } from "../../snapshots/format/value-sets.ts";
import { type DailyPoint, endedDayEndsMs } from "../facts/days.ts";
import { endsOf, type Interval } from "../score/method/marks.ts";
import { published, publishedComponents, type ScoredDao, type Standing } from "./scored-dao.ts";

/** A component's point, and the label that fits its whole interval. */
const labelled = (component: Interval) => ({
  score: published(component.point),
  label: labelOf(published(labelledPoints(component))),
});

/** The points of the last 30 ended days, ascending; days without a gvs are left out. */
function pointsOfLastDays({ current, points }: ScoredDao): readonly DailyPoint[] {
  const days = new Set(endedDayEndsMs(current.asOfMs, GVS_HISTORY_DAYS).map(dayOf));
  return points.filter(({ date }) => days.has(date));
}

/** The part of a DAO's detail that depends on no other DAO. */
type OwnDetail = Omit<DaoDetail, "rankings" | "top_entities">;

/** Builds `daos/<space_id>.json` of a DAO with a score, without its rank and entities. */
export function buildDaoDetail(scored: ScoredDao): OwnDetail {
  const { spaceId, name, category } = scored.dao;
  const { components } = scored.current;
  const lastDays = pointsOfLastDays(scored);
  return {
    space_id: spaceId,
    name,
    category,
    gvs: published(scored.current.gvs.point),
    gvs_confidence: scored.current.confidence,
    last_calculated: timestampOf(scored.current.asOfMs),
    data_completeness: published(scored.current.completenessPct ?? 0),
    components: byComponent((key) => labelled(components[key])),
    history: { gvs_30d: lastDays.map(({ gvs }) => published(gvs)), interval: "daily" },
    gvs_30d_dates: lastDays.map(({ date }) => date),
  };
}

/** Completes a detail. `topEntities` must come from the published entities. */
export function placeDetail(
  detail: OwnDetail,
  { rank, total, categoryRank, categoryTotal }: Omit<Standing, "range" | "sensitivity">,
  topEntities: readonly TopEntity[],
): DaoDetail {
  const { category } = detail;
  const rankings = {
    overall: { rank, total },
    category: { rank: categoryRank, category, total: categoryTotal },
  };
  return { ...detail, rankings, top_entities: [...topEntities] };
}

function historyPoint({ date, methodologyVersion, gvs, components, ...rest }: DailyPoint): HistoryPoint {
  return {
    date,
    methodology_version: methodologyVersion,
    gvs: published(gvs),
    components: publishedComponents(components),
    ...(rest.riskScore === undefined ? {} : { risk_score: roundTo(rest.riskScore, RISK_DECIMALS) }),
    data_completeness: published(rest.completenessPct),
    index_weight: rest.indexWeight,
  };
}

/** Builds `history/<space_id>.json`: every day with a gvs, ascending; `undefined` if there is none. */
export function buildDaoHistory({ dao, points }: ScoredDao): DaoHistory | undefined {
  return points.length === 0 ? undefined : { space_id: dao.spaceId, points: points.map(historyPoint) };
}

/** Change of the unrounded gvs within 24 hours; 0 if there was none before, because the contract allows no null here. */
function deltaOf({ current, gvsDayBefore }: ScoredDao): number {
  return gvsDayBefore === undefined ? 0 : published(current.gvs.point - gvsDayBefore);
}

/** Builds the entry of a scored DAO in `daos.json`, without its rank. */
export function buildSummary(scored: ScoredDao): Omit<DaoSummary, "rank"> {
  const { dao, current } = scored;
  return {
    space_id: dao.spaceId,
    name: dao.name,
    category: dao.category,
    gvs: published(current.gvs.point),
    gvs_confidence: current.confidence,
    components: publishedComponents(endsOf(current.components, "point")),
    delta_24h: deltaOf(scored),
    last_calculated: timestampOf(current.asOfMs),
  };
}

/** Builds `risk/<space_id>.json` of a scored DAO; `undefined` without power on any ballot. */
export function buildRiskAssessment({ dao, current, trend }: ScoredDao): RiskAssessment | undefined {
  const { risk } = current;
  if (risk === undefined) return undefined;
  const score = roundTo(risk.score.point, RISK_DECIMALS);
  return {
    space_id: dao.spaceId,
    risk_score: score,
    risk_level: riskLevelOf(score),
    factors: {
      governance_capture_risk: risk.captureRisk,
      whale_control_pct: published(risk.whaleControlPct),
      active_voter_count: risk.activeVoterCount ?? null,
      delegate_centralization: risk.delegateCentralization,
      proposal_velocity: risk.proposalVelocity,
      checkpoint_voting_pct:
        risk.checkpointVotingPct === undefined ? null : published(risk.checkpointVotingPct),
    },
    trend,
    assessed_at: timestampOf(current.asOfMs),
  };
}
