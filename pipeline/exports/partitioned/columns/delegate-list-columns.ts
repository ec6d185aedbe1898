import { type Column, column } from "../../column.ts";

/** One row a delegate in one of a DAO's lists, as a source drew it up. */
export const DELEGATE_LIST_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("date", "date", "", "The day of the list."),
  column("as_of_ms", "integer", "ms", "The moment that it is of, since 1970 in UTC."),
  column(
    "is_complete",
    "boolean",
    "",
    "Whether it was not cut at some rank; one that was gives no total, share or tier.",
  ),
  column(
    "decimals",
    "integer",
    "digits",
    "Of the token: votes in its smallest unit have so many digits after the point.",
  ),
  column("fetched_at_ms", "integer", "ms", "When it was fetched, since 1970 in UTC."),
  column("account_id", "string", "", "The delegate, as a pseudonym that is not the one as a voter."),
  column("votes", "string", "", "In the token's smallest unit, in decimal digits."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
];
