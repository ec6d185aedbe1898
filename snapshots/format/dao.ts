import { z } from "zod";
import {
  Count,
  EntityId,
  IndicatorId,
  IsoDate,
  MethodologyVersion,
  ofComponents,
  Percent,
  Rank,
  ReasonCode,
  RiskScore,
  RoundedShare,
  Score,
  ScoreDelta,
  SpaceId,
  Timestamp,
} from "./ids.ts";
import { GVS_HISTORY_DAYS, TOP_ENTITIES_MAX } from "./limits.ts";
import { PublicText } from "./text.ts";
import {
  CATEGORIES,
  COMPONENT_KEYS,
  COMPONENT_LABELS,
  CONFIDENCES,
  DELEGATE_CENTRALIZATIONS,
  DGI_PERIODS,
  HISTORY_INTERVALS,
  PROPOSAL_VELOCITIES,
  RISK_LEVELS,
  TRENDS,
} from "./value-sets.ts";

/** The four component scores. */
export const Components = ofComponents(Score);
export type Components = z.infer<typeof Components>;

/** The four component scores, each with its word. */
export const LabelledComponents = ofComponents(
  z.strictObject({ score: Score, label: z.enum(COMPONENT_LABELS) }),
);
export type LabelledComponents = z.infer<typeof LabelledComponents>;

/** One item of `/v1/daos`. */
export const DaoSummary = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  gvs: Score,
  gvs_confidence: z.enum(CONFIDENCES),
  rank: Rank,
  components: Components,
  delta_24h: ScoreDelta,
  last_calculated: Timestamp,
});
export type DaoSummary = z.infer<typeof DaoSummary>;

/** `daos.json`: the array behind `/v1/daos`, by rank. */
export const DaoList = z.array(DaoSummary);
export type DaoList = z.infer<typeof DaoList>;

/** An entity among the strongest of one DAO's frame. */
export const TopEntity = z.strictObject({
  entity_id: EntityId,
  label: PublicText,
  voting_power_share_pct: Percent,
  proposals_voted: Count,
  participation_pct: Percent,
});
export type TopEntity = z.infer<typeof TopEntity>;

/** `daos/<space_id>.json`: DAO detail. */
export const DaoDetail = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  gvs: Score,
  gvs_confidence: z.enum(CONFIDENCES),
  last_calculated: Timestamp,
  data_completeness: Percent,
  components: LabelledComponents,
  rankings: z.strictObject({
    overall: z.strictObject({ rank: Rank, total: Rank }),
    category: z.strictObject({ rank: Rank, category: z.enum(CATEGORIES), total: Rank }),
  }),
  history: z.strictObject({
    gvs_30d: z.array(Score).max(GVS_HISTORY_DAYS),
    interval: z.enum(HISTORY_INTERVALS),
  }),
  top_entities: z.array(TopEntity).max(TOP_ENTITIES_MAX),
});
export type DaoDetail = z.infer<typeof DaoDetail>;

/** `dgi.json`: the Decentralized Governance Index as of the run. */
export const Dgi = z.strictObject({
  composite: Score,
  components: Components,
  dao_count: Rank,
  calculated_at: Timestamp,
});
export type Dgi = z.infer<typeof Dgi>;

/** The DGI as of the end of one day. */
export const DgiPoint = z.strictObject({ date: IsoDate, composite: Score, components: Components });
export type DgiPoint = z.infer<typeof DgiPoint>;

/** `dgi-history.json` is the one of 365d; the shorter periods are its tails. */
export const DgiHistory = z.strictObject({
  period: z.enum(DGI_PERIODS),
  values: z.array(DgiPoint),
});
export type DgiHistory = z.infer<typeof DgiHistory>;

/** One DAO as of the end of one day. */
export const HistoryPoint = z.strictObject({
  date: IsoDate,
  methodology_version: MethodologyVersion,
  gvs: Score,
  components: Components,
  risk_score: RiskScore.optional(),
  data_completeness: Percent,
  /** v, not rounded: how much the DAO counts in the index. */
  index_weight: z.number().min(0).max(1),
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** `history/<space_id>.json`: every daily point, ascending; offline only. Days without enough data are absent. */
export const DaoHistory = z.strictObject({
  space_id: SpaceId,
  points: z.array(HistoryPoint),
});
export type DaoHistory = z.infer<typeof DaoHistory>;

/** `risk/<space_id>.json`: the risk assessment of one DAO. */
export const RiskAssessment = z.strictObject({
  space_id: SpaceId,
  risk_score: RiskScore,
  risk_level: z.enum(RISK_LEVELS),
  factors: z.strictObject({
    governance_capture_risk: z.enum(RISK_LEVELS),
    whale_control_pct: Percent,
    active_voter_count: Count,
    delegate_centralization: z.enum(DELEGATE_CENTRALIZATIONS),
    proposal_velocity: z.enum(PROPOSAL_VELOCITIES),
    checkpoint_voting_pct: Percent,
  }),
  trend: z.enum(TRENDS),
  assessed_at: Timestamp,
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

const ScoreRange = z.tuple([Score, Score]);

/** Between which ends the scores of a DAO lie; no risk without power on any ballot. */
export const ScoreIntervals = z.strictObject({
  gvs: ScoreRange,
  ...ofComponents(ScoreRange).shape,
  risk: z.tuple([RiskScore, RiskScore]).optional(),
});
export type ScoreIntervals = z.infer<typeof ScoreIntervals>;

/** Why a DAO has no score. */
export const UnscoredReason = z.strictObject({ code: ReasonCode, message: z.string() });
export type UnscoredReason = z.infer<typeof UnscoredReason>;

/** A tracked DAO without a score: why, what is known of it, and where the rest would come from. */
export const UnscoredDao = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  reason: UnscoredReason,
  interval: ScoreIntervals,
  known_share: RoundedShare,
  presence: z.tuple([RoundedShare, RoundedShare]),
  /** Indicators of which nothing is known, each with what it would take. */
  not_known: z.array(
    z.strictObject({ id: IndicatorId, component: z.enum(COMPONENT_KEYS), source: z.string() }),
  ),
  data_completeness: Percent.optional(),
  assessed_at: Timestamp,
});
export type UnscoredDao = z.infer<typeof UnscoredDao>;

/** `unscored.json`, by space_id. */
export const UnscoredList = z.array(UnscoredDao);
export type UnscoredList = z.infer<typeof UnscoredList>;
