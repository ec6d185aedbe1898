import { z } from "zod";
import {
  Count,
  IsoDate,
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
import { CONFIDENCES, DELEGATE_CENTRALIZATIONS, PROPOSAL_VELOCITIES, RISK_LEVELS } from "./value-sets.ts";

/** Numbers here are not rounded: the very doubles that were computed. */
const Double = z.number();

/** What is measured of the whole DAO and cannot be derived from the lines of its proposals. */
export const WholeMeasures = z.strictObject({
  is_fetched: z.boolean(),
  freshness: Double,
  expected_heads: Double,
  is_coordination_assessed: z.boolean(),
  /** Likely coordinated wallets: how many clusters, and wallets in them. */
  clusters: Count,
  clustered_wallets: Count,
  active_voters: Count.nullable(),
  /** By shares of ω, entities merged. Not who, nor how much each: shares of known proposals would tell both. */
  effective_proposers: Double.nullable(),
  guardrails: z.strictObject({
    is_proposing_gated: z.boolean().nullable(),
    has_fixed_period: z.boolean().nullable(),
    quorum: Double.nullable(),
    guardians: Count.nullable(),
    /** Only where it is: the platform marked the space as abuse or spam, and nothing of it is scored. */
    is_flagged: z.literal(true).optional(),
  }),
  delegation: z.strictObject({ hhi_points: Double, as_of: Timestamp }).nullable(),
  /** What it had at the end of the day on which its quarter's index chose its members; `null` where it had no score. */
  index_freeze: z.strictObject({ attention_sum: Double, completeness_pct: Double }).nullable(),
});
export type WholeMeasures = z.infer<typeof WholeMeasures>;

/** A score in points, or why there is none. */
export const Outcome = z.union([z.strictObject({ points: Double }), z.strictObject({ gap: ReasonCode })]);
export type Outcome = z.infer<typeof Outcome>;

/** One indicator of a component; `null` is a gap. */
export const IndicatorRow = z.strictObject({
  id: z.string().regex(/^[a-z_]+$/),
  role: z.enum(["part", "factor"]),
  unit: z.string(),
  raw: Double.nullable(),
  /** Where `raw` lies between its goalposts: 0 earns nothing, 1 full marks; not limited to them. */
  position: Double.nullable(),
  value: Double.nullable(),
  weight: Double,
  /** What is left of the weights once gaps have dropped out. */
  effective_weight: Double,
});
export type IndicatorRow = z.infer<typeof IndicatorRow>;

/** A component before and after thin evidence: 10 · its factors · Σ effective weight · value, and at most 5 where it says so. */
export const ComponentEvidence = z.strictObject({
  before: Outcome,
  after: Outcome,
  indicators: z.array(IndicatorRow),
});
export type ComponentEvidence = z.infer<typeof ComponentEvidence>;

/** The frame, as it follows from the lines. */
const FrameEvidence = z.strictObject({
  known: Count,
  members: Count,
  missing: Count,
  attended: Count,
  eligible: Count,
  attention_sum: Double,
  effective_proposals: Double,
  /** λ. */
  evidence_share: Double,
  heads_mean: Double,
  unclustered_heads_mean: Double,
  excluded: z.record(ReasonCode, Count),
});

/** Risk with what it is the largest of, or why there is none. */
const RiskEvidence = z.union([
  z.strictObject({
    score: Double,
    base: Double,
    dominance_floor: Double,
    smallness_floor: Double,
    governance_capture_risk: z.enum(RISK_LEVELS),
    whale_control_pct: Double,
    active_voter_count: Count,
    delegate_centralization: z.enum(DELEGATE_CENTRALIZATIONS),
    proposal_velocity: z.enum(PROPOSAL_VELOCITIES),
    proposals_per_month: Double,
    checkpoint_voting_pct: Double,
  }),
  z.strictObject({ gap: ReasonCode }),
]);

/** The sum is `null` where it is larger than any number a reader could hold. */
const ColumnTotal = z.strictObject({ known: Count, sum: Double.nullable() });
const columnTotals = Object.fromEntries(MEASURE_COLUMNS.map((column) => [column, ColumnTotal])) as Record<
  MeasureColumn,
  typeof ColumnTotal
>;

/** Medians over the frame of what is reported and never scored. */
const DiagnosticMedians = z.strictObject({
  gini: Double.nullable(),
  hhi_points: Double.nullable(),
  entropy_bits: Double.nullable(),
  /** The strongest head's normalised Banzhaf index, over proposals on which at most 20 heads held power. */
  banzhaf_top: Double.nullable(),
  banzhaf_proposals: Count,
});

const Interval = z.strictObject({ low: Double, high: Double });
const RankRange = z.strictObject({ best: Rank, worst: Rank });

/** How sure the scores are: 90 % intervals over resamples, and places under other weights. */
const UncertaintyEvidence = z.strictObject({
  resamples: Count,
  kept: Count,
  gvs: Interval,
  components: ofComponents(Interval),
  rank: RankRange,
  weights: z.array(
    z.strictObject({
      of: z.enum(["gvs", "pdi", "gpi"]),
      id: z.string().regex(/^[a-z_]+$/),
      ...RankRange.shape,
    }),
  ),
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
  components: ofComponents(ComponentEvidence),
  gvs: Outcome,
  gvs_confidence: z.enum(CONFIDENCES),
  risk: RiskEvidence,
  completeness: z.strictObject({
    pct: Double.nullable(),
    parts: z.array(z.strictObject({ id: z.string(), value: Double.nullable(), weight: Double })),
  }),
  /** Whether it is a member of the index, and since which day's end: that before the quarter began. */
  index: z.strictObject({ freeze_day: IsoDate, is_member: z.boolean() }),
  diagnostics: DiagnosticMedians,
  uncertainty: UncertaintyEvidence.nullable(),
  not_assessed: z.array(z.strictObject({ id: z.string().regex(/^[a-z_]+$/), reason: ReasonCode })),
  /** For each column of the lines, how many are known and their sum (of yes or no, how many say yes). */
  totals: z.strictObject(columnTotals),
  /** Of the `measures`, whose and when they are, and of the file of the lines: a change by a hair moves no number, but these. */
  measures_sha256: Sha256,
  lines_sha256: Sha256,
});
export type Evidence = z.infer<typeof Evidence>;
