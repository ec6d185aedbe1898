import { DAY_MS } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type AttendedProposal, attend, type CastProposal } from "../method/attention.ts";
import { type EligibilityFacts, type ExclusionReason, ineligibleBecause } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import type { CountedVotes } from "./counted-votes.ts";

/** What of a proposal decides whether it is in the frame. */
export type FrameFacts = EligibilityFacts &
  Pick<Proposal, "proposalId" | "strategiesKey" | "scoresTotal" | "votesCount">;

/** What of a fetched ballot decides it. */
export type FrameVotes = Pick<CountedVotes, "fetchedCount" | "countedCount" | "fetchedPower">;

/** A proposal of the frame with the votes on it that count. */
export interface FrameProposal<Facts extends FrameFacts = Proposal, Votes extends FrameVotes = CountedVotes>
  extends AttendedProposal<Facts> {
  readonly votes: Votes;
}

/** The proposals that a DAO is judged by as of one moment. Everything by (end, id), ascending. */
export interface Frame<Facts extends FrameFacts = Proposal, Votes extends FrameVotes = CountedVotes> {
  readonly asOfMs: number;
  readonly members: readonly FrameProposal<Facts, Votes>[];
  /** Attended proposals whose ballot is missing, or cannot be read, though they have votes: no evidence, and it lowers completeness. */
  readonly missing: readonly AttendedProposal<Facts>[];
  /** Every eligible proposal of the last 730 days with ω > 0, fetched or not. */
  readonly attended: readonly AttendedProposal<Facts>[];
  /** The attended ones whose ballot we hold, members or not. */
  readonly held: readonly FrameProposal<Facts, Votes>[];
  /** Σω of the members, in proposals. */
  readonly attentionSum: number;
  /** Eligible proposals in all time, those of the last 730 days only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: readonly Exclusion[];
}

/** Why a proposal is no member of a frame. */
export interface Exclusion {
  readonly proposalId: string;
  readonly reason: ExclusionReason;
}

/** S: what the source says was cast, nothing where nobody voted, else what the fetched ballot adds up to. */
export function powerCast(
  proposal: Pick<Proposal, "scoresTotal" | "votesCount">,
  votes: FrameVotes | undefined,
): number | undefined {
  if (proposal.scoresTotal !== undefined) return proposal.scoresTotal;
  if (proposal.votesCount === 0 && votes === undefined) return 0;
  return votes?.fetchedPower;
}

/**
 * Whether there is anything to judge a proposal by. A sealed ballot that was never opened has votes and none that can be
 * read: it is missing as one that was never fetched, and no proposal that nobody voted on.
 */
export function isHeld<Votes extends FrameVotes>(votes: Votes | undefined): votes is Votes {
  return votes !== undefined && votes.countedCount > 0;
}

/** Whether a proposal is known to have votes that we do not hold. */
function isMissing({ proposal, power }: CastProposal<FrameFacts>): boolean {
  return proposal.votesCount === undefined ? power !== undefined && power > 0 : proposal.votesCount > 0;
}

/** Where the members begin: latest first, until the frame is full: all of the window, then as far back as Σω needs. */
function firstMember(candidates: readonly AttendedProposal<FrameFacts>[], asOfMs: number): number {
  const { windowDays, attentionTarget } = METHODOLOGY.frame;
  let sum = 0;
  for (let place = candidates.length - 1; place >= 0; place -= 1) {
    const { endMs, attention } = candidates[place] ?? { endMs: 0, attention: 0 };
    if (endMs <= asOfMs - windowDays * DAY_MS && sum >= attentionTarget) return place + 1;
    sum += attention;
  }
  return 0;
}

/** VotesByProposal that no frame holds, and why proposals are not members. Both lists ascending, `held` part of `attended`. */
function leaveOut<Facts extends FrameFacts>(input: {
  readonly attended: readonly AttendedProposal<Facts>[];
  readonly held: readonly AttendedProposal<Facts>[];
  readonly firstMember: number;
  readonly attentionSum: number;
}): { readonly missing: AttendedProposal<Facts>[]; readonly excluded: Exclusion[] } {
  const { attended, held } = input;
  const isFull = input.attentionSum >= METHODOLOGY.frame.attentionTarget;
  const oldestMs = isFull ? (held[input.firstMember]?.endMs ?? -Infinity) : -Infinity;
  const missing: AttendedProposal<Facts>[] = [];
  const excluded: Exclusion[] = [];
  let place = 0;
  for (const item of attended) {
    const { proposalId } = item.proposal;
    if (held[place]?.proposal === item.proposal) {
      if (place < input.firstMember) excluded.push({ proposalId, reason: "FRAME_FULL" });
      place += 1;
    } else if (!isMissing(item)) excluded.push({ proposalId, reason: "NO_VOTES" });
    // A ballot older than a full frame would not be looked at if we held it: it is not missed.
    else if (item.endMs < oldestMs) excluded.push({ proposalId, reason: "FRAME_FULL" });
    else {
      missing.push(item);
      excluded.push({ proposalId, reason: "BALLOT_MISSING" });
    }
  }
  return { missing, excluded };
}

/** The frame of what was attended as of `asOfMs`. `held`: the attended ones with a ballot; `olderCount`: eligible proposals beyond the horizon. */
export function frameOf<Facts extends FrameFacts, Votes extends FrameVotes>(input: {
  readonly asOfMs: number;
  readonly attended: readonly AttendedProposal<Facts>[];
  readonly held: readonly FrameProposal<Facts, Votes>[];
  readonly olderCount: number;
  /** Those that are not attended. */
  readonly excluded: readonly Exclusion[];
}): Frame<Facts, Votes> {
  const { asOfMs, attended, held } = input;
  const first = firstMember(held, asOfMs);
  const members = held.slice(first);
  const attentionSum = members.reduce((sum, member) => sum + member.attention, 0);
  const { missing, excluded } = leaveOut({ attended, held, firstMember: first, attentionSum });
  return {
    asOfMs,
    members,
    missing,
    attended,
    held,
    attentionSum,
    eligibleCount: input.olderCount + attended.length,
    excluded: input.excluded.concat(excluded),
  };
}

/**
 * Draws the frame of one DAO as of `asOfMs`. `proposals` by (end, id); `votesOf` gives the counted votes of a
 * fetched ballot. Every proposal is a member or stands in `excluded` with its reason.
 */
export function drawFrame<Facts extends FrameFacts, Votes extends FrameVotes>(input: {
  readonly asOfMs: number;
  readonly proposals: readonly Facts[];
  readonly votesOf: (proposalId: string) => Votes | undefined;
}): Frame<Facts, Votes> {
  const { asOfMs, proposals, votesOf } = input;
  const excluded: Exclusion[] = [];
  const recent: CastProposal<Facts>[] = [];
  let olderCount = 0;
  for (const proposal of proposals) {
    const { proposalId } = proposal;
    const reason = ineligibleBecause(proposal, asOfMs);
    const endMs = proposal.end?.atMs ?? Number.NaN;
    if (reason !== undefined) excluded.push({ proposalId, reason });
    else if (endMs <= asOfMs - METHODOLOGY.frame.horizonDays * DAY_MS) {
      olderCount += 1;
      excluded.push({ proposalId, reason: "TOO_OLD" });
    } else recent.push({ proposal, endMs, power: powerCast(proposal, votesOf(proposalId)) });
  }
  const attended = attend(recent).filter((item) => {
    if (item.attention === 0) excluded.push({ proposalId: item.proposal.proposalId, reason: "IGNORED" });
    return item.attention > 0;
  });
  const held = attended.flatMap((item): FrameProposal<Facts, Votes>[] => {
    const votes = votesOf(item.proposal.proposalId);
    return isHeld(votes) ? [{ ...item, votes }] : [];
  });
  return frameOf({ asOfMs, attended, held, olderCount, excluded });
}
