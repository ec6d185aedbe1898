import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { MarkId, ProposalPlace } from "../../../snapshots/format/proposal-line.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import type { Mark } from "./marks.ts";
import { METHODOLOGY } from "./methodology.ts";

/** Why a proposal is not in the frame. */
export type ExclusionReason = Exclude<ProposalPlace, "MEMBER">;

/** The fields of a proposal that decide whether it is eligible. */
export type EligibilityFacts = Pick<Proposal, "isDeleted" | "isFlagged" | "state" | "scoresState"> & {
  readonly end: Pick<Moment, "atMs"> | undefined;
};

/** Why a proposal is not eligible as of t; `undefined` if it is. Ignores what was not known at t. */
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

/** The distribution of power on one ballot, before wallets that vote alike are merged. */
export interface Concentration {
  /** s₁, before and after wallets that vote alike are merged. */
  readonly topShare: number;
  readonly mergedTopShare: number;
  /** CR4: joint share of the four largest. */
  readonly whaleShare: number;
  /** K: the smallest number of voters that hold more than half. */
  readonly majorityVoters: number;
  /** Σs², in HHI points (0–10,000). */
  readonly hhiPoints: number;
  /** 0 if all are equal, near 1 if one has everything. Depends on the number of dust voters, so it is not scored. */
  readonly gini: number;
}

/** The ends of what a ballot's concentration may be, whatever the votes that are not known would show. */
export type ConcentrationEnds = Readonly<
  Record<
    keyof Pick<Concentration, "majorityVoters" | "hhiPoints" | "gini">,
    readonly [low: number, high: number]
  >
>;

/** The measures of one proposal of the frame, without wallets; `undefined` means unknown. */
export interface ProposalMeasures {
  readonly proposalId: string;
  readonly endMs: number;
  /** Proposals with the same number have the same voting strategies and so the same scale of power. */
  readonly unit: number;
  /** S: power cast. */
  readonly power: number | undefined;
  /** ω, 0–1. */
  readonly attention: number;
  /** Number of fetched votes. */
  readonly votes: number;
  readonly marks: Readonly<Record<MarkId, Mark | undefined>>;
  /** Σω of the earlier proposals that loyalty compared, at most 10. */
  readonly loyaltyAttention: number;
  /** `undefined` if no power is known. */
  readonly concentration: Concentration | undefined;
  readonly concentrationEnds: ConcentrationEnds;
  readonly quorum: number | undefined;
  /** The power that counts for the quorum; `undefined` if all power cast counts. */
  readonly quorumPower: number | undefined;
  /** r, 0–1: the part of the ballot's power that was fetched. */
  readonly fetchedShare: number;
  /** φ, 0–1: the part of the proposal's fields that is known. */
  readonly fieldsShare: number;
}

/** w: the attention of a proposal, fading to 0 over two years. */
export function weightAt(
  { endMs, attention }: Pick<ProposalMeasures, "endMs" | "attention">,
  asOfMs: number,
): number {
  const fade = 1 - (asOfMs - endMs) / (METHODOLOGY.frame.horizonDays * DAY_MS);
  return fade > 0 ? attention * fade : 0;
}

/** Sums over proposals with a known author. Only sums are published: authors would reveal the wallets of an entity. */
export interface AuthorWeights {
  /** W. */
  readonly sum: number;
  /** Σ w². */
  readonly ofProposals: number;
  /** Σ_a W_a², with entities merged. */
  readonly ofAuthors: number;
}

/** The rules in a space's configuration; `undefined` means unknown. */
export interface GuardrailMeasures {
  readonly isProposingGated: boolean | undefined;
  readonly hasFixedPeriod: boolean | undefined;
  readonly guardiansCount: number | undefined;
  /** The platform flagged the space as abuse or spam; it gets no score. */
  readonly isFlagged: boolean;
}

/** Delegated power as of some moment. */
export interface DelegationMeasures {
  /** HHI points (0–10,000). */
  readonly hhiPoints: number;
  readonly asOfMs: number;
}

/**
 * All measures of one DAO as of t from which its scores are computed: plain data without wallets. They are published as
 * evidence and suffice to score the DAO again.
 */
export interface DaoMeasures {
  readonly spaceId: string;
  readonly asOfMs: number;
  /** When the DAO was last fetched completely (an archive: the end of its last day with votes); `undefined` if never. */
  readonly fetchedAtMs: number | undefined;
  /** The frame: eligible proposals of the last 730 days with ω > 0, fetched or not. By (end, id), ascending. */
  readonly proposals: readonly ProposalMeasures[];
  readonly authors: AuthorWeights;
  readonly guardrails: GuardrailMeasures;
  /** From the newest complete delegate data at or before t, if they have a date. */
  readonly delegation: DelegationMeasures | undefined;
  /**
   * Voters with at least a millionth of an attended ballot of the last 90 days; `undefined` if proposals ended in that
   * time and no power cast on them is known.
   */
  readonly activeVoterCount: number | undefined;
  /** Number of eligible proposals of all time; those of the last 730 days count only with ω > 0. */
  readonly eligibleCount: number;
  /** By proposal id. */
  readonly excluded: ReadonlyMap<string, ExclusionReason>;
  /** The units by whose continuity the attention of their proposals was multiplied; that of any other unit is 1. */
  readonly continuities: readonly UnitContinuity[];
}

/** How far (0–1) the voters of a unit are those that voted before it. */
interface UnitContinuity {
  readonly unit: number;
  readonly continuity: number;
}
