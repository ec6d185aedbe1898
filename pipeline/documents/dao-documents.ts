import type {
  DaoDetail,
  DaoHistory,
  DaoList,
  HistoryPoint,
  RiskAssessment,
  TopEntity,
} from "../../snapshots/format/dao.ts";
import { dayOf, RISK_DECIMALS, roundTo, timestampOf } from "../../snapshots/format/ids.ts";
import { GVS_HISTORY_DAYS, TOP_ENTITIES_MAX } from "../../snapshots/format/limits.ts";
import { type Category, labelOf, riskLevelOf } from "../../snapshots/format/value-sets.ts";
import { type DailyPoint, endedDayEndsMs } from "../facts/days.ts";
import type { EntityParticipation } from "../score/method/dao-score.ts";
import type { PublicEntities } from "./entities.ts";
import {
  published,
  publishedComponents,
  type RoundedScore,
  roundScore,
  type ScoredDao,
} from "./scored-dao.ts";

/** A DAO with a score, its published numbers and its place. */
export interface RankedDao {
  readonly scored: ScoredDao;
  readonly rounded: RoundedScore;
  readonly rank: number;
  readonly total: number;
  readonly categoryRank: number;
  readonly categoryTotal: number;
}

type Candidate = Pick<RankedDao, "scored" | "rounded">;

function byPlace(a: Candidate, b: Candidate): number {
  return (
    b.rounded.gvs - a.rounded.gvs ||
    b.rounded.completenessPct - a.rounded.completenessPct ||
    (a.scored.dao.spaceId < b.scored.dao.spaceId ? -1 : 1)
  );
}

/**
 * The DAOs that have a score, best first: gvs desc, completeness desc, space_id asc, so that no place is shared.
 * Compares published numbers only, so that a reader of the files can check every place.
 */
export function rankDaos(daos: readonly ScoredDao[]): readonly RankedDao[] {
  const candidates = daos
    .flatMap((scored): Candidate[] => {
      const rounded = roundScore(scored.current);
      return rounded === undefined ? [] : [{ scored, rounded }];
    })
    .sort(byPlace);
  const categoryTotals = new Map<Category, number>();
  const placed = candidates.map((candidate, index) => {
    const { category } = candidate.scored.dao;
    const categoryRank = (categoryTotals.get(category) ?? 0) + 1;
    categoryTotals.set(category, categoryRank);
    return { ...candidate, rank: index + 1, total: candidates.length, categoryRank };
  });
  return placed.map((dao) => ({
    ...dao,
    categoryTotal: categoryTotals.get(dao.scored.dao.category) ?? 0,
  }));
}

function byStrength(a: TopEntity, b: TopEntity): number {
  return (
    b.voting_power_share_pct - a.voting_power_share_pct ||
    b.proposals_voted - a.proposals_voted ||
    (a.entity_id < b.entity_id ? -1 : 1)
  );
}

/**
 * The strongest entities of a frame, at most 10: share desc, proposals desc, id. Opted-out ones are filtered before
 * anything is counted off, so that no hole shows; one whose power is not known has no place among the strongest.
 */
export function buildTopEntities(
  participations: readonly EntityParticipation[],
  entities: PublicEntities,
): TopEntity[] {
  return participations
    .flatMap((participation): TopEntity[] => {
      const entity = entities.byId.get(participation.entityId);
      if (entity === undefined || participation.powerShare === undefined) return [];
      return [
        {
          entity_id: entity.entityId,
          label: entity.label,
          voting_power_share_pct: published(100 * participation.powerShare),
          proposals_voted: participation.proposalsVoted,
          participation_pct: published(100 * participation.participationShare),
        },
      ];
    })
    .sort(byStrength)
    .slice(0, TOP_ENTITIES_MAX);
}

const labelled = (score: number) => ({ score, label: labelOf(score) });

/** The gvs of the last 30 ended days, ascending; days without one are left out, never padded. */
function gvsOfLastDays({ current, points }: ScoredDao): number[] {
  const days = new Set(endedDayEndsMs(current.asOfMs, GVS_HISTORY_DAYS).map(dayOf));
  return points.filter(({ date }) => days.has(date)).map(({ gvs }) => published(gvs));
}

/** `daos/<space_id>.json` of a ranked DAO. */
export function buildDaoDetail(ranked: RankedDao, entities: PublicEntities): DaoDetail {
  const { scored, rounded } = ranked;
  const { spaceId, name, category } = scored.dao;
  const { hpr, dei, pdi, gpi } = rounded.components;
  return {
    space_id: spaceId,
    name,
    category,
    gvs: rounded.gvs,
    gvs_confidence: scored.current.confidence,
    last_calculated: timestampOf(scored.current.asOfMs),
    data_completeness: rounded.completenessPct,
    components: { hpr: labelled(hpr), dei: labelled(dei), pdi: labelled(pdi), gpi: labelled(gpi) },
    rankings: {
      overall: { rank: ranked.rank, total: ranked.total },
      category: { rank: ranked.categoryRank, category, total: ranked.categoryTotal },
    },
    history: { gvs_30d: gvsOfLastDays(scored), interval: "daily" },
    top_entities: buildTopEntities(scored.current.entities, entities),
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
    attention_sum: rest.attentionSum,
  };
}

/** `history/<space_id>.json`: every day that has a gvs, ascending; `undefined` where none has one. */
export function buildDaoHistory({ dao, points }: ScoredDao): DaoHistory | undefined {
  return points.length === 0 ? undefined : { space_id: dao.spaceId, points: points.map(historyPoint) };
}

/** Change of the unrounded gvs within 24 hours; 0, as the contract has no gap here, where one of the two is missing. */
function deltaOf({ current, dayBefore }: ScoredDao): number {
  if (current.gvs.kind === "gap" || dayBefore.gvs.kind === "gap") return 0;
  return published(current.gvs.points - dayBefore.gvs.points);
}

/** `daos.json`: every ranked DAO, in the order of the ranks. */
export function buildDaoList(daos: readonly RankedDao[]): DaoList {
  return daos.map(({ scored, rounded, rank }) => ({
    space_id: scored.dao.spaceId,
    name: scored.dao.name,
    category: scored.dao.category,
    gvs: rounded.gvs,
    gvs_confidence: scored.current.confidence,
    rank,
    components: rounded.components,
    delta_24h: deltaOf(scored),
    last_calculated: timestampOf(scored.current.asOfMs),
  }));
}

/** `risk/<space_id>.json`; `undefined` where the risk is a gap. */
export function buildRiskAssessment({ dao, current, trend }: ScoredDao): RiskAssessment | undefined {
  const { risk } = current;
  if (risk.kind === "gap") return undefined;
  const score = roundTo(risk.score, RISK_DECIMALS);
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
