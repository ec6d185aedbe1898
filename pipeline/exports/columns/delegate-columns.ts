import { type Column, column, nullable } from "../column.ts";

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
