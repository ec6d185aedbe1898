import { type Column, column, nullable } from "../../column.ts";

/** One row a DAO of the version: what its space says of itself, and how its facts were fetched. */
export const SPACE_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("name", "string", "", "Its name in the registry."),
  column("category", "string", "", "What it is for: defi, infrastructure, public_goods, social."),
  column("as_of_ms", "integer", "ms", "The moment that the version is of, since 1970 in UTC."),
  column(
    "is_fetched",
    "boolean",
    "",
    "Whether it was ever fetched whole; one that was not has no other facts.",
  ),
  column(
    "is_archive",
    "boolean",
    "",
    "Whether its facts are an archive of closed proposals, which does not age.",
  ),
  nullable("last_complete_fetch_ms", "integer", "ms", "When every part of it was last fetched whole."),
  column("source_ids", "string", "", "The sources that gave it whole, with commas between."),
  nullable("is_proposing_gated", "boolean", "", "Whether not everybody may propose."),
  nullable("has_fixed_period", "boolean", "", "Whether the space fixes the voting period."),
  nullable("quorum", "number", "power", "The space's own quorum; 0 is none."),
  nullable("admins_and_moderators_count", "integer", "accounts", "Who may hide what others proposed."),
  nullable("token_decimals", "integer", "digits", "Of the token whose delegation its registry entry names."),
  nullable(
    "is_self_by_default",
    "boolean",
    "",
    "Whether holders of that token who delegated to nobody count for themselves.",
  ),
];
