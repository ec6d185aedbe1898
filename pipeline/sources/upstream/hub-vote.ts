import { z } from "zod";
import type { CastVote } from "../../facts/proposal-votes.ts";
import { AnyNumber, parseAddress, parseDay, parseId, parsePower, parseSeconds } from "./parse-values.ts";

/**
 * The hub's object of one vote, as far as we read it, plus `created_date` of an archive. `proposal` is the id or, as
 * the hub nests it, an object; `null` is a proposal that was deleted. `choice` is read by the proposal's voting type.
 */
export const HubVote = z.object({
  id: z.string().nullish(),
  proposal: z.union([z.string(), z.object({ id: z.string() })]).nullable(),
  voter: z.string(),
  created: AnyNumber.nullish(),
  created_date: z.string().nullish(),
  choice: z.unknown(),
  vp: AnyNumber.nullish(),
  vp_state: z.string().nullish(),
  reason: z.string().nullish(),
});
export type HubVote = z.infer<typeof HubVote>;

/** The id of the proposal a vote is on; `undefined` where it was deleted. */
export function proposalIdOf(vote: HubVote): string | undefined {
  return typeof vote.proposal === "string" ? vote.proposal : vote.proposal?.id;
}

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
