import type { MarkId, ProposalPlace } from "../../../snapshots/format/proposal-line.ts";
import { DAY_MS } from "../../facts/days.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import type { Mark } from "./marks.ts";
import { METHODOLOGY } from "./methodology.ts";

/** Why a proposal is not in the frame. */
export type ExclusionReason = Exclude<ProposalPlace, "MEMBER">;

/** A proposal that is not in the frame, and why. */
export interface Exclusion {
  readonly proposalId: string;
  readonly reason: ExclusionReason;
}

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

/** How power was distributed on one ballot, before any wallets are merged for voting alike. */
export interface Concentration {
  /** s₁, and the same of the shares after wallets that vote alike were merged. */
  readonly topShare: number;
  readonly mergedTopShare: number;
  /** CR4: joint share of the four largest. */
  readonly whaleShare: number;
  /** K: fewest voters that hold more than half. */
  readonly majorityVoters: number;
  /** 0 where all are equal, near 1 where one has all; it follows the number of dust voters, so it is reported and never scored. */
  readonly gini: number;
}

/** What is measured of one proposal of the frame, without a wallet; `undefined` where it is not known. */
export interface ProposalMeasures {
  readonly proposalId: string;
  readonly endMs: number;
  /** Proposals of one number have the same voting strategies, and so one scale of power. */
  readonly unit: number;
  /** S: power cast. */
  readonly power: number | undefined;
  /** ω, 0–1. */
  readonly attention: number;
  /** Fetched votes. */
  readonly votes: number;
  readonly marks: Readonly<Record<MarkId, Mark | undefined>>;
  /** Σω of the earlier proposals that the voters were looked for in, at most 10. */
  readonly loyaltyAttention: number;
  /** `undefined` where no power is known. */
  readonly concentration: Concentration | undefined;
  readonly quorum: number | undefined;
  /** r, 0–1: part of the ballot's power that was fetched. */
  readonly fetchedShare: number;
  /** φ, 0–1: part of the proposal's fields that are known. */
  readonly fieldsShare: number;
}

/** What decides how much a proposal counts as of a moment. */
type FadingProposal = Pick<ProposalMeasures, "endMs" | "attention">;

/** w of a proposal as of t: its attention, fading to nothing over two years. */
export function weightAt({ endMs, attention }: FadingProposal, asOfMs: number): number {
  const fade = 1 - (asOfMs - endMs) / (METHODOLOGY.frame.horizonDays * DAY_MS);
  return fade > 0 ? attention * fade : 0;
}

/** Sums of the weights of proposals with a known author. Who proposed what stays here: it would tell which wallets are one entity. */
export interface AuthorWeights {
  /** W. */
  readonly sum: number;
  /** Σ w². */
  readonly ofProposals: number;
  /** Σ_a W_a², entities merged. */
  readonly ofAuthors: number;
}

/** What a space's configuration says of its rules. */
export interface GuardrailMeasures {
  readonly isProposingGated: boolean | undefined;
  readonly hasFixedPeriod: boolean | undefined;
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
 * Everything measured of one DAO as of t that its scores are made of: plain data, without a wallet. This is what is
 * published as evidence, and all that anybody needs to score the DAO again.
 */
export interface DaoMeasures {
  readonly spaceId: string;
  readonly asOfMs: number;
  /** When the DAO was last fetched whole; of an archive the end of its last day with votes; `undefined` where it never was. */
  readonly fetchedAtMs: number | undefined;
  /** The frame: eligible proposals of the last 730 days with ω > 0, fetched or not. By (end, id), ascending. */
  readonly proposals: readonly ProposalMeasures[];
  readonly authors: AuthorWeights;
  readonly guardrails: GuardrailMeasures;
  /** The newest complete delegate data at or before t that have a date. */
  readonly delegation: DelegationMeasures | undefined;
  /** Voters with at least a millionth of an attended ballot of the last 90 days. */
  readonly activeVoterCount: number;
  /** Eligible proposals in all time, those of the last 730 days only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: readonly Exclusion[];
}
