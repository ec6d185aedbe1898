import { z } from "zod";
import { type Proposal, strategiesKey, VOTING_TYPES } from "../../facts/proposal.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { AnyNumber, parseAddress, parseId, parseMoment, parsePower } from "./parse-values.ts";
import { RowError } from "./row-error.ts";

/** A discussion field longer than this is no link. */
const DISCUSSION_LENGTH_MAX = 65_536;

/**
 * The hub's object of one proposal, as far as we read it, plus `created_date`, `start_date` and `end_date` of an
 * archive whose source knows the day only. A key that is missing is one that the source does not know.
 */
export const HubProposal = z.object({
  id: z.string(),
  title: z.string().nullish(),
  author: z.string().nullish(),
  created: AnyNumber.nullish(),
  created_date: z.string().nullish(),
  start: AnyNumber.nullish(),
  start_date: z.string().nullish(),
  end: AnyNumber.nullish(),
  end_date: z.string().nullish(),
  type: z.string().nullish(),
  choices: z.array(z.unknown()).nullish(),
  discussion: z.string().max(DISCUSSION_LENGTH_MAX).nullish(),
  quorum: AnyNumber.nullish(),
  quorumType: z.string().nullish(),
  privacy: z.string().nullish(),
  strategies: z.array(z.unknown()).nullish(),
  state: z.enum(["pending", "active", "closed", "cancelled", "canceled"]).nullish(),
  scores_state: z.enum(["final", "pending", "invalid", ""]).nullish(),
  scores_total: AnyNumber.nullish(),
  votes: z.int().min(0).nullish(),
  flagged: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
});
export type HubProposal = z.infer<typeof HubProposal>;

/** A hub's proposal as we remember it. Throws `RowError` for one that cannot be. */
export function proposalOfHub(hub: HubProposal): Proposal {
  const start = parseMoment({ seconds: hub.start, day: hub.start_date }, "start", "start");
  const end = parseMoment({ seconds: hub.end, day: hub.end_date }, "end", "end");
  if (start !== undefined && end !== undefined && end.atMs < start.atMs) {
    throw new RowError("ENDS_BEFORE_START", "the vote ends before it starts");
  }
  return {
    proposalId: parseId(hub.id, "id"),
    title: upstreamText(hub.title),
    author: hub.author == null ? undefined : parseAddress(hub.author, "author"),
    created: parseMoment({ seconds: hub.created, day: hub.created_date }, "created", "start"),
    start,
    end,
    votingType: votingTypeOf(hub.type),
    // A vote between no options is a source that does not know them.
    choicesCount: hub.choices == null || hub.choices.length === 0 ? undefined : hub.choices.length,
    discussion: hub.discussion === null ? "" : hub.discussion,
    quorum: parsePower(hub.quorum, "quorum"),
    isQuorumRejection: hub.quorumType === "rejection",
    state: hub.state === "canceled" ? "cancelled" : (hub.state ?? undefined),
    scoresState: scoresStateOf(hub.scores_state),
    scoresTotal: parsePower(hub.scores_total, "scores_total"),
    votesCount: hub.votes ?? undefined,
    strategiesKey: strategiesKey(hub.strategies),
    isShutter: hub.privacy === "shutter",
    isFlagged: hub.flagged === true,
    isDeleted: hub.deleted === true,
  };
}

/** `unknown` is a word that we do not know yet; no word at all is a source that does not tell. */
function votingTypeOf(type: string | null | undefined): Proposal["votingType"] {
  return type == null ? undefined : (VOTING_TYPES.find((known) => known === type) ?? "unknown");
}

/** Without the key it is an archive of closed proposals; a hub that has the key and nothing in it has not counted yet. */
function scoresStateOf(state: HubProposal["scores_state"]): Proposal["scoresState"] {
  if (state === undefined) return undefined;
  return state === null || state === "" ? "pending" : state;
}
