import { DAY_MS } from "../../../snapshots/base/days.ts";
import {
  captureRiskOf,
  type DelegateCentralization,
  type ProposalVelocity,
  type RiskLevel,
  velocityOf,
} from "../../../snapshots/format/value-sets.ts";
import { delegateCentralizationAt } from "../delegates/rank-delegates.ts";
import type { Interval } from "../method/marks.ts";
import { type DaoMeasures, weightAt } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, type Weighted, weightedMedian } from "../method/statistics.ts";

const RULES = METHODOLOGY.risk;

/** The risk assessment of one DAO, unrounded. */
export interface Risk {
  /** 0–100, lower is better. */
  readonly score: Interval;
  /** The point is the larger of `base` (weak decentralisation and vitality) and `dominance` (one voter decides). */
  readonly base: number;
  readonly dominance: number;
  readonly captureRisk: RiskLevel;
  readonly whaleControlPct: number;
  /** `undefined` if no vote is known on the proposals of the last 90 days. */
  readonly activeVoterCount: number | undefined;
  readonly delegateCentralization: DelegateCentralization;
  readonly proposalVelocity: ProposalVelocity;
  /** Σω of the proposals of the last 90 days, per 30 days. */
  readonly proposalsPerMonth: number;
  /** `undefined` if no vote has a known time. */
  readonly checkpointVotingPct: number | undefined;
}

/** Σω of the proposals that ended in the 90 days before t, fetched or not, per 30 days. */
function proposalsPerMonth({ proposals, asOfMs }: DaoMeasures): number {
  let attentionSum = 0;
  for (const { endMs, attention } of proposals)
    if (endMs > asOfMs - RULES.activityDays * DAY_MS) attentionSum += attention;
  return (attentionSum * 30) / RULES.activityDays;
}

/** How close (0–1) a voter with this share is to deciding alone. */
function dominanceOf(topShare: number): number {
  return clamp((topShare - RULES.dominanceFrom) / RULES.dominanceSpan);
}

function overBallots({ proposals, asOfMs }: DaoMeasures) {
  const majorities: Weighted[] = [];
  const sums = { weight: 0, whales: 0, lowDominance: 0, highDominance: 0, apart: 0 };
  let isAnyTimed = false;
  for (const proposal of proposals) {
    const { concentration, marks } = proposal;
    if (concentration === undefined) continue;
    const weight = weightAt(proposal, asOfMs) * proposal.fetchedShare;
    const plain = dominanceOf(concentration.topShare);
    const merged = dominanceOf(concentration.mergedTopShare);
    sums.weight += weight;
    sums.whales += weight * concentration.whaleShare;
    sums.lowDominance += weight * Math.min(plain, merged);
    sums.highDominance += weight * Math.max(plain, merged);
    const [low, high] = marks.not_batch ?? [0, 1];
    sums.apart += weight * ((low + high) / 2);
    if (low > 0 || high < 1) isAnyTimed = true;
    majorities.push({ value: concentration.majorityVoters, weight });
  }
  return { ...sums, isAnyTimed, majorityVoters: weightedMedian(majorities) };
}

/**
 * Governance risk: how easily could this DAO be captured, or become inactive?
 *
 * Range: 0..100, lower is better; at least 75 if one voter decides every second vote. Splitting wallets does not help:
 * the point and the high end use the larger of the top shares before and after merging, the low end the smaller.
 * Unit: risk points.
 * Source: DEI, GVS and the ballots of the frame.
 * Unknown: `undefined` without power on any ballot.
 */
export function scoreRisk(measures: DaoMeasures, dei: Interval, gvs: Interval): Risk | undefined {
  const totals = overBallots(measures);
  if (totals.majorityVoters === undefined) return undefined;
  const baseOf = (end: keyof Interval): number => 100 - 5 * (dei[end] + gvs[end]);
  const floorOf = (dominance: number): number =>
    RULES.dominanceFloor * clamp((2 * dominance) / totals.weight);
  const dominance = floorOf(totals.highDominance);
  const base = baseOf("point");
  const perMonth = proposalsPerMonth(measures);
  return {
    score: {
      low: Math.max(baseOf("high"), floorOf(totals.lowDominance)),
      point: Math.max(base, dominance),
      high: Math.max(baseOf("low"), dominance),
    },
    base,
    dominance,
    captureRisk: captureRiskOf(totals.majorityVoters),
    whaleControlPct: (100 * totals.whales) / totals.weight,
    activeVoterCount: measures.activeVoterCount,
    delegateCentralization: delegateCentralizationAt(measures.delegation, measures.asOfMs),
    proposalVelocity: velocityOf(perMonth),
    proposalsPerMonth: perMonth,
    checkpointVotingPct: totals.isAnyTimed ? 100 * (1 - totals.apart / totals.weight) : undefined,
  };
}
