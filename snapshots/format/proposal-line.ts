import { z } from "zod";
import { Count, Timestamp } from "./ids.ts";
import { PublicLink, PublicTitle } from "./text.ts";

/** Where a proposal stands: in the frame, or why not. */
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
] as const;
export type ProposalPlace = (typeof PROPOSAL_PLACES)[number];

/** A number that is not rounded: the very double that was computed. */
const Amount = z.number().min(0);
const Share = z.number().min(0).max(1);

/** Indicators that every proposal of the frame has a mark of, in the order of publication. */
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

/** The columns of a mark's two ends: equal where it is known, `null` where nothing of it is. */
type MarkColumn = `${MarkId}_${"low" | "high"}`;
const markColumns = Object.fromEntries(
  MARK_IDS.flatMap((id) => [`${id}_low`, `${id}_high`]).map((name) => [name, Share.nullable()]),
) as Record<MarkColumn, z.ZodNullable<typeof Share>>;

/**
 * What is measured of a proposal, in columns whose numbers are added up in the evidence's `totals`. `null`: not known,
 * or not measured where the proposal stands.
 */
export const MeasureColumns = z.strictObject({
  /** What the source declares. */
  declared_votes: Count.nullable(),
  declared_power: Amount.nullable(),
  /** S. */
  power: Amount.nullable(),
  /** ω and w; from here on of the frame only. */
  attention: Share.nullable(),
  weight: Share.nullable(),
  /** Fetched votes. */
  votes: Count.nullable(),
  ...markColumns,
  /** Σω of the earlier proposals that loyalty looked at. */
  loyalty_attention: Amount.nullable(),
  /** s₁, before and after wallets that vote alike were merged. */
  top_share: Share.nullable(),
  merged_top_share: Share.nullable(),
  /** CR4 and K. */
  whale_share: Share.nullable(),
  majority_voters: Count.nullable(),
  /** Reported, never scored. */
  gini: z.number().nullable(),
  quorum: Amount.nullable(),
  /** r and φ. */
  fetched_share: Share.nullable(),
  fields_share: Share.nullable(),
});
export type MeasureColumns = z.infer<typeof MeasureColumns>;
export type MeasureColumn = keyof MeasureColumns;

/** The names of the columns, in their order. */
export const MEASURE_COLUMNS = Object.keys(MeasureColumns.shape) as readonly MeasureColumn[];

/**
 * One line of `proposals/<space_id>.ndjson`: a known proposal, what decides whether it is looked at, and what was
 * measured of it. Authors are left out: the id leads to them.
 */
export const ProposalLine = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$/),
  /** As its author wrote it, cleaned, accounts made `[…]`; absent where it is not known. */
  title: PublicTitle.optional(),
  /** Where it stands on its platform, as that says; absent where it is not known. */
  link: PublicLink.optional(),
  created_at: Timestamp.nullable(),
  start_at: Timestamp.nullable(),
  end_at: Timestamp.nullable(),
  state: z.enum(["pending", "active", "closed", "cancelled"]).nullable(),
  scores_state: z.enum(["final", "pending", "invalid"]).nullable(),
  is_flagged: z.boolean(),
  is_deleted: z.boolean(),
  /** Proposals of one number have the same voting strategies, and so one scale of power. */
  unit: Count,
  place: z.enum(PROPOSAL_PLACES),
  ...MeasureColumns.shape,
});
export type ProposalLine = z.infer<typeof ProposalLine>;
