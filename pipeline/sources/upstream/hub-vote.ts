import { z } from "zod";
import { AnyNumber } from "./any-number.ts";

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
