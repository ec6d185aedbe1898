import { type Column, column, nullable } from "../../column.ts";

/** One row a log of the DAO's token. */
export const DELEGATION_EVENT_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("block_number", "integer", "", "The block."),
  column("log_index", "integer", "", "The log's place in it."),
  nullable("block_time_ms", "integer", "ms", "When the block was made, since 1970 in UTC."),
  column("kind", "string", "", "delegate-changed, votes-changed, transfer."),
  nullable(
    "delegator_id",
    "string",
    "",
    "Of delegate-changed: who chose, as a pseudonym that is not the one as a voter.",
  ),
  nullable(
    "delegate_id",
    "string",
    "",
    "Of votes-changed: whose votes changed, as a pseudonym that is not the one as a voter.",
  ),
  nullable(
    "from_id",
    "string",
    "",
    "Of delegate-changed the delegate before, of transfer who gave; null is the zero address, nobody.",
  ),
  nullable(
    "to_id",
    "string",
    "",
    "Of delegate-changed the delegate now, of transfer who got; null is the zero address, nobody.",
  ),
  nullable(
    "before_votes",
    "string",
    "",
    "Of votes-changed, in the token's smallest unit, in decimal digits.",
  ),
  nullable("after_votes", "string", "", "The same after it."),
  nullable(
    "amount",
    "string",
    "",
    "Of transfer, in the token's smallest unit, in decimal digits; 1 for one of an ERC-721.",
  ),
];
