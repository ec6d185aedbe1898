import { z } from "zod";
import { Concentration } from "./concentration.ts";
import {
  Count,
  IndicatorId,
  MethodologyVersion,
  ofComponents,
  ReasonCode,
  Sha256,
  SpaceId,
  Timestamp,
} from "./ids.ts";
import { MEASURE_COLUMNS, type MeasureColumn } from "./proposal-line.ts";
import { PublicLink } from "./text.ts";
import { CONFIDENCES, DELEGATE_CENTRALIZATIONS, PROPOSAL_VELOCITIES, RISK_LEVELS } from "./value-sets.ts";

/** Numbers here are not rounded: they are the computed doubles. */
const Double = z.number();

/** Measures of the whole DAO that cannot be derived from the lines of its proposals. */
export const WholeMeasures = z.strictObject({
  /** When it was last fetched completely; for an archive, the end of its last day with votes. `null`: never. */
  fetched_at: Timestamp.nullable(),
  /** W, Σw² and Σ_a W_a² of proposals with a known author, entities merged. Names would reveal an entity's wallets. */
  authors: z.strictObject({ sum: Double, of_proposals: Double, of_authors: Double }),
  /** `null` if no vote is known on the proposals of the last 90 days. */
  active_voters: Count.nullable(),
  /** The units (voting strategies) whose voters are not those that voted before: their attention is multiplied by it. */
  continuities: z.array(z.strictObject({ unit: Count, continuity: Double })),
  guardrails: z.strictObject({
    is_proposing_gated: z.boolean().nullable(),
    has_fixed_period: z.boolean().nullable(),
    guardians: Count.nullable(),
    /** Present if the platform marked the space as abuse or spam; then nothing of it is scored. */
    is_flagged: z.literal(true).optional(),
  }),
  delegation: z.strictObject({ hhi_points: Double, as_of: Timestamp }).nullable(),
});
export type WholeMeasures = z.infer<typeof WholeMeasures>;

/** The low and high end of a number, and the point between them that is published. */
export const Interval = z.strictObject({ low: Double, point: Double, high: Double });
export type Interval = z.infer<typeof Interval>;

export const IndicatorRow = z.strictObject({
  id: IndicatorId,
  /** The ends (0–1) of the interval that contains its mark. */
  low: Double,
  high: Double,
  /** k: the weight of the proposals for which it is known. */
  weight: Double,
  /** Its contribution to the component's low end; what the point has beyond the sum of these is not known. */
  points: Double,
});
export type IndicatorRow = z.infer<typeof IndicatorRow>;

/** A component: ten times the presence, times the mean of its indicators. */
export const ComponentEvidence = z.strictObject({
  ...Interval.shape,
  indicators: z.array(IndicatorRow),
});
export type ComponentEvidence = z.infer<typeof ComponentEvidence>;

/** The frame, derived from the lines. */
const FrameEvidence = z.strictObject({
  known: Count,
  members: Count,
  eligible: Count,
  /** Σw. */
  weight: Double,
  excluded: z.record(ReasonCode, Count),
});

/** The risk and its factors. Its point is the larger of `base` and `dominance_floor`. */
const RiskEvidence = z.strictObject({
  ...Interval.shape,
  base: Double,
  dominance_floor: Double,
  governance_capture_risk: z.enum(RISK_LEVELS),
  whale_control_pct: Double,
  active_voter_count: Count.nullable(),
  delegate_centralization: z.enum(DELEGATE_CENTRALIZATIONS),
  proposal_velocity: z.enum(PROPOSAL_VELOCITIES),
  proposals_per_month: Double,
  checkpoint_voting_pct: Double.nullable(),
});

/** `sum` is `null` if it exceeds the largest double. */
const ColumnTotal = z.strictObject({ known: Count, sum: Double.nullable() });
const columnTotals = Object.fromEntries(MEASURE_COLUMNS.map((column) => [column, ColumnTotal])) as Record<
  MeasureColumn,
  typeof ColumnTotal
>;

/** The DAO's own pages, from its space; `platform` is the site that its proposals' links lead to. */
export const DaoLinks = z.strictObject({
  website: PublicLink.optional(),
  forum: PublicLink.optional(),
  platform: PublicLink.optional(),
});
export type DaoLinks = z.infer<typeof DaoLinks>;

/** `evidence/<space_id>.json`, of DAOs with a proposal in the frame: explains each score; with `proposals/<space_id>.ndjson`, enough to recompute it. */
export const Evidence = z.strictObject({
  space_id: SpaceId,
  as_of: Timestamp,
  methodology_version: MethodologyVersion,
  links: DaoLinks.optional(),
  measures: WholeMeasures,
  frame: FrameEvidence,
  /** f: the high end is higher if the DAO was not fetched for a while. */
  presence: z.strictObject({ low: Double, high: Double }),
  components: ofComponents(ComponentEvidence),
  gvs: Interval,
  known_share: Double,
  /** Why there is only an interval and no score; `null` if the DAO is scored. */
  unscored: ReasonCode.nullable(),
  gvs_confidence: z.enum(CONFIDENCES),
  /** `null` without voting power on any ballot. */
  risk: RiskEvidence.nullable(),
  /** `null` likewise. */
  concentration: Concentration.nullable(),
  completeness_pct: Double.nullable(),
  /** v. */
  index_weight: Double,
  not_known: z.array(IndicatorId),
  /** For each column of the lines, how many values are known, and their sum. */
  totals: z.strictObject(columnTotals),
  /** Digests of the `measures` and of the lines' file: a tiny change may move no number above, but changes these. */
  measures_sha256: Sha256,
  lines_sha256: Sha256,
});
export type Evidence = z.infer<typeof Evidence>;
