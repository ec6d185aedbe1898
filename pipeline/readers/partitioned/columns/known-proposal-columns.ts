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
    `${what}, since 1970 in UTC; of a day the first moment, or for the end the last.`,
  ),
  textOrNull(`${name}_precision`, "second, or day: then the time in the day is not known."),
];

/** What its source says of a proposal. */
const FACTS: readonly Column[] = [
  SPACE_ID,
  text("proposal_id", "The proposal, as its source names it."),
  ...TITLE_COLUMNS,
  textOrNull("author_id", "The author's pseudonym; where the author votes, the same as there."),
  textOrNull("author_person_id", "The same for all wallets of one entity, as in voters."),
  ...moment("created", "When it was made"),
  ...moment("start", "When voting begins"),
  ...moment("end", "When voting ends"),
  textOrNull(
    "voting_type",
    "basic, single-choice, approval, ranked-choice, copeland, weighted, quadratic, unknown.",
  ),
  nullable("choices_count", "integer", "choices", "How many there are to choose from."),
  textOrNull(
    "discussion",
    "The link to the discussion as given, any address in it made ffff…; empty where the author gave none.",
  ),
  nullable("quorum", "number", "power", "Power that the proposal requires."),
  flag("is_quorum_rejection", "Whether its quorum counts the votes against: a veto."),
  textOrNull("state", "pending, active, closed, cancelled."),
  textOrNull(
    "scores_state",
    "final, pending, invalid: how far its source has counted; null counts as final.",
  ),
  nullable("scores_total", "number", "power", "Power that the source says was cast."),
  nullable("votes_count", "integer", "votes", "Voters that the source says there were."),
  textOrNull(
    "strategies_sha256",
    "Of the canonical text of its voting strategies: equal ones have one scale of power; null where it has none of its own.",
  ),
  flag("is_shutter", "Whether votes were encrypted until the end."),
  flag("is_flagged", "Whether its source flagged it."),
  flag("is_deleted", "Whether its source deleted it."),
  nullable(
    "ballot_votes_count",
    "integer",
    "votes",
    "Rows of it in ballots; null where its ballot was not fetched.",
  ),
];

/** What of the line is no fact that stands above already. */
const isMeasured = ({ name }: Column): boolean =>
  ["unit", "place"].includes(name) ||
  PROPOSAL_MEASURES.some(({ name: own }) => own === name && !name.startsWith("declared_"));

/** What was measured of it, as the published line says: the answers, for whoever computes them again. */
const MEASURED: readonly Column[] = PROPOSAL_COLUMNS.filter(isMeasured).map((each) => ({
  ...each,
  name: `measured_${each.name}`,
  path: ["measured", ...each.path],
}));

/** One row a known proposal of every DAO of the version, in the frame or not. */
export const KNOWN_PROPOSAL_COLUMNS: readonly Column[] = [...FACTS, ...MEASURED];

/** One row a DAO of the version: what its space says of itself, and how its facts were fetched. */
export const SPACE_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("name", "Its name in the registry."),
  text("category", "What it is for: defi, infrastructure, public_goods, social."),
  ...LINK_COLUMNS,
  column("as_of_ms", "integer", "ms", "The moment that the version is of, since 1970 in UTC."),
  flag("is_fetched", "Whether it was ever fetched whole; one that was not has no other facts."),
  flag("is_archive", "Whether its facts are an archive of closed proposals, which does not age."),
  nullable("last_complete_fetch_ms", "integer", "ms", "When every part of it was last fetched whole."),
  text("source_ids", "The sources that gave it whole, with commas between."),
  flagOrNull("is_proposing_gated", "Whether not everybody may propose."),
  flagOrNull("has_fixed_period", "Whether the space fixes the voting period."),
  nullable("quorum", "number", "power", "The space's own quorum; 0 is none."),
  nullable("admins_and_moderators_count", "integer", "accounts", "Who may hide what others proposed."),
  flagOrNull("is_flagged", "Whether its platform flagged it as abuse or spam; nothing of it is scored then."),
  nullable("token_decimals", "integer", "digits", "Of the token whose delegation its registry entry names."),
  flagOrNull(
    "is_self_by_default",
    "Whether holders of that token who delegated to nobody count for themselves.",
  ),
];
