import { type Column, column, nullable } from "../column.ts";

/** One row a dated listing of a DAO: what it was made of. */
export const DELEGATE_DAY_COLUMNS: readonly Column[] = [
  column("date", "date", "", "The day of the listing, which lies beside this file under that name."),
  nullable("block", "integer", "", "Of logs: the last block whose events are in; null for a list."),
  column("as_of", "timestamp", "", "The moment that it is of."),
  column("source", "string", "", "list: as somebody published it; logs: made of the token's events."),
  column("delegates", "integer", "delegates", "Delegates with power, those beyond the listing too."),
  column("total_votes", "number", "tokens", "Their power in whole tokens, the nearest double."),
];
