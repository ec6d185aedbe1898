import {
  type Column,
  column,
  flag,
  flagOrNull,
  LINK_COLUMNS,
  nullable,
  PROPOSAL_COLUMNS,
  SPACE_ID,
  TITLE_COLUMNS,
  text,
  textOrNull,
} from "../../../../documents/columns.ts";
import { PROPOSAL_MEASURES } from "../../../../documents/measures.ts";

const moment = (name: string, what: string): readonly Column[] => [
  nullable(
    `${name}_at_ms`,
    "integer",
    "ms",
    `${what}, since 1970 in UTC; for a day its first moment, or for the end its last.`,
  ),
  textOrNull(`${name}_precision`, "second, or day if the time of day is unknown."),
];

const FACTS: readonly Column[] = [
  SPACE_ID,
  text("proposal_id", "Id of the proposal at its source."),
  ...TITLE_COLUMNS,
  textOrNull("author_id", "The author's pseudonym; the same as a voter's."),
  textOrNull("author_person_id", "The author's person id, as in voters."),
  ...moment("created", "When it was created"),
  ...moment("start", "When voting begins"),
  ...moment("end", "When voting ends"),
  textOrNull(
    "voting_type",
    "basic, single-choice, approval, ranked-choice, copeland, weighted, quadratic, fractional, unknown.",
  ),
  nullable("choices_count", "integer", "choices", "Number of choices."),
  textOrNull(
    "discussion",
    "The author's link to the discussion, with ffff… for any address in it; empty if the author gave none.",
  ),
  nullable("quorum", "number", "power", "Power that the proposal requires."),
  flag("is_quorum_rejection", "Whether its quorum counts votes against (a veto)."),
  nullable(
    "quorum_power",
    "number",
    "power",
    "Power that counts for its quorum; null if all power cast counts.",
  ),
  textOrNull("state", "pending, active, closed, cancelled."),
  textOrNull(
    "scores_state",
    "final, pending, invalid: the state of the source's count; null counts as final.",
  ),
  nullable("scores_total", "number", "power", "Power cast, as reported by the source."),
  nullable("votes_count", "integer", "votes", "Number of voters, as reported by the source."),
  textOrNull(
    "strategies_sha256",
    "Hash of its voting strategies' canonical text; equal hashes mean the same unit of power; null if it has no own strategies.",
  ),
  flag("is_shutter", "Whether votes were encrypted until the end."),
  flag("is_flagged", "Whether its source flagged it."),
  flag("is_deleted", "Whether its source deleted it."),
  nullable(
    "ballot_votes_count",
    "integer",
    "votes",
    "Its rows in ballots; null if its ballot was not fetched.",
  ),
];

/** Whether a column of the published line is not already among the facts above. */
const isMeasured = ({ name }: Column): boolean =>
  ["unit", "place"].includes(name) ||
  PROPOSAL_MEASURES.some(({ name: measure }) => measure === name && !name.startsWith("declared_"));

/** The measures in the published line: the results to compare with when computing them again. */
const MEASURED: readonly Column[] = PROPOSAL_COLUMNS.filter(isMeasured).map((column) => ({
  ...column,
  name: `measured_${column.name}`,
}));

export const KNOWN_PROPOSAL_COLUMNS: readonly Column[] = [...FACTS, ...MEASURED];

export const SPACE_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("name", "Name in the registry."),
  text("category", "Purpose: defi, infrastructure, public_goods, social."),
  ...LINK_COLUMNS,
  column("as_of_ms", "integer", "ms", "The moment of the version, since 1970 in UTC."),
  flag("is_fetched", "Whether it was ever fetched completely; otherwise it has no other facts."),
  flag("is_archive", "Whether its facts are an archive of closed proposals, which does not age."),
  nullable("last_complete_fetch_ms", "integer", "ms", "When it was last fetched completely."),
  text("source_ids", "Sources of complete fetches, separated by commas."),
  flagOrNull("is_proposing_gated", "Whether proposing is restricted."),
  flagOrNull("has_fixed_period", "Whether the space fixes the voting period."),
  nullable("quorum", "number", "power", "Quorum of the space; 0 means none."),
  nullable(
    "admins_and_moderators_count",
    "integer",
    "accounts",
    "Accounts that may hide other accounts' proposals.",
  ),
  flagOrNull("is_flagged", "Whether its platform flagged it as abuse or spam; if so, it is not scored."),
  nullable("token_decimals", "integer", "digits", "Decimals of the token in its registry entry."),
  flagOrNull(
    "is_self_by_default",
    "Whether holders of that token who delegated to nobody keep their own power.",
  ),
];

export const BALLOT_COLUMNS = [
  SPACE_ID,
  text("proposal_id", "Id of the proposal at its source."),
  text("voter_id", "The voter's pseudonym."),
  nullable("power", "number", "power", "Voting power; null if unknown."),
  nullable(
    "cast_at_ms",
    "integer",
    "ms",
    "When it was cast, since 1970 in UTC, to the second; if only the day is known, its start.",
  ),
  textOrNull("cast_precision", "second, day; null if the time is unknown."),
  column("choice_number", "integer", "", "Votes on a proposal with the same number have the same choice."),
  text("choice_kind", "single, list, weights, unreadable."),
  textOrNull(
    "choice",
    'The choice as canonical JSON: 2, [1,3] (an approval in ascending order, a ranking in its own order), {"1":0.5,"3":2} (weights by option, without zeros).',
  ),
  flagOrNull("is_reason_given", "Whether a reason was given; null if the source does not report it."),
  flag("is_final", "Whether its power is final."),
  flag("is_outside_window", "Whether it was cast before the start or after the end: kept, never measured."),
  flag(
    "is_choice_unreadable",
    "Whether the choice is out of range, of an unknown form or was never decrypted: kept, never measured.",
  ),
] as const satisfies readonly Column[];

export const VOTER_COLUMNS: readonly Column[] = [
  text("voter_id", "The voter's pseudonym, 32 hex digits."),
  text(
    "person_id",
    "A pseudonym shared by all wallets of an entity in the registry; any other wallet has its own.",
  ),
  flag(
    "is_labelled",
    "Whether the registry knows the owner; only other voters are merged if they vote alike.",
  ),
];

export const DELEGATE_LIST_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("date", "date", "", "The day of the list."),
  column("as_of_ms", "integer", "ms", "The moment of the list, since 1970 in UTC."),
  flag(
    "is_complete",
    "Whether the list is complete; from an incomplete one no total, share or tier is derived.",
  ),
  column("decimals", "integer", "digits", "Decimals of the token: whole tokens are votes / 10^decimals."),
  column("fetched_at_ms", "integer", "ms", "When it was fetched, since 1970 in UTC."),
  text("account_id", "The delegate, under another pseudonym than as a voter."),
  text("votes", "In the token's smallest unit, in decimal digits."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
];

export const DELEGATION_EVENT_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("block_number", "integer", "", "The block."),
  column("log_index", "integer", "", "Index of the log in the block."),
  nullable("block_time_ms", "integer", "ms", "Time of the block, since 1970 in UTC."),
  text("kind", "delegate-changed, votes-changed, transfer."),
  textOrNull("delegator_id", "For delegate-changed: the delegator, under another pseudonym than as a voter."),
  textOrNull("delegate_id", "For votes-changed: the delegate, under another pseudonym than as a voter."),
  textOrNull(
    "from_id",
    "For delegate-changed the previous delegate, for transfer the sender; null for the zero address (nobody).",
  ),
  textOrNull(
    "to_id",
    "For delegate-changed the new delegate, for transfer the receiver; null for the zero address (nobody).",
  ),
  textOrNull(
    "before_votes",
    "For votes-changed: votes before it, in the token's smallest unit, in decimal digits.",
  ),
  textOrNull("after_votes", "The same after it."),
  textOrNull(
    "amount",
    "For transfer: the amount in the token's smallest unit, in decimal digits; 1 for an ERC-721 token.",
  ),
];
