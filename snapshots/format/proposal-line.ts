import { z } from "zod";
import { Count, Timestamp } from "./ids.ts";
import { PublicLink, PublicTitle } from "./text.ts";

/** Whether a proposal is in the frame, or why not. */
export const PROPOSAL_PLACES = [
  "MEMBER",
  "END_UNKNOWN",
  "NOT_ENDED",
  "STATE_OPEN",
  "NOT_FINAL",
  "CANCELLED",
  "FLAGGED",
  "DELETED",
  "TOO_OLD",
  "IGNORED",
  "OTHER_VOTERS",
] as const;
export type ProposalPlace = (typeof PROPOSAL_PLACES)[number];

/** A number that is not rounded: the computed double. */
const Amount = z.number().min(0);
const Share = z.number().min(0).max(1);

/** Indicators for which every proposal of the frame has a mark, in the order of publication. */
export const MARK_IDS = [
  "breadth",
  "loyalty",
  "effective",
  "majority",
  "top",
  "discussion",
  "period",
  "delay",
  "contested",
  "rationale",
  "not_batch",
  "quorum",
] as const;
export type MarkId = (typeof MARK_IDS)[number];

/** The columns of a mark's two ends: equal if it is known, `null` if nothing is known of it. */
type MarkColumn = `${MarkId}_${"low" | "high"}`;
const markColumns = Object.fromEntries(
  MARK_IDS.flatMap((id) => [`${id}_low`, `${id}_high`]).map((name) => [name, Share.nullable()]),
) as Record<MarkColumn, z.ZodNullable<typeof Share>>;

/** The measures of a proposal, summed up in `totals`. `null`: not known, or not measured for its `place`. */
export const MeasureColumns = z.strictObject({
  /** As declared by the source. */
  declared_votes: Count.nullable(),
  declared_power: Amount.nullable(),
  /** S. */
  power: Amount.nullable(),
  /** ω and w; these and the following only in the frame. */
  attention: Share.nullable(),
  weight: Share.nullable(),
  /** Fetched votes. */
  votes: Count.nullable(),
  ...markColumns,
  /** Σω of the earlier proposals that `loyalty` compares with. */
  loyalty_attention: Amount.nullable(),
  /** s₁, before and after merging wallets that vote alike. */
  top_share: Share.nullable(),
  merged_top_share: Share.nullable(),
  /** CR4. */
  whale_share: Share.nullable(),
  /** K, the sum of squared shares (0–10,000) and the Gini coefficient, each between what unknown votes allow. */
  majority_voters: Count.nullable(),
  majority_voters_low: Count.nullable(),
  /** Also `null` if any number of votes may be unknown. */
  majority_voters_high: Count.nullable(),
  hhi_points: Amount.nullable(),
  hhi_points_low: Amount.nullable(),
  hhi_points_high: Amount.nullable(),
  /** Reported, never scored. */
  gini: z.number().nullable(),
  gini_low: Share.nullable(),
  gini_high: Share.nullable(),
  quorum: Amount.nullable(),
  /** The power that counts for the quorum; `null` also if all power cast counts. */
  quorum_power: Amount.nullable(),
  /** r and φ. */
  fetched_share: Share.nullable(),
  fields_share: Share.nullable(),
});
export type MeasureColumns = z.infer<typeof MeasureColumns>;
export type MeasureColumn = keyof MeasureColumns;

export const MEASURE_COLUMNS = Object.keys(MeasureColumns.shape) as readonly MeasureColumn[];

/**
 * One line of `proposals/<space_id>.ndjson`: a known proposal, what decides whether it is in the frame, and its
 * measures. Authors are omitted, because the ID leads to them.
 */
export const ProposalLine = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$/),
  /** The author's title, cleaned, with every account replaced by `[…]`; absent if it is not known. */
  title: PublicTitle.optional(),
  /** Its page, as its platform gives it; absent if it is not known. */
  link: PublicLink.optional(),
  created_at: Timestamp.nullable(),
  start_at: Timestamp.nullable(),
  end_at: Timestamp.nullable(),
  state: z.enum(["pending", "active", "closed", "cancelled"]).nullable(),
  scores_state: z.enum(["final", "pending", "invalid"]).nullable(),
  is_flagged: z.boolean(),
  is_deleted: z.boolean(),
  /** Proposals with the same number have the same voting strategies, and so the same scale of power. */
  unit: Count,
  place: z.enum(PROPOSAL_PLACES),
  ...MeasureColumns.shape,
});
export type ProposalLine = z.infer<typeof ProposalLine>;
