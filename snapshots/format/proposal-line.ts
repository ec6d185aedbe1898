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
  "NO_VOTES",
  "BALLOT_MISSING",
  "FRAME_FULL",
] as const;
export type ProposalPlace = (typeof PROPOSAL_PLACES)[number];

/** A number that is not rounded: the very double that was computed. */
const Amount = z.number().min(0);
const Share = z.number().min(0).max(1);

/**
 * What is measured of a proposal, in columns whose numbers are added up in the evidence's `totals`. `null`: not known,
 * or not measured where the proposal stands.
 */
export const MeasureColumns = z.strictObject({
  /** What the source declares, and what was fetched. */
  declared_votes: Count.nullable(),
  declared_power: Amount.nullable(),
  fetched_votes: Count.nullable(),
  fetched_power: Amount.nullable(),
  readable_votes: Count.nullable(),
  final_votes: Count.nullable(),
  counted_votes: Count.nullable(),
  timed_votes: Count.nullable(),
  fields_known: Count.nullable(),
  /** S and ω. */
  power: Amount.nullable(),
  attention: Share.nullable(),
  /** Whether its author is known: no more, or equal authors would tell which wallets are one entity. */
  has_author: z.boolean().nullable(),
  quorum: Amount.nullable(),
  is_quorum_rejection: z.boolean().nullable(),
  has_discussion_link: z.boolean().nullable(),
  voting_period_days: z.number().nullable(),
  review_delay_days: z.number().nullable(),
  top_choice_share: z.number().nullable(),
  rationale_share: Share.nullable(),
  elapsed_at_half_power: Share.nullable(),
  overlapping_votes: Count.nullable(),
  batch_votes: Count.nullable(),
  /** Mean mark (0–1) of what is known of its deliberation. */
  deliberation: Share.nullable(),
  /** H_p and V_p: heads by weight, after and before clusters were merged. */
  heads: Amount.nullable(),
  unclustered_heads: Amount.nullable(),
  effective_voters: z.number().nullable(),
  nakamoto: Count.nullable(),
  top_share: z.number().nullable(),
  whale_share: z.number().nullable(),
  /** Reported, never scored. */
  gini: z.number().nullable(),
  entropy_bits: Amount.nullable(),
  banzhaf_top: z.number().nullable(),
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
