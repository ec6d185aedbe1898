import { z } from "zod";
import { DaoLinks, WholeMeasures } from "./evidence.ts";
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
  Sha256,
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

const AS_OF_TEXT = "The moment of the data from which it was calculated, not the time of calculation.";

/** What begins a DAO in the list and in detail. */
const SCORED_DAO = {
  space_id: SpaceId.describe("The DAO's id."),
  name: PublicText.describe("Display name."),
  category: z.enum(CATEGORIES).describe("The purpose of the DAO."),
  gvs: Score.describe("Governance Vitality Score."),
  gvs_confidence: z
    .enum(CONFIDENCES)
    .describe(
      "A count, not a certainty: `high` means at least 20 finished proposals in the last two years, `low` fewer. How much of a score is known, `known_share` and the interval in `meta` say.",
    ),
};

export const Components = ofComponents(Score).meta({
  id: "Components",
  description: "The four component scores.",
});
export type Components = z.infer<typeof Components>;

export const LabelledComponents = ofComponents(
  z
    .strictObject({
      score: Score.describe("The score."),
      label: z.enum(COMPONENT_LABELS).describe("The label of the score."),
    })
    .meta({ id: "LabelledScore", description: "A score with its label." }),
).meta({ id: "LabelledComponents", description: "The four component scores, each with its label." });
export type LabelledComponents = z.infer<typeof LabelledComponents>;

/** One item of `/v1/daos`. */
export const DaoSummary = z
  .strictObject({
    ...SCORED_DAO,
    rank: Rank.describe("Overall rank by score."),
    components: Components.describe("Its four component scores."),
    delta_24h: ScoreDelta.describe("Change of the score over the last 24 hours."),
    last_calculated: Timestamp.describe(AS_OF_TEXT),
  })
  .meta({ id: "DaoSummary", description: "One DAO of the list." });
export type DaoSummary = z.infer<typeof DaoSummary>;

/** `daos.json`: the array behind `/v1/daos`, by rank. */
export const DaoList = z.array(DaoSummary);
export type DaoList = z.infer<typeof DaoList>;

export const PARTICIPATION_FIELDS = {
  proposals_voted: Count.describe("Proposals it voted on."),
  proposals_known: Count.describe("Proposals of which votes are known."),
  proposals_unknown: Count.describe("Proposals of which no vote is known, so it may have voted on them."),
  participation_pct: Percent.describe("Share of the known proposals that it voted on, by weight."),
  participation_interval_pct: z
    .tuple([Percent, Percent])
    .describe(
      "Share of all proposals that it voted on, by weight, if it cast none or all of the unknown votes.",
    ),
};

export const TopEntity = z
  .strictObject({
    entity_id: EntityId.describe("The entity's id."),
    label: PublicText.describe("The entity's name."),
    voting_power_share_pct: Percent.describe("Its share of the voting power cast."),
    ...PARTICIPATION_FIELDS,
  })
  .meta({ id: "TopEntity", description: "One of the strongest labelled entities of one DAO." });
export type TopEntity = z.infer<typeof TopEntity>;

const OverallRanking = z
  .strictObject({ rank: Rank.describe("Rank, from 1."), total: Rank.describe("Ranked DAOs.") })
  .meta({ id: "OverallRanking", description: "The rank among all ranked DAOs." });

const CategoryRanking = z
  .strictObject({
    rank: Rank.describe("Rank, from 1."),
    category: z.enum(CATEGORIES).describe("The category."),
    total: Rank.describe("Ranked DAOs of this category."),
  })
  .meta({ id: "CategoryRanking", description: "The rank within a category." });

const DaoRankings = z
  .strictObject({
    overall: OverallRanking.describe("Among all ranked DAOs."),
    category: CategoryRanking.describe("Among those of its category."),
  })
  .meta({ id: "DaoRankings", description: "The ranks of one DAO." });

const DaoScoreHistory = z
  .strictObject({
    gvs_30d: z
      .array(Score)
      .max(GVS_HISTORY_DAYS)
      .describe(
        "One score for each of the last 30 UTC days that had ended at `meta.as_of`, ascending; days without enough data are left out. `meta.gvs_30d_dates` dates each.",
      ),
    interval: z.enum(HISTORY_INTERVALS).describe("Spacing of the scores."),
  })
  .meta({
    id: "DaoScoreHistory",
    description: "Daily scores, ascending.",
  });

/** `daos/<space_id>.json`: DAO detail, and the dates that the API sends in `meta`. */
export const DaoDetail = z
  .strictObject({
    ...SCORED_DAO,
    last_calculated: Timestamp.describe(AS_OF_TEXT),
    data_completeness: Percent.describe("Percentage of the data needed for scoring that was available."),
    components: LabelledComponents.describe("Its four component scores, each with its label."),
    rankings: DaoRankings.describe("Its ranks."),
    history: DaoScoreHistory.describe("Its recent scores."),
    top_entities: z
      .array(TopEntity)
      .max(TOP_ENTITIES_MAX)
      .describe("The strongest labelled entities by share of voting power; may be empty."),
    gvs_30d_dates: z
      .array(IsoDate)
      .max(GVS_HISTORY_DAYS)
      .describe("The day (UTC) of each value of `history.gvs_30d`, ascending."),
  })
  .meta({ description: "One DAO in detail." });
export type DaoDetail = z.infer<typeof DaoDetail>;

export const ServedDao = DaoDetail.omit({ gvs_30d_dates: true }).meta({
  id: "DaoDetail",
  description: "One DAO in detail.",
});
export type ServedDao = z.infer<typeof ServedDao>;

export const Dgi = z
  .strictObject({
    composite: Score.describe("The index."),
    components: Components.describe("Its four components."),
    dao_count: Rank.describe("DAOs in the index."),
    calculated_at: Timestamp.describe(AS_OF_TEXT),
  })
  .meta({ id: "Dgi", description: "The Decentralized Governance Index as of the run." });
export type Dgi = z.infer<typeof Dgi>;

const ScoreRange = z.tuple([Score, Score]);

/** Between which ends the index and its components lie: the means of the ends of its members' scores. */
export const IndexIntervals = z
  .strictObject({
    composite: ScoreRange.describe("Low and high end of the index."),
    ...ofComponents(ScoreRange, "Low and high end of the ").shape,
  })
  .meta({ id: "IndexIntervals", description: "Intervals that contain the index and its components." });
export type IndexIntervals = z.infer<typeof IndexIntervals>;

/** `dgi.json`: the index and its intervals, which are absent in versions of methods before 3.0. */
export const PublishedDgi = z.strictObject({ ...Dgi.shape, interval: IndexIntervals.optional() });
export type PublishedDgi = z.infer<typeof PublishedDgi>;

const ServedPoint = z
  .strictObject({
    date: IsoDate.describe("The day (UTC)."),
    composite: Score.describe("The index."),
    components: Components.describe("Its four components."),
  })
  .meta({ id: "DgiPoint", description: "The index as of the end of one day." });

/** The DGI as of the end of one day; versions of before have no interval. */
export const DgiPoint = z.strictObject({ ...ServedPoint.shape, interval: ScoreRange.optional() });
export type DgiPoint = z.infer<typeof DgiPoint>;

const PERIOD = z.enum(DGI_PERIODS).describe("The period asked for.");

/** `dgi-history.json` covers 365 days; the shorter periods are cut from its end. */
export const DgiHistory = z.strictObject({ period: PERIOD, values: z.array(DgiPoint) });
export type DgiHistory = z.infer<typeof DgiHistory>;

export const ServedDgiHistory = z
  .strictObject({
    period: PERIOD,
    values: z.array(ServedPoint).describe("One point a day, ascending."),
  })
  .meta({ id: "DgiHistory", description: "The index day by day." });
export type ServedDgiHistory = z.infer<typeof ServedDgiHistory>;

export const HistoryPoint = z.strictObject({
  date: IsoDate,
  methodology_version: MethodologyVersion,
  gvs: Score,
  components: Components,
  risk_score: RiskScore.optional(),
  data_completeness: Percent,
  /** v, not rounded: the DAO's weight in the index. */
  index_weight: z.number().min(0).max(1),
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** `history/<space_id>.json`: every daily point, ascending; not in the API. Days without enough data are absent. */
export const DaoHistory = z.strictObject({
  space_id: SpaceId,
  points: z.array(HistoryPoint),
});
export type DaoHistory = z.infer<typeof DaoHistory>;

const RiskFactors = z
  .strictObject({
    governance_capture_risk: z
      .enum(RISK_LEVELS)
      .describe(
        "By the fewest voters that hold more than half of a ballot's power (median): `critical` 1, `high` 2 or 3, `moderate` 4 to 9, `low` 10 or more.",
      ),
    whale_control_pct: Percent.describe(
      "Share of the power cast on a ballot that its four largest voters hold, on average.",
    ),
    active_voter_count: Count.nullable().describe(
      "Voters with at least a millionth of a known ballot of the last 90 days; `null` if no vote of that time is known.",
    ),
    delegate_centralization: z
      .enum(DELEGATE_CENTRALIZATIONS)
      .describe(
        "How concentrated delegated power is, by its Herfindahl-Hirschman index: `low` below 1000, `moderate` below 1800, `high` below 2500, `critical` above; `unknown` without complete data of the last 45 days.",
      ),
    proposal_velocity: z
      .enum(PROPOSAL_VELOCITIES)
      .describe(
        "Proposals a month, by weight, that ended in the last 90 days: `dormant` none, `low` below 1, `moderate` below 8, `high` below 20, `very_high` more.",
      ),
    checkpoint_voting_pct: Percent.nullable().describe(
      "Share of voting done in batches: many proposals at one moment; `null` if no vote has a known time.",
    ),
  })
  .meta({ id: "RiskFactors", description: "The factors of a risk assessment." });

/** `risk/<space_id>.json`: the risk assessment of one DAO. */
export const RiskAssessment = z
  .strictObject({
    space_id: SpaceId.describe("The DAO's id."),
    risk_score: RiskScore.describe("Lower is better."),
    risk_level: z.enum(RISK_LEVELS).describe("The level of the score."),
    factors: RiskFactors.describe("The factors behind it."),
    trend: z
      .enum(TRENDS)
      .describe(
        "What its risk score did over the last 30 days. `improving`: the risk fell by 2 or more, so governance improves; `declining`: it rose by 2 or more; `stable`: neither, or fewer than 14 days are known.",
      ),
    assessed_at: Timestamp.describe(AS_OF_TEXT),
  })
  .meta({ id: "RiskAssessment", description: "The governance risk of one DAO, derived from its scores." });
export type RiskAssessment = z.infer<typeof RiskAssessment>;

/** Intervals that contain the scores of a DAO; no risk without voting power on any ballot. */
export const ScoreIntervals = z
  .strictObject({
    gvs: ScoreRange.describe("Low and high end of the Governance Vitality Score."),
    ...ofComponents(ScoreRange, "Low and high end of the ").shape,
    risk: z
      .tuple([RiskScore, RiskScore])
      .optional()
      .describe("Low and high end of the risk score; absent without voting power on any ballot."),
  })
  .meta({ id: "ScoreIntervals", description: "Intervals that contain the scores of one DAO." });
export type ScoreIntervals = z.infer<typeof ScoreIntervals>;

export const UnscoredReason = z.strictObject({ code: ReasonCode, message: z.string() });
export type UnscoredReason = z.infer<typeof UnscoredReason>;

/** A tracked DAO without a score: the reason, what is known, and which sources would supply the rest. */
export const UnscoredDao = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  reason: UnscoredReason,
  interval: ScoreIntervals,
  known_share: RoundedShare,
  presence: z.tuple([RoundedShare, RoundedShare]),
  /** Indicators without any data, each with the source that would supply it. */
  not_known: z.array(
    z.strictObject({ id: IndicatorId, component: z.enum(COMPONENT_KEYS), source: z.string() }),
  ),
  data_completeness: Percent.optional(),
  /** Present if no proposal is in its frame. Then it has no evidence file: these and its proposals give this line again. */
  empty_frame: z
    .strictObject({ links: DaoLinks.optional(), measures: WholeMeasures, measures_sha256: Sha256 })
    .optional(),
  assessed_at: Timestamp,
});
export type UnscoredDao = z.infer<typeof UnscoredDao>;

/** `unscored.json`, by space_id. */
export const UnscoredList = z.array(UnscoredDao);
export type UnscoredList = z.infer<typeof UnscoredList>;
