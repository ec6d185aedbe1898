import { type Column, column, nullable } from "./column.ts";

/** One row a delegate of a DAO that has a listing: the whole ranking, not only the rows that are listed. */
export const DELEGATE_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("rank", "integer", "place", "Place by delegated power; 1 has most."),
  column("address", "string", "", "The delegate's wallet, in lower case."),
  nullable("ens", "string", "", "The name that leads to the wallet and back; null where there is none."),
  column("display_name", "string", "", "The name, or else the shortened address."),
  column("votes_human", "number", "tokens", "Voting power in whole tokens, the nearest double."),
  column("votes_share_pct", "number", "%", "Share of all delegated power."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
  column("weight_tier", "string", "", "T1, T2 or T3, heaviest first."),
];

/** One row a dated listing of a DAO: what it was made of. */
export const DELEGATE_DAY_COLUMNS: readonly Column[] = [
  column("date", "date", "", "The day of the listing, which lies beside this file under that name."),
  nullable("block", "integer", "", "Of logs: the last block whose events are in; null for a list."),
  column("as_of", "timestamp", "", "The moment that it is of."),
  column("source", "string", "", "list: as somebody published it; logs: made of the token's events."),
  column("delegates", "integer", "delegates", "Delegates with power, those beyond the listing too."),
  column("total_votes", "number", "tokens", "Their power in whole tokens, the nearest double."),
];
