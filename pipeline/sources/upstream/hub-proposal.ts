import { z } from "zod";
import { AnyNumber } from "./any-number.ts";

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
