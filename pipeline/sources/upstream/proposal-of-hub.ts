import { type Proposal, VOTING_TYPES } from "../../facts/proposal.ts";
import { strategiesKey } from "../../facts/strategies-key.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { HubProposal } from "./hub-proposal.ts";
import { parseAddress } from "./parse-address.ts";
import { parseId } from "./parse-id.ts";
import { parseMoment } from "./parse-moment.ts";
import { parsePower } from "./parse-power.ts";
import { RowError } from "./row-error.ts";

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
