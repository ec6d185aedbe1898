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
export const Components = ofComponents(Score).meta({
  id: "Components",
  description: "The four component scores.",
});
export type Components = z.infer<typeof Components>;

/** The four component scores, each with its word. */
export const LabelledComponents = ofComponents(
  z
    .strictObject({
      score: Score.describe("The score."),
      label: z.enum(COMPONENT_LABELS).describe("The word for it."),
    })
    .meta({ id: "LabelledScore", description: "A score with its word." }),
).meta({ id: "LabelledComponents", description: "The four component scores, each with its word." });
export type LabelledComponents = z.infer<typeof LabelledComponents>;

/** One item of `/v1/daos`. */
export const DaoSummary = z
  .strictObject({
    space_id: SpaceId.describe("The DAO's id."),
    name: PublicText.describe("Display name."),
    category: z.enum(CATEGORIES).describe("What the DAO is for."),
    gvs: Score.describe("Governance Vitality Score."),
    gvs_confidence: z.enum(CONFIDENCES).describe("`high` with at least 20 proposals, else `low`."),
    rank: Rank.describe("Overall rank by score."),
    components: Components.describe("Its four component scores."),
    delta_24h: ScoreDelta.describe("Change of the score over the last 24 hours."),
    last_calculated: Timestamp.describe("When it was last calculated."),
  })
  .meta({ id: "DaoSummary", description: "One DAO of the list." });
export type DaoSummary = z.infer<typeof DaoSummary>;

/** `daos.json`: the array behind `/v1/daos`, by rank. */
export const DaoList = z.array(DaoSummary);
export type DaoList = z.infer<typeof DaoList>;

/** An entity among the strongest of one DAO's frame. */
export const TopEntity = z
  .strictObject({
    entity_id: EntityId.describe("The entity's id."),
    label: PublicText.describe("The entity's name."),
    voting_power_share_pct: Percent.describe("Its share of the voting power that was cast."),
    proposals_voted: Count.describe("Proposals it voted on."),
    participation_pct: Percent.describe("Share of the proposals it voted on."),
  })
  .meta({ id: "TopEntity", description: "A labelled entity among the strongest of one DAO." });
export type TopEntity = z.infer<typeof TopEntity>;

const OverallRanking = z
  .strictObject({ rank: Rank.describe("Place, from 1."), total: Rank.describe("Ranked DAOs.") })
  .meta({ id: "OverallRanking", description: "The place among all ranked DAOs." });

const CategoryRanking = z
  .strictObject({
    rank: Rank.describe("Place, from 1."),
    category: z.enum(CATEGORIES).describe("The category."),
    total: Rank.describe("Ranked DAOs of this category."),
  })
  .meta({ id: "CategoryRanking", description: "The place within a category." });

const DaoRankings = z
  .strictObject({
    overall: OverallRanking.describe("Among all ranked DAOs."),
    category: CategoryRanking.describe("Among those of its category."),
  })
  .meta({ id: "DaoRankings", description: "Where a DAO stands." });

const DaoScoreHistory = z
  .strictObject({
    gvs_30d: z.array(Score).max(GVS_HISTORY_DAYS).describe("Scores of the last 30 days that have ended."),
    interval: z.enum(HISTORY_INTERVALS).describe("Spacing of the scores."),
  })
  .meta({
    id: "DaoScoreHistory",
    description: "Daily scores, ascending; days without enough data are absent.",
  });

/** `daos/<space_id>.json`: DAO detail. */
export const DaoDetail = z
  .strictObject({
    space_id: SpaceId.describe("The DAO's id."),
    name: PublicText.describe("Display name."),
    category: z.enum(CATEGORIES).describe("What the DAO is for."),
    gvs: Score.describe("Governance Vitality Score."),
    gvs_confidence: z.enum(CONFIDENCES).describe("`high` with at least 20 proposals, else `low`."),
    last_calculated: Timestamp.describe("When it was last calculated."),
    data_completeness: Percent.describe("How much of the data that scoring needs was there."),
    components: LabelledComponents.describe("Its four component scores, each with its word."),
    rankings: DaoRankings.describe("Where it stands."),
    history: DaoScoreHistory.describe("How its score went."),
    top_entities: z
      .array(TopEntity)
      .max(TOP_ENTITIES_MAX)
      .describe("The strongest labelled entities by share of voting power; may be empty."),
  })
  .meta({ id: "DaoDetail", description: "One DAO in detail." });
export type DaoDetail = z.infer<typeof DaoDetail>;

/** `dgi.json`: the Decentralized Governance Index as of the run. */
export const Dgi = z
  .strictObject({
    composite: Score.describe("The index."),
    components: Components.describe("Its four components."),
    dao_count: Rank.describe("DAOs in the index."),
    calculated_at: Timestamp.describe("When it was last calculated."),
  })
  .meta({ id: "Dgi", description: "The Decentralized Governance Index as of the run." });
export type Dgi = z.infer<typeof Dgi>;

/** The DGI as of the end of one day. */
export const DgiPoint = z
  .strictObject({
    date: IsoDate.describe("The day (UTC)."),
    composite: Score.describe("The index."),
    components: Components.describe("Its four components."),
  })
  .meta({ id: "DgiPoint", description: "The index as of the end of one day." });
export type DgiPoint = z.infer<typeof DgiPoint>;

/** `dgi-history.json` is the one of 365d; the shorter periods are its tails. */
export const DgiHistory = z
  .strictObject({
    period: z.enum(DGI_PERIODS).describe("The period asked for."),
    values: z.array(DgiPoint).describe("One point a day, ascending."),
  })
  .meta({ id: "DgiHistory", description: "The index day by day." });
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

const RiskFactors = z
  .strictObject({
    governance_capture_risk: z.enum(RISK_LEVELS).describe("How easily few could decide alone."),
    whale_control_pct: Percent.describe("Share of the voting power held by the top wallets."),
    active_voter_count: Count.describe("Wallets that voted."),
    delegate_centralization: z
      .enum(DELEGATE_CENTRALIZATIONS)
      .describe("How concentrated delegated power is; `unknown` without recent delegation data."),
    proposal_velocity: z.enum(PROPOSAL_VELOCITIES).describe("How often proposals are made."),
    checkpoint_voting_pct: Percent.describe("Share of voting in batches, many proposals at one moment."),
  })
  .meta({ id: "RiskFactors", description: "What a risk assessment looks at." });

/** `risk/<space_id>.json`: the risk assessment of one DAO. */
export const RiskAssessment = z
  .strictObject({
    space_id: SpaceId.describe("The DAO's id."),
    risk_score: RiskScore.describe("Lower is better."),
    risk_level: z.enum(RISK_LEVELS).describe("The score in a word."),
    factors: RiskFactors.describe("What it is made of."),
    trend: z.enum(TRENDS).describe("Where the daily risk scores of the last 30 days are heading."),
    assessed_at: Timestamp.describe("When it was assessed."),
  })
  .meta({ id: "RiskAssessment", description: "The governance risk of one DAO, derived from its scores." });
export type RiskAssessment = z.infer<typeof RiskAssessment>;

const ScoreRange = z.tuple([Score, Score]);

/** Between which ends the scores of a DAO lie; no risk without power on any ballot. */
export const ScoreIntervals = z
  .strictObject({
    gvs: ScoreRange.describe("Low and high end of the Governance Vitality Score."),
    ...ofComponents(ScoreRange, "Of the ").shape,
    risk: z
      .tuple([RiskScore, RiskScore])
      .optional()
      .describe("Of the risk score; absent without voting power on any ballot."),
  })
  .meta({ id: "ScoreIntervals", description: "Between which ends the scores of one DAO lie." });
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
