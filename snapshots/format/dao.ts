import { z } from "zod";
import {
  Count,
  EntityId,
  IsoDate,
  MethodologyVersion,
  ofComponents,
  Percent,
  Rank,
  ReasonCode,
  RiskScore,
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
  /** Σω of the frame, not rounded: with completeness it decides who is a member of the index. */
  attention_sum: z.number().min(0),
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

/** Why one component of a DAO could not be computed; `dao` when it concerns the DAO as a whole. */
export const UnscoredReason = z.strictObject({
  scope: z.enum(["dao", ...COMPONENT_KEYS]),
  code: ReasonCode,
  message: z.string(),
});
export type UnscoredReason = z.infer<typeof UnscoredReason>;

/** A tracked DAO without a score: its reasons, and the components that could be computed. */
export const UnscoredDao = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  reasons: z.array(UnscoredReason).min(1),
  components: ofComponents(Score.optional()),
  data_completeness: Percent.optional(),
  assessed_at: Timestamp,
});
export type UnscoredDao = z.infer<typeof UnscoredDao>;

/** `unscored.json`, by space_id. */
export const UnscoredList = z.array(UnscoredDao);
export type UnscoredList = z.infer<typeof UnscoredList>;
