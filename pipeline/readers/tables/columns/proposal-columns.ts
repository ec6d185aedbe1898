import { type Column, column, nullable } from "./column.ts";

/** What is known of a proposal, and where it stands. */
const PROPOSAL: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("id", "string", "", "The proposal, as its source names it."),
  nullable("created_at", "timestamp", "", "When it was made."),
  nullable("start_at", "timestamp", "", "When voting begins."),
  nullable("end_at", "timestamp", "", "When voting ends."),
  nullable("state", "string", "", "pending, active, closed, cancelled."),
  nullable("scores_state", "string", "", "final, pending, invalid: how far its source has counted."),
  column("is_flagged", "boolean", "", "Whether its source flagged it."),
  column("is_deleted", "boolean", "", "Whether its source deleted it."),
  column("unit", "integer", "", "Proposals of a DAO with one number have one scale of voting power."),
  column("place", "string", "", "MEMBER of the frame, or why it is not in it."),
];

/** How complete its data are. */
const COMPLETENESS: readonly Column[] = [
  nullable("declared_votes", "integer", "votes", "What the source declares."),
  nullable("declared_power", "number", "power", "What the source declares."),
  nullable("fetched_votes", "integer", "votes", "What was fetched."),
  nullable("fetched_power", "number", "power", "What was fetched."),
  nullable("readable_votes", "integer", "votes", "Fetched votes whose choice can be read."),
  nullable("final_votes", "integer", "votes", "Fetched votes whose power is final."),
  nullable("counted_votes", "integer", "votes", "Valid votes, the last of each voter, without dust."),
  nullable("timed_votes", "integer", "votes", "Counted votes whose time is known."),
  nullable(
    "fields_known",
    "integer",
    "fields",
    "How many are known of nine: author, created, start, end, type, choices, discussion, scores_total, votes.",
  ),
];

/** What was measured of it. */
const MEASURES: readonly Column[] = [
  nullable(
    "power",
    "number",
    "power",
    "What counts as cast: the power that the source declares, or else the sum of all fetched votes.",
  ),
  nullable("attention", "number", "share", "How much of the usual power it drew: its weight in every mean."),
  nullable("has_author", "boolean", "", "Whether its author is known."),
  nullable("quorum", "number", "power", "Power that it needs."),
  nullable("is_quorum_rejection", "boolean", "", "Whether its quorum is a veto."),
  nullable("has_discussion_link", "boolean", "", "Whether it has a valid link to a discussion."),
  nullable("voting_period_days", "number", "days", "From start to end."),
  nullable("review_delay_days", "number", "days", "From creation to start."),
  nullable(
    "top_choice_share",
    "number",
    "share",
    "Power of the strongest choice, of the counted votes' power.",
  ),
  nullable("rationale_share", "number", "share", "Counted votes with a reason."),
  nullable(
    "elapsed_at_half_power",
    "number",
    "share",
    "Part of the vote that had passed with half of the power of its timed votes in.",
  ),
  nullable(
    "overlapping_votes",
    "integer",
    "votes",
    "Timed votes cast while a proposal that ended before this one, with attention and a ballot, was open too.",
  ),
  nullable(
    "batch_votes",
    "integer",
    "votes",
    "Of these, within a minute of the same wallet's vote on such a proposal.",
  ),
  nullable("deliberation", "number", "share", "Mean mark of what is known of its deliberation."),
  nullable(
    "heads",
    "number",
    "heads",
    "Heads by weight, a mean over the frame, after likely coordinated wallets were joined.",
  ),
  nullable("unclustered_heads", "number", "heads", "Heads by weight before that."),
  nullable("effective_voters", "number", "heads", "How many equal voters its shares of power are worth."),
  nullable("nakamoto", "integer", "heads", "Fewest heads that together hold more than half."),
  nullable("top_share", "number", "share", "Share of the strongest head, of the power of all valid votes."),
  nullable("whale_share", "number", "share", "Joint share of the four strongest heads."),
  nullable("gini", "number", "share", "Inequality among the heads, dust left out; reported, never scored."),
  nullable("entropy_bits", "number", "bits", "Entropy of the shares; reported, never scored."),
  nullable("banzhaf_top", "number", "share", "Banzhaf index of the strongest head; reported, never scored."),
];

/** One row a known proposal of every tracked DAO, in the frame or not. */
export const PROPOSAL_COLUMNS: readonly Column[] = [...PROPOSAL, ...COMPLETENESS, ...MEASURES];
