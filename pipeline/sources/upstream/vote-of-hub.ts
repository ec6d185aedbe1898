import type { CastVote } from "../../facts/cast-vote.ts";
import type { HubVote } from "./hub-vote.ts";
import { parseAddress } from "./parse-address.ts";
import { parseId } from "./parse-id.ts";
import { parseDay, parseSeconds } from "./parse-moment.ts";
import { parsePower } from "./parse-power.ts";

/** A hub's vote as a ballot takes it. Throws `RowError` for one that cannot be; numbers the voter only when all else is right. */
export function voteOfHub(hub: HubVote, line: number, internVoter: (address: string) => number): CastVote {
  const voter = parseAddress(hub.voter, "voter");
  const vote = {
    created: createdOf(hub),
    choice: hub.choice,
    power: parsePower(hub.vp, "vp"),
    isReasonGiven: hub.reason == null ? undefined : hub.reason.trim() !== "",
    isFinal: hub.vp_state == null || hub.vp_state === "final",
    voteId: hub.id == null ? undefined : parseId(hub.id, "id"),
    line,
  };
  return { voterId: internVoter(voter), ...vote };
}

function createdOf({ created, created_date }: HubVote): CastVote["created"] {
  if (created != null) return { atS: parseSeconds(created, "created"), precision: "second" };
  return created_date == null ? undefined : { atS: parseDay(created_date, "created_date"), precision: "day" };
}
