import { PROPOSAL_MEASURES } from "../../../documents/measures.ts";
import {
  type Column,
  column,
  flag,
  flagOrNull,
  LINK_COLUMNS,
  nullable,
  PROPOSAL_COLUMNS,
  SPACE_ID,
  TITLE_COLUMNS,
  text,
  textOrNull,
} from "../../tables/columns.ts";

const moment = (name: string, what: string): readonly Column[] => [
  nullable(
    `${name}_at_ms`,
    "integer",
    "ms",
    `${what}, since 1970 in UTC; for a day its first moment, or for the end its last.`,
  ),
  textOrNull(`${name}_precision`, "second, or day if the time of day is unknown."),
];

const FACTS: readonly Column[] = [
  SPACE_ID,
  text("proposal_id", "Id of the proposal at its source."),
  ...TITLE_COLUMNS,
  textOrNull("author_id", "The author's pseudonym; the same as a voter's."),
  textOrNull("author_person_id", "The author's person id, as in voters."),
  ...moment("created", "When it was created"),
  ...moment("start", "When voting begins"),
  ...moment("end", "When voting ends"),
  textOrNull(
    "voting_type",
    "basic, single-choice, approval, ranked-choice, copeland, weighted, quadratic, unknown.",
  ),
  nullable("choices_count", "integer", "choices", "Number of choices."),
  textOrNull(
    "discussion",
    "The author's link to the discussion, with ffff… for any address in it; empty if the author gave none.",
  ),
  nullable("quorum", "number", "power", "Power that the proposal requires."),
  flag("is_quorum_rejection", "Whether its quorum counts votes against (a veto)."),
  textOrNull("state", "pending, active, closed, cancelled."),
  textOrNull(
    "scores_state",
    "final, pending, invalid: the state of the source's count; null counts as final.",
  ),
  nullable("scores_total", "number", "power", "Power cast, as reported by the source."),
  nullable("votes_count", "integer", "votes", "Number of voters, as reported by the source."),
  textOrNull(
    "strategies_sha256",
    "Hash of its voting strategies' canonical text; equal hashes mean the same unit of power; null if it has no own strategies.",
  ),
  flag("is_shutter", "Whether votes were encrypted until the end."),
  flag("is_flagged", "Whether its source flagged it."),
  flag("is_deleted", "Whether its source deleted it."),
  nullable(
    "ballot_votes_count",
    "integer",
    "votes",
    "Its rows in ballots; null if its ballot was not fetched.",
  ),
];

/** Whether a column of the published line is not already among the facts above. */
const isMeasured = ({ name }: Column): boolean =>
  ["unit", "place"].includes(name) ||
  PROPOSAL_MEASURES.some(({ name: own }) => own === name && !name.startsWith("declared_"));

/** The measures in the published line: the results to compare with when computing them again. */
const MEASURED: readonly Column[] = PROPOSAL_COLUMNS.filter(isMeasured).map((each) => ({
  ...each,
  name: `measured_${each.name}`,
}));

/** One row per known proposal of every DAO of the version, in the frame or not. */
export const KNOWN_PROPOSAL_COLUMNS: readonly Column[] = [...FACTS, ...MEASURED];

/** One row per DAO of the version: its space's settings, and how its facts were fetched. */
export const SPACE_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("name", "Name in the registry."),
  text("category", "Purpose: defi, infrastructure, public_goods, social."),
  ...LINK_COLUMNS,
  column("as_of_ms", "integer", "ms", "The moment of the version, since 1970 in UTC."),
  flag("is_fetched", "Whether it was ever fetched completely; otherwise it has no other facts."),
  flag("is_archive", "Whether its facts are an archive of closed proposals, which does not age."),
  nullable("last_complete_fetch_ms", "integer", "ms", "When it was last fetched completely."),
  text("source_ids", "Sources of complete fetches, separated by commas."),
  flagOrNull("is_proposing_gated", "Whether proposing is restricted."),
  flagOrNull("has_fixed_period", "Whether the space fixes the voting period."),
  nullable("quorum", "number", "power", "Quorum of the space; 0 means none."),
  nullable(
    "admins_and_moderators_count",
    "integer",
    "accounts",
    "Accounts that may hide other accounts' proposals.",
  ),
  flagOrNull("is_flagged", "Whether its platform flagged it as abuse or spam; if so, it is not scored."),
  nullable("token_decimals", "integer", "digits", "Decimals of the token in its registry entry."),
  flagOrNull(
    "is_self_by_default",
    "Whether holders of that token who delegated to nobody keep their own power.",
  ),
];
