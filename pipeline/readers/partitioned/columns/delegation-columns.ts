import { type Column, column, flag, nullable, SPACE_ID, text, textOrNull } from "../../tables/columns.ts";

/** One row a delegate in one of a DAO's lists, as a source drew it up. */
export const DELEGATE_LIST_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("date", "date", "", "The day of the list."),
  column("as_of_ms", "integer", "ms", "The moment that it is of, since 1970 in UTC."),
  flag("is_complete", "Whether it was not cut at some rank; one that was gives no total, share or tier."),
  column(
    "decimals",
    "integer",
    "digits",
    "Of the token: votes in its smallest unit have so many digits after the point.",
  ),
  column("fetched_at_ms", "integer", "ms", "When it was fetched, since 1970 in UTC."),
  text("account_id", "The delegate, as a pseudonym that is not the one as a voter."),
  text("votes", "In the token's smallest unit, in decimal digits."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
];

/** One row a log of the DAO's token. */
export const DELEGATION_EVENT_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("block_number", "integer", "", "The block."),
  column("log_index", "integer", "", "The log's place in it."),
  nullable("block_time_ms", "integer", "ms", "When the block was made, since 1970 in UTC."),
  text("kind", "delegate-changed, votes-changed, transfer."),
  textOrNull(
    "delegator_id",
    "Of delegate-changed: who chose, as a pseudonym that is not the one as a voter.",
  ),
  textOrNull(
    "delegate_id",
    "Of votes-changed: whose votes changed, as a pseudonym that is not the one as a voter.",
  ),
  textOrNull(
    "from_id",
    "Of delegate-changed the delegate before, of transfer who gave; null is the zero address, nobody.",
  ),
  textOrNull(
    "to_id",
    "Of delegate-changed the delegate now, of transfer who got; null is the zero address, nobody.",
  ),
  textOrNull("before_votes", "Of votes-changed, in the token's smallest unit, in decimal digits."),
  textOrNull("after_votes", "The same after it."),
  textOrNull(
    "amount",
    "Of transfer, in the token's smallest unit, in decimal digits; 1 for one of an ERC-721.",
  ),
];
