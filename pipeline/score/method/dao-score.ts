import type {
  ComponentKey,
  Confidence,
  DelegateCentralization,
  ProposalVelocity,
  RiskLevel,
} from "../../../snapshots/format/value-sets.ts";

/** Why something could not be computed. */
export const GAP_REASONS = [
  "NOT_FETCHED",
  "SPACE_FLAGGED",
  "NO_PROPOSALS",
  "BALLOTS_MISSING",
  "NO_VOTERS",
  "POWER_UNKNOWN",
  "DELIBERATION_UNKNOWN",
  "PROCESS_UNKNOWN",
  "COMPONENT_GAP",
  "ACTIVE_VOTERS_UNKNOWN",
] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** A score in points (0–10, risk 0–100), or the reason why there is none. Absent is not zero. */
export type ScoreOrGap =
  | { readonly kind: "score"; readonly points: number }
  | { readonly kind: "gap"; readonly reason: GapReason };

/** A score of so many points. */
export function points(value: number): ScoreOrGap {
  return { kind: "score", points: value };
}

/** No score, and why. */
export function gap(reason: GapReason): ScoreOrGap & { readonly kind: "gap" } {
  return { kind: "gap", reason };
}

/** How one entity took part in one DAO's frame; all numbers unrounded. */
export interface EntityParticipation {
  readonly entityId: string;
  readonly proposalsVoted: number;
  /** Share (0–1) of the frame's attention on whose proposals it voted. */
  readonly participationShare: number;
  /** Weighted median share (0–1) of voting power over all of the frame; `undefined` where no power is known. */
  readonly powerShare: number | undefined;
  /** Over everything fetched up to t, not the frame; `undefined` where no vote's time is known. */
  readonly firstVoteAtMs: number | undefined;
  readonly lastVoteAtMs: number | undefined;
}

/** The risk assessment of one DAO, unrounded, or why there is none. */
export type RiskOrGap =
  | {
      readonly kind: "risk";
      /** 0–100, lower is better. */
      readonly score: number;
      readonly captureRisk: RiskLevel;
      readonly whaleControlPct: number;
      readonly activeVoterCount: number;
      readonly delegateCentralization: DelegateCentralization;
      readonly proposalVelocity: ProposalVelocity;
      readonly checkpointVotingPct: number;
    }
  | { readonly kind: "gap"; readonly reason: GapReason };

/** The scores of one DAO as of one moment; numbers unrounded. */
export interface DayScore {
  readonly spaceId: string;
  readonly asOfMs: number;
  /** After thin evidence (§6): the published components. */
  readonly components: Readonly<Record<ComponentKey, ScoreOrGap>>;
  readonly gvs: ScoreOrGap;
  readonly confidence: Confidence;
  readonly risk: RiskOrGap;
  /** 0–100; `undefined` where there is nothing to count. */
  readonly completenessPct: number | undefined;
  /** Σω of the frame, in proposals. */
  readonly attentionSum: number;
}

/** The same with everything else that was computed about the DAO as of that moment. */
export interface DaoScore extends DayScore {
  /** Entities that voted in the frame, by entity id. */
  readonly entities: readonly EntityParticipation[];
}
