import { type Column, column, nullable } from "../../tables/columns.ts";

/** One row a vote: a voter's last one on a proposal. */
export const BALLOT_COLUMNS = [
  column("space_id", "string", "", "The DAO."),
  column("proposal_id", "string", "", "The proposal, as its source names it."),
  column("voter_id", "string", "", "The voter's pseudonym."),
  nullable("power", "number", "power", "Voting power; null where it is not known."),
  nullable(
    "cast_at_ms",
    "integer",
    "ms",
    "When it was cast, since 1970 in UTC, to the second; of a day that is all that is known, its start.",
  ),
  nullable("cast_precision", "string", "", "second, day; null where the time is not known."),
  column("choice_number", "integer", "", "Votes on one proposal with one number have the same choice."),
  column("choice_kind", "string", "", "single, list, weights, unreadable."),
  nullable(
    "choice",
    "string",
    "",
    'The choice in its one spelling, as JSON: 2, [1,3] (an approval in ascending order, a ranking in its own), {"1":0.5,"3":2} (weights by option, those of 0 left out).',
  ),
  nullable(
    "is_reason_given",
    "boolean",
    "",
    "Whether a reason was given; null where the source does not tell.",
  ),
  column("is_final", "boolean", "", "Whether its power will not change any more."),
  column(
    "is_outside_window",
    "boolean",
    "",
    "Whether it was cast before the start or after the end: kept, never measured.",
  ),
  column(
    "is_choice_unreadable",
    "boolean",
    "",
    "Whether the choice is out of range, of an unknown form or was never decrypted: kept, never measured.",
  ),
] as const satisfies readonly Column[];

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
