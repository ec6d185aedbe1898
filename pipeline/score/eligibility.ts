import type { ProposalPlace } from "../../snapshots/format/proposal-line.ts";
import type { Moment, Proposal } from "../facts/proposal.ts";

/** Why a proposal is not in the frame, or is looked at without its ballot. */
export type ExclusionReason = Exclude<ProposalPlace, "MEMBER">;

/** What decides whether a proposal is eligible, and when it ended. */
export type EligibilityFacts = Pick<Proposal, "isDeleted" | "isFlagged" | "state" | "scoresState"> & {
  readonly end: Pick<Moment, "atMs"> | undefined;
};

/** Why a proposal is not eligible as of t, or `undefined` where it is. Nothing not yet known at t counts. */
export function ineligibleBecause(proposal: EligibilityFacts, asOfMs: number): ExclusionReason | undefined {
  if (proposal.isDeleted) return "DELETED";
  if (proposal.isFlagged) return "FLAGGED";
  if (proposal.end === undefined) return "END_UNKNOWN";
  if (proposal.end.atMs > asOfMs) return "NOT_ENDED";
  if (proposal.state === "active" || proposal.state === "pending") return "STATE_OPEN";
  if (proposal.state === "cancelled") return "CANCELLED";
  if (proposal.scoresState !== undefined && proposal.scoresState !== "final") return "NOT_FINAL";
  return undefined;
}
