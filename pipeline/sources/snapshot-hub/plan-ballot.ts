import { DAY_MS } from "../../base/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { HeldProposal } from "../../facts/space-sink.ts";
import { RETRY_DAYS } from "./limits.ts";

/** What to do about the votes on one proposal. */
export type BallotPlan = "fetch" | "keep" | "none";

/**
 * Votes are taken once, when they can change no more: the vote has ended and its scores are final. Power may stay
 * open until then. A held ballot is asked for again where it lacks votes, and where the hub now says something else
 * of what its votes are read by.
 */
export function planBallot(
  proposal: Proposal,
  held: HeldProposal | undefined,
  { nowMs, isFull }: { readonly nowMs: number; readonly isFull: boolean },
): BallotPlan {
  const holding = held?.ballot === undefined ? "none" : "keep";
  const endMs = proposal.end?.atMs ?? Infinity;
  const isOver = proposal.state === "closed" && proposal.scoresState === "final" && endMs <= nowMs;
  if (!isOver || proposal.isDeleted) return holding;
  // A count that falls to nothing is a fault more often than news: what is held stays, and the run's report tells.
  if (proposal.votesCount === 0) return isFull ? "none" : holding;
  if (isFull || held?.ballot === undefined || isChanged(proposal, held.proposal)) return "fetch";
  return held.ballot.isFinal || nowMs - endMs > RETRY_DAYS * DAY_MS ? "keep" : "fetch";
}

function isChanged(now: Proposal, before: Proposal): boolean {
  return (
    now.start?.atMs !== before.start?.atMs ||
    now.end?.atMs !== before.end?.atMs ||
    now.votingType !== before.votingType ||
    now.choicesCount !== before.choicesCount ||
    now.scoresState !== before.scoresState ||
    now.scoresTotal !== before.scoresTotal ||
    now.votesCount !== before.votesCount
  );
}
