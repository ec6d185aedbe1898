import {
  COMPONENT_KEYS,
  type ComponentKey,
  captureRiskOf,
  type DelegateCentralization,
  velocityOf,
} from "../../../snapshots/format/value-sets.ts";
import { DAY_MS } from "../../facts/days.ts";
import type { Frame, FrameProposal } from "../frame/frame.ts";
import type { RiskOrGap, ScoreOrGap } from "../method/dao-score.ts";
import type { DaoMeasures, MemberMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp } from "../method/statistics.ts";
import type { Decentralization } from "./decentralization.ts";

const RULES = METHODOLOGY.risk;

/** Attended proposals that ended in the 90 days before t, fetched or not. */
function recentlyEnded<Item extends { readonly endMs: number }>(
  items: readonly Item[],
  asOfMs: number,
): Item[] {
  return items.filter((item) => item.endMs > asOfMs - RULES.activityDays * DAY_MS);
}

/** Human-equivalents of at least half weight that voted in the last 90 days; `undefined` where there were proposals and no ballot of theirs is held. */
export function activeVoters(
  frame: Pick<Frame, "members" | "attended" | "asOfMs">,
  humanOfVoter: Int32Array,
  activeCount: (recent: readonly FrameProposal[], humanOfVoter: Int32Array) => number,
): number | undefined {
  const recent = recentlyEnded(frame.members, frame.asOfMs);
  if (recent.length > 0) return activeCount(recent, humanOfVoter);
  return recentlyEnded(frame.attended, frame.asOfMs).length === 0 ? 0 : undefined;
}

type BatchMeasures = Pick<MemberMeasures, "attention" | "timedVotes" | "batchVotes">;

/** 100 × the share of timed votes, weighted by ω, that were cast in a batch. */
export function batchVotingPct(members: readonly BatchMeasures[]): number {
  let batch = 0;
  let timed = 0;
  for (const { attention, batchVotes, timedVotes } of members) {
    batch += attention * batchVotes;
    timed += attention * timedVotes;
  }
  return timed === 0 ? 0 : (100 * batch) / timed;
}

/** What risk is made of, beside the components. */
interface RiskMeasures extends Pick<DaoMeasures, "asOfMs" | "attended" | "activeVoterCount"> {
  readonly members: readonly BatchMeasures[];
}

/** Risk with what it is the largest of. */
export type ScoredRisk =
  | (RiskOrGap & { readonly kind: "gap" })
  | (RiskOrGap & {
      readonly kind: "risk";
      readonly base: number;
      readonly dominance: number;
      readonly smallness: number;
      /** Σω of the proposals of 90 days, per 30. */
      readonly proposalsPerMonth: number;
    });

/**
 * Governance risk: how easily could this DAO be captured, or fall asleep?
 *
 * Range: 0..100, lower is better; never below the floors of dominance and smallness.
 * Unit: risk points.
 * Source: the four published components, the frame, delegated power.
 * Gap: a component is one, or nothing of the last 90 days' proposals was fetched.
 */
export function scoreRisk(input: {
  readonly measures: RiskMeasures;
  readonly components: Readonly<Record<ComponentKey, ScoreOrGap>>;
  readonly decentralization: Decentralization;
  readonly delegateCentralization: DelegateCentralization;
  /** Of the members, where it is known already. */
  readonly checkpointVotingPct?: number;
}): ScoredRisk {
  const { measures, components, decentralization, delegateCentralization } = input;
  let strength = 0;
  for (const key of COMPONENT_KEYS) {
    const component = components[key];
    if (component.kind === "gap") return { kind: "gap", reason: "COMPONENT_GAP" };
    strength += RULES.weights[key] * component.points;
  }
  const { medianNakamoto, medianWhaleShare, dominatedShare } = decentralization;
  if (medianNakamoto === undefined || medianWhaleShare === undefined || dominatedShare === undefined) {
    return { kind: "gap", reason: "POWER_UNKNOWN" };
  }
  const { activeVoterCount } = measures;
  if (activeVoterCount === undefined) return { kind: "gap", reason: "ACTIVE_VOTERS_UNKNOWN" };

  const base = 100 - 10 * strength;
  const dominance = RULES.dominanceFloor * clamp(2 * dominatedShare);
  const missingVoters = RULES.smallnessNoneVoters - activeVoterCount;
  const smallness = RULES.smallnessFloor * clamp(missingVoters / RULES.smallnessSpanVoters);
  let recentAttention = 0;
  const fromMs = measures.asOfMs - RULES.activityDays * DAY_MS;
  for (const { endMs, attention } of measures.attended) if (endMs > fromMs) recentAttention += attention;
  const proposalsPerMonth = (recentAttention * 30) / RULES.activityDays;
  return {
    kind: "risk",
    score: Math.max(base, dominance, smallness),
    captureRisk: captureRiskOf(medianNakamoto),
    whaleControlPct: 100 * medianWhaleShare,
    activeVoterCount,
    delegateCentralization,
    proposalVelocity: velocityOf(proposalsPerMonth),
    checkpointVotingPct: input.checkpointVotingPct ?? batchVotingPct(measures.members),
    base,
    dominance,
    smallness,
    proposalsPerMonth,
  };
}

/** Risk without what it is the largest of. */
export function plainRisk(risk: ScoredRisk): RiskOrGap {
  if (risk.kind === "gap") return risk;
  // Written out: in a year of history this is done for every day, and taking a rest is ten times as slow.
  const { kind, score, captureRisk, whaleControlPct, activeVoterCount } = risk;
  const { delegateCentralization, proposalVelocity, checkpointVotingPct } = risk;
  return {
    kind,
    score,
    captureRisk,
    whaleControlPct,
    activeVoterCount,
    delegateCentralization,
    proposalVelocity,
    checkpointVotingPct,
  };
}
