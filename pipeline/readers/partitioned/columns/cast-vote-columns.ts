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

/** One row per vote: a voter's last one on a proposal. */
export const BALLOT_COLUMNS = [
  SPACE_ID,
  text("proposal_id", "Id of the proposal at its source."),
  text("voter_id", "The voter's pseudonym."),
  nullable("power", "number", "power", "Voting power; null if unknown."),
  nullable(
    "cast_at_ms",
    "integer",
    "ms",
    "When it was cast, since 1970 in UTC, to the second; if only the day is known, its start.",
  ),
  textOrNull("cast_precision", "second, day; null if the time is unknown."),
  column("choice_number", "integer", "", "Votes on a proposal with the same number have the same choice."),
  text("choice_kind", "single, list, weights, unreadable."),
  textOrNull(
    "choice",
    'The choice as canonical JSON: 2, [1,3] (an approval in ascending order, a ranking in its own order), {"1":0.5,"3":2} (weights by option, without zeros).',
  ),
  flagOrNull("is_reason_given", "Whether a reason was given; null if the source does not report it."),
  flag("is_final", "Whether its power is final."),
  flag("is_outside_window", "Whether it was cast before the start or after the end: kept, never measured."),
  flag(
    "is_choice_unreadable",
    "Whether the choice is out of range, of an unknown form or was never decrypted: kept, never measured.",
  ),
] as const satisfies readonly Column[];

/** One row per voter with a vote in this export. */
export const VOTER_COLUMNS: readonly Column[] = [
  text("voter_id", "The voter's pseudonym, 32 hex digits."),
  text(
    "person_id",
    "A pseudonym shared by all wallets of an entity in the registry; any other wallet has its own.",
  ),
  flag(
    "is_labelled",
    "Whether the registry knows the owner; only other voters are merged if they vote alike.",
  ),
];
