import type { GapReason } from "../score/score-or-gap.ts";

/** What each reason means to a reader. A new reason does not compile before it has its sentence. */
export const GAP_MESSAGES: Readonly<Record<GapReason, string>> = {
  NOT_FETCHED: "The DAO's data were never fetched whole.",
  NO_PROPOSALS: "No finished proposal with enough voting power ended in the last two years.",
  BALLOTS_MISSING: "Proposals ended in the last two years, but the votes on none of them were fetched.",
  NO_VOTERS: "Nobody whose vote carries weight voted on the proposals that are looked at.",
  POWER_UNKNOWN: "The source gives no voting power for the votes that are looked at.",
  DELIBERATION_UNKNOWN:
    "The source says too little about how the proposals were discussed and voted on: no proposal has half of what is measured.",
  PROCESS_UNKNOWN: "The source says too little about the DAO's process: less than half of what is measured.",
  COMPONENT_GAP: "At least one of the four components could not be computed.",
  ACTIVE_VOTERS_UNKNOWN: "The votes on the proposals of the last 90 days are not known.",
};
