import { type Column, column, flag, nullable, SPACE_ID, text, textOrNull } from "../../tables/columns.ts";

/** One row per delegate in one of a DAO's lists, as the source published it. */
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

/** One row per log of the DAO's token. */
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
