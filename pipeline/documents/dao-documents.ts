import type {
  Components,
  DaoDetail,
  DaoHistory,
  DaoList,
  HistoryPoint,
  RiskAssessment,
  TopEntity,
} from "../../snapshots/format/dao.ts";
import { dayOf, RISK_DECIMALS, roundTo, timestampOf } from "../../snapshots/format/ids.ts";
import { GVS_HISTORY_DAYS } from "../../snapshots/format/limits.ts";
import { type Category, labelledPoints, labelOf, riskLevelOf } from "../../snapshots/format/value-sets.ts";
import { type DailyPoint, endedDayEndsMs } from "../facts/days.ts";
import type { Interval } from "../score/method/marks.ts";
import { type Rank, rankDaos } from "../score/ranking/rank-daos.ts";
import type { DaoScore } from "../score/score-measures.ts";
import { published, publishedComponents, type ScoredDao } from "./scored-dao.ts";

/** A DAO with a score, and where it stands. */
export interface RankedDao extends Rank {
  readonly scored: ScoredDao;
  readonly total: number;
  readonly categoryRank: number;
  readonly categoryTotal: number;
}

/** The DAOs that have a score, best first. */
export function rankedDaos(daos: readonly ScoredDao[]): readonly RankedDao[] {
  const candidates = daos.filter(({ current }) => current.unscored === undefined);
  const ranks = rankDaos(candidates.map(({ current }) => current));
  const placed = candidates
    .flatMap((scored) => {
      const rank = ranks.get(scored.dao.spaceId);
      return rank === undefined ? [] : [{ scored, ...rank }];
    })
    .sort((a, b) => a.rank - b.rank);
  const categoryTotals = new Map<Category, number>();
  return placed
    .map((dao) => {
      const { category } = dao.scored.dao;
      const categoryRank = (categoryTotals.get(category) ?? 0) + 1;
      categoryTotals.set(category, categoryRank);
      return { ...dao, total: placed.length, categoryRank };
    })
    .map((dao) => ({ ...dao, categoryTotal: categoryTotals.get(dao.scored.dao.category) ?? 0 }));
}

/** A component's point, and the word that holds wherever in its interval it lies. */
const labelled = (component: Interval) => ({
  score: published(component.point),
  label: labelOf(published(labelledPoints(component))),
});

/** The published points of the four components. */
function pointsOf({ components: { hpr, dei, pdi, gpi } }: DaoScore): Components {
  return publishedComponents({ hpr: hpr.point, dei: dei.point, pdi: pdi.point, gpi: gpi.point });
}

/** The gvs of the last 30 ended days, ascending; days without one are left out, never padded. */
function gvsOfLastDays({ current, points }: ScoredDao): number[] {
  const days = new Set(endedDayEndsMs(current.asOfMs, GVS_HISTORY_DAYS).map(dayOf));
  return points.filter(({ date }) => days.has(date)).map(({ gvs }) => published(gvs));
}

/** `daos/<space_id>.json` of a ranked DAO; its strongest entities follow from the published ones. */
export function buildDaoDetail(ranked: RankedDao, topEntities: readonly TopEntity[]): DaoDetail {
  const { scored } = ranked;
  const { spaceId, name, category } = scored.dao;
  const { hpr, dei, pdi, gpi } = scored.current.components;
  return {
    space_id: spaceId,
    name,
    category,
    gvs: published(scored.current.gvs.point),
    gvs_confidence: scored.current.confidence,
    last_calculated: timestampOf(scored.current.asOfMs),
    data_completeness: published(scored.current.completenessPct ?? 0),
    components: { hpr: labelled(hpr), dei: labelled(dei), pdi: labelled(pdi), gpi: labelled(gpi) },
    rankings: {
      overall: { rank: ranked.rank, total: ranked.total },
      category: { rank: ranked.categoryRank, category, total: ranked.categoryTotal },
    },
    history: { gvs_30d: gvsOfLastDays(scored), interval: "daily" },
    top_entities: [...topEntities],
  };
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

/** `history/<space_id>.json`: every day that has a gvs, ascending; `undefined` where none has one. */
export function buildDaoHistory({ dao, points }: ScoredDao): DaoHistory | undefined {
  return points.length === 0 ? undefined : { space_id: dao.spaceId, points: points.map(historyPoint) };
}

/** Change of the unrounded gvs within 24 hours; 0, as the contract has no gap here, where there was none before. */
function deltaOf({ current, gvsDayBefore }: ScoredDao): number {
  return gvsDayBefore === undefined ? 0 : published(current.gvs.point - gvsDayBefore);
}

/** `daos.json`: every ranked DAO, in the order of the ranks. */
export function buildDaoList(daos: readonly RankedDao[]): DaoList {
  return daos.map(({ scored, rank }) => ({
    space_id: scored.dao.spaceId,
    name: scored.dao.name,
    category: scored.dao.category,
    gvs: published(scored.current.gvs.point),
    gvs_confidence: scored.current.confidence,
    rank,
    components: pointsOf(scored.current),
    delta_24h: deltaOf(scored),
    last_calculated: timestampOf(scored.current.asOfMs),
  }));
}

/** `risk/<space_id>.json` of a ranked DAO; `undefined` without power on any ballot. */
export function buildRiskAssessment({
  scored: { dao, current, trend },
}: RankedDao): RiskAssessment | undefined {
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
      active_voter_count: risk.activeVoterCount,
      delegate_centralization: risk.delegateCentralization,
      proposal_velocity: risk.proposalVelocity,
      checkpoint_voting_pct: published(risk.checkpointVotingPct),
    },
    trend,
    assessed_at: timestampOf(current.asOfMs),
  };
}
