import type { ProposalPlace } from "../../../snapshots/format/proposal-line.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";

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

/** How power was distributed on one proposal. */
export interface Concentration {
  /** 1 / Σ share². */
  readonly effectiveVoters: number;
  /** Fewest heads that hold more than half. */
  readonly nakamoto: number;
  readonly topShare: number;
  /** CR4: joint share of the four largest. */
  readonly whaleShare: number;
}

/** What one proposal and its ballot say whatever the frame; `undefined` where it is not known. */
export interface ProposalMeasures {
  readonly proposalId: string;
  readonly endMs: number;
  /** S: power cast. */
  readonly power: number | undefined;
  /** Whether its author is known. */
  readonly hasAuthor: boolean;
  readonly quorum: number | undefined;
  readonly isQuorumRejection: boolean;

  /** Deliberation, before anything is mapped to marks. */
  readonly hasDiscussionLink: boolean | undefined;
  readonly votingPeriodDays: number | undefined;
  readonly reviewDelayDays: number | undefined;
  readonly topChoiceShare: number | undefined;
  /** Share of the counted votes that give a reason. */
  readonly rationaleShare: number | undefined;
  /** Elapsed part of the vote when half of the final power was in. */
  readonly elapsedAtHalfPower: number | undefined;

  /** How many of the fields that completeness looks at are known. */
  readonly fieldsKnown: number;
  /** What the source says there is. */
  readonly declaredVotes: number | undefined;
  readonly declaredPower: number | undefined;
}

/** What its fetched ballot adds. */
export interface VotesMeasures {
  readonly fetchedVotes: number;
  readonly readableVotes: number;
  readonly finalVotes: number;
  readonly fetchedPower: number | undefined;
  /** Counted votes, and those of them whose time is known. */
  readonly countedVotes: number;
  readonly timedVotes: number;
}

/** A member of the frame with what can be said of it within this frame only. */
export interface MemberMeasures extends ProposalMeasures, VotesMeasures {
  /** ω, 0–1. */
  readonly attention: number;
  /** H_p: human-equivalents that voted, each by its weight. */
  readonly heads: number;
  /** V_p: the same before clustering. */
  readonly unclusteredHeads: number;
  /** Of the power of human-equivalents; `undefined` where no power is known. */
  readonly concentration: Concentration | undefined;
  /** Timed votes cast while an earlier attended proposal was open, and those of them cast within a minute of the voter's vote on one. */
  readonly overlappingVotes: number;
  readonly batchVotes: number;
}

/** An attended proposal whose ballot is missing though it has votes. */
export interface MissingMeasures extends ProposalMeasures {
  readonly attention: number;
}

/** An attended proposal, fetched or not. */
interface AttendedMeasures {
  readonly endMs: number;
  readonly attention: number;
}

/** What a space's configuration says of its rules. */
export interface GuardrailMeasures {
  readonly isProposingGated: boolean | undefined;
  readonly hasFixedPeriod: boolean | undefined;
  /** The space's own quorum, in voting power; 0 is none. */
  readonly quorum: number | undefined;
  readonly guardiansCount: number | undefined;
  /** The platform marked the space as abuse or spam: nothing of it is scored. */
  readonly isFlagged: boolean;
}

/** Delegated power as of some moment. */
export interface DelegationMeasures {
  /** HHI points (0–10,000). */
  readonly hhiPoints: number;
  readonly asOfMs: number;
}

/**
 * Everything measured of one DAO as of t that its scores are made of: plain data, nothing of it mapped to marks.
 * Proposals by (end, id), ascending.
 */
export interface DaoMeasures {
  readonly spaceId: string;
  readonly asOfMs: number;
  /** Whether the DAO was ever fetched whole. */
  readonly isFetched: boolean;
  /** 0–1; how fresh the last complete fetch was at t. */
  readonly freshness: number;
  readonly members: readonly MemberMeasures[];
  readonly missing: readonly MissingMeasures[];
  /** Every eligible proposal of the last 730 days with ω > 0. */
  readonly attended: readonly AttendedMeasures[];
  /** H(5): human-equivalents expected in five draws. */
  readonly expectedHeads: number;
  readonly isCoordinationAssessed: boolean;
  /** Human-equivalents of at least half weight in 90 days; `undefined` where there were proposals and no ballot of theirs is held. */
  readonly activeVoterCount: number | undefined;
  /** Of the members whose authors are known, entities merged; `undefined` where none is. */
  readonly effectiveProposers: number | undefined;
  readonly guardrails: GuardrailMeasures;
  /** The newest complete delegate data at or before t that have a date. */
  readonly delegation: DelegationMeasures | undefined;
  /** Eligible proposals in all time, those of the last 730 days only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: readonly { readonly proposalId: string; readonly reason: ExclusionReason }[];
}

/** What the clock alone can move. */
export type ClockMeasures = Pick<DaoMeasures, "asOfMs" | "freshness" | "activeVoterCount" | "delegation">;

/** What stays as it is until a proposal ends or becomes too old: in most DAOs for weeks. */
export type FrameMeasures = Omit<DaoMeasures, keyof ClockMeasures>;
