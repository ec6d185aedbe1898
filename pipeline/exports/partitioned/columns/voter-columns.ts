import { type Column, column } from "../../column.ts";

/** One row a voter with a vote in this export. */
export const VOTER_COLUMNS: readonly Column[] = [
  column("voter_id", "string", "", "The voter's pseudonym, 32 hex digits."),
  column(
    "person_id",
    "string",
    "",
    "One pseudonym for all wallets that the registry knows to be one entity's; of any other wallet its own.",
  ),
];
