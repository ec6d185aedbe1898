import { z } from "zod";
import {
  Count,
  IndicatorId,
  MethodologyVersion,
  ofComponents,
  Rank,
  ReasonCode,
  Sha256,
  SpaceId,
  Timestamp,
} from "./ids.ts";
import { MEASURE_COLUMNS, type MeasureColumn } from "./proposal-line.ts";
import { PublicLink } from "./text.ts";
import {
  COMPONENT_KEYS,
  CONFIDENCES,
  DELEGATE_CENTRALIZATIONS,
  PROPOSAL_VELOCITIES,
  RISK_LEVELS,
} from "./value-sets.ts";

/** Numbers here are not rounded: the very doubles that were computed. */
const Double = z.number();

/** What is measured of the whole DAO and cannot be derived from the lines of its proposals. */
export const WholeMeasures = z.strictObject({
  /** When it was last fetched whole, of an archive the end of its last day with votes; `null`: never. */
  fetched_at: Timestamp.nullable(),
  /** W, Σw² and Σ_a W_a² of proposals with a known author, entities merged. Not who: that would tell which wallets are one entity. */
  authors: z.strictObject({ sum: Double, of_proposals: Double, of_authors: Double }),
  active_voters: Count,
  guardrails: z.strictObject({
    is_proposing_gated: z.boolean().nullable(),
    has_fixed_period: z.boolean().nullable(),
    guardians: Count.nullable(),
    /** Only where it is: the platform marked the space as abuse or spam, and nothing of it is scored. */
    is_flagged: z.literal(true).optional(),
  }),
  delegation: z.strictObject({ hhi_points: Double, as_of: Timestamp }).nullable(),
});
export type WholeMeasures = z.infer<typeof WholeMeasures>;

/** A number between two ends, and the one of them that is published. */
export const Interval = z.strictObject({ low: Double, point: Double, high: Double });
export type Interval = z.infer<typeof Interval>;

/** One indicator of a component. */
export const IndicatorRow = z.strictObject({
  id: IndicatorId,
  /** Between which ends (0–1) its mark lies. */
  low: Double,
  high: Double,
  /** k: the weight of what it is known on. */
  weight: Double,
  /** What it gives to the component's low end; what the point has beyond their sum is not known. */
  points: Double,
});
export type IndicatorRow = z.infer<typeof IndicatorRow>;

/** A component: ten times the presence, times the plain mean of its indicators. */
export const ComponentEvidence = z.strictObject({
  ...Interval.shape,
  indicators: z.array(IndicatorRow),
});
export type ComponentEvidence = z.infer<typeof ComponentEvidence>;

/** The frame, as it follows from the lines. */
const FrameEvidence = z.strictObject({
  known: Count,
  members: Count,
  eligible: Count,
  /** Σw. */
  weight: Double,
  /** Weighted median over the ballots with power; reported, never scored. */
  gini: Double.nullable(),
  excluded: z.record(ReasonCode, Count),
});

/** Risk with what its point is the larger of, and its factors. */
const RiskEvidence = z.strictObject({
  ...Interval.shape,
  base: Double,
  dominance_floor: Double,
  governance_capture_risk: z.enum(RISK_LEVELS),
  whale_control_pct: Double,
  active_voter_count: Count,
  delegate_centralization: z.enum(DELEGATE_CENTRALIZATIONS),
  proposal_velocity: z.enum(PROPOSAL_VELOCITIES),
  proposals_per_month: Double,
  checkpoint_voting_pct: Double,
});

/** The sum is `null` where it is larger than any number a reader could hold. */
const ColumnTotal = z.strictObject({ known: Count, sum: Double.nullable() });
const columnTotals = Object.fromEntries(MEASURE_COLUMNS.map((column) => [column, ColumnTotal])) as Record<
  MeasureColumn,
  typeof ColumnTotal
>;

/** Where a scored DAO stands, between which ranks the intervals of all allow it to, and where it would stand under other weights. */
const RankEvidence = z.strictObject({
  rank: Rank,
  best: Rank,
  worst: Rank,
  /** Ranks with the weight of one component a quarter less, and a quarter more. */
  weights: z.array(z.strictObject({ component: z.enum(COMPONENT_KEYS), less: Rank, more: Rank })),
});

/** The DAO's own pages, as its space names them; the platform's is where its proposals' links lead to. */
export const DaoLinks = z.strictObject({
  website: PublicLink.optional(),
  forum: PublicLink.optional(),
  platform: PublicLink.optional(),
});
export type DaoLinks = z.infer<typeof DaoLinks>;

/** `evidence/<space_id>.json`: why each score is what it is; with `proposals/<space_id>.ndjson`, enough to compute it again. */
export const Evidence = z.strictObject({
  space_id: SpaceId,
  as_of: Timestamp,
  methodology_version: MethodologyVersion,
  /** Absent where none is known. */
  links: DaoLinks.optional(),
  measures: WholeMeasures,
  frame: FrameEvidence,
  /** f: its high end is higher where nobody looked for a while. */
  presence: z.strictObject({ low: Double, high: Double }),
  components: ofComponents(ComponentEvidence),
  gvs: Interval,
  /** κ. */
  known_share: Double,
  /** Why there is no score, only an interval; `null` where the DAO is scored. */
  unscored: ReasonCode.nullable(),
  gvs_confidence: z.enum(CONFIDENCES),
  /** `null` without power on any ballot. */
  risk: RiskEvidence.nullable(),
  completeness_pct: Double.nullable(),
  /** v. */
  index_weight: Double,
  /** `null` where it is unscored. */
  rank: RankEvidence.nullable(),
  /** Indicators of which nothing is known. */
  not_known: z.array(IndicatorId),
  /** For each column of the lines, how many are known and their sum (of yes or no, how many say yes). */
  totals: z.strictObject(columnTotals),
  /** Of the `measures`, whose and when they are, and of the file of the lines: a change by a hair moves no number, but these. */
  measures_sha256: Sha256,
  lines_sha256: Sha256,
});
export type Evidence = z.infer<typeof Evidence>;
