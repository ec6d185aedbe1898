import {
  type Column,
  column,
  flag,
  flagOrNull,
  nullable,
  SPACE_ID,
  text,
  textOrNull,
} from "../../tables/columns.ts";

/** One row a vote: a voter's last one on a proposal. */
export const BALLOT_COLUMNS = [
  SPACE_ID,
  text("proposal_id", "The proposal, as its source names it."),
  text("voter_id", "The voter's pseudonym."),
  nullable("power", "number", "power", "Voting power; null where it is not known."),
  nullable(
    "cast_at_ms",
    "integer",
    "ms",
    "When it was cast, since 1970 in UTC, to the second; of a day that is all that is known, its start.",
  ),
  textOrNull("cast_precision", "second, day; null where the time is not known."),
  column("choice_number", "integer", "", "Votes on one proposal with one number have the same choice."),
  text("choice_kind", "single, list, weights, unreadable."),
  textOrNull(
    "choice",
    'The choice in its one spelling, as JSON: 2, [1,3] (an approval in ascending order, a ranking in its own), {"1":0.5,"3":2} (weights by option, those of 0 left out).',
  ),
  flagOrNull("is_reason_given", "Whether a reason was given; null where the source does not tell."),
  flag("is_final", "Whether its power will not change any more."),
  flag("is_outside_window", "Whether it was cast before the start or after the end: kept, never measured."),
  flag(
    "is_choice_unreadable",
    "Whether the choice is out of range, of an unknown form or was never decrypted: kept, never measured.",
  ),
] as const satisfies readonly Column[];

/** One row a voter with a vote in this export. */
export const VOTER_COLUMNS: readonly Column[] = [
  text("voter_id", "The voter's pseudonym, 32 hex digits."),
  text(
    "person_id",
    "One pseudonym for all wallets that the registry knows to be one entity's; of any other wallet its own.",
  ),
  flag(
    "is_labelled",
    "Whether the registry knows whose it is: voters that vote alike are merged only where it does not.",
  ),
];
