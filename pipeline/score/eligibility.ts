import type { Proposal } from "../facts/proposal.ts";

/** Why a proposal is not in the frame, or is looked at without its ballot. */
export type ExclusionReason =
  | "END_UNKNOWN"
  | "NOT_ENDED"
  | "STATE_OPEN"
  | "NOT_FINAL"
  | "CANCELLED"
  | "FLAGGED"
  | "DELETED"
  | "TOO_OLD"
  | "IGNORED"
  | "NO_VOTES"
  | "BALLOT_MISSING"
  | "FRAME_FULL";

/** Why a proposal is not eligible as of t, or `undefined` where it is. Nothing not yet known at t counts. */
export function ineligibleBecause(proposal: Proposal, asOfMs: number): ExclusionReason | undefined {
  if (proposal.isDeleted) return "DELETED";
  if (proposal.isFlagged) return "FLAGGED";
  if (proposal.end === undefined) return "END_UNKNOWN";
  if (proposal.end.atMs > asOfMs) return "NOT_ENDED";
  if (proposal.state === "active" || proposal.state === "pending") return "STATE_OPEN";
  if (proposal.state === "cancelled") return "CANCELLED";
  if (proposal.scoresState !== undefined && proposal.scoresState !== "final") return "NOT_FINAL";
  return undefined;
}
