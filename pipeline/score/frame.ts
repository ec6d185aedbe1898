import { DAY_MS } from "../base/days.ts";
import type { Proposal } from "../facts/proposal.ts";
import { type AttendedProposal, attend, type CastProposal } from "./attention.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { type ExclusionReason, ineligibleBecause } from "./eligibility.ts";
import { METHODOLOGY } from "./methodology.ts";
import { effectiveNumber } from "./weighted-statistics.ts";

/** A proposal of the frame with the votes on it that count. */
export interface FrameProposal extends AttendedProposal {
  readonly votes: BallotVotes;
}

/** The proposals that a DAO is judged by as of one moment. Everything by (end, id), ascending. */
export interface Frame {
  readonly asOfMs: number;
  readonly members: readonly FrameProposal[];
  /** Attended proposals whose ballot is missing though they have votes: no evidence, and it lowers completeness. */
  readonly missing: readonly AttendedProposal[];
  /** Every eligible proposal of the last 730 days with ω > 0, fetched or not. */
  readonly attended: readonly AttendedProposal[];
  /** The attended ones whose ballot we hold, members or not. */
  readonly held: readonly FrameProposal[];
  /** Σω of the members, in proposals. */
  readonly attentionSum: number;
  /** (Σω)² / Σω², the effective number of proposals (n_e). */
  readonly effectiveProposals: number;
  /** Eligible proposals in all time, those of the last 730 days only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: readonly { readonly proposalId: string; readonly reason: ExclusionReason }[];
}

/** S: what the source says was cast, nothing where nobody voted, else what the fetched ballot adds up to. */
function powerCast(proposal: Proposal, votes: BallotVotes | undefined): number | undefined {
  if (proposal.scoresTotal !== undefined) return proposal.scoresTotal;
  if (proposal.votesCount === 0 && votes === undefined) return 0;
  return votes?.fetchedPower;
}

/** Whether a proposal is known to have votes that we do not hold. */
function isMissing({ proposal, power }: AttendedProposal): boolean {
  return proposal.votesCount === undefined ? power !== undefined && power > 0 : proposal.votesCount > 0;
}

/** Latest first, until the frame is full: all of the window, then as far back as Σω needs and the horizon allows. */
function chooseMembers(candidates: readonly FrameProposal[], asOfMs: number): FrameProposal[] {
  const { windowDays, attentionTarget } = METHODOLOGY.frame;
  const members: FrameProposal[] = [];
  let sum = 0;
  for (const candidate of candidates.toReversed()) {
    const isInWindow = candidate.endMs > asOfMs - windowDays * DAY_MS;
    if (!isInWindow && sum >= attentionTarget) break;
    members.push(candidate);
    sum += candidate.attention;
  }
  return members.reverse();
}

/**
 * Draws the frame of one DAO as of `asOfMs`. `proposals` by (end, id); `votesOf` gives the counted votes of a
 * fetched ballot. Every proposal is a member or stands in `excluded` with its reason.
 */
export function drawFrame(input: {
  readonly asOfMs: number;
  readonly proposals: readonly Proposal[];
  readonly votesOf: (proposalId: string) => BallotVotes | undefined;
}): Frame {
  const { asOfMs, proposals, votesOf } = input;
  const { horizonDays, attentionTarget } = METHODOLOGY.frame;
  const excluded: { proposalId: string; reason: ExclusionReason }[] = [];
  const recent: CastProposal[] = [];
  let olderCount = 0;
  for (const proposal of proposals) {
    const reason = ineligibleBecause(proposal, asOfMs);
    const endMs = proposal.end?.atMs ?? Number.NaN;
    if (reason !== undefined) excluded.push({ proposalId: proposal.proposalId, reason });
    else if (endMs <= asOfMs - horizonDays * DAY_MS) {
      olderCount += 1;
      excluded.push({ proposalId: proposal.proposalId, reason: "TOO_OLD" });
    } else recent.push({ proposal, endMs, power: powerCast(proposal, votesOf(proposal.proposalId)) });
  }

  const attended = attend(recent).filter((item) => {
    if (item.attention === 0) excluded.push({ proposalId: item.proposal.proposalId, reason: "IGNORED" });
    return item.attention > 0;
  });
  const candidates = attended.flatMap((item): FrameProposal[] => {
    const votes = votesOf(item.proposal.proposalId);
    return votes === undefined || votes.fetchedCount === 0 ? [] : [{ ...item, votes }];
  });
  const members = chooseMembers(candidates, asOfMs);
  const attentionSum = members.reduce((sum, member) => sum + member.attention, 0);

  const held = new Set(candidates.map((candidate) => candidate.proposal.proposalId));
  const inFrame = new Set(members.map((member) => member.proposal.proposalId));
  const oldestMs = attentionSum < attentionTarget ? -Infinity : (members[0]?.endMs ?? -Infinity);
  const missing: AttendedProposal[] = [];
  for (const item of attended) {
    const { proposalId } = item.proposal;
    if (inFrame.has(proposalId)) continue;
    // A ballot older than a full frame would not be looked at if we held it: it is not missed.
    const isOlder = item.endMs < oldestMs;
    const isGone = !held.has(proposalId) && isMissing(item);
    if (isGone && !isOlder) missing.push(item);
    const reason = held.has(proposalId) || (isGone && isOlder) ? "FRAME_FULL" : "NO_VOTES";
    excluded.push({ proposalId, reason: isGone && !isOlder ? "BALLOT_MISSING" : reason });
  }
  return {
    asOfMs,
    members,
    missing,
    attended,
    held: candidates,
    attentionSum,
    effectiveProposals: effectiveNumber(members.map((member) => member.attention)),
    eligibleCount: olderCount + attended.length,
    excluded,
  };
}
