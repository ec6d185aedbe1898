import { invariant } from "../base/invariant.ts";
import type { FrameProposal } from "./frame.ts";
import { sharesByHead } from "./heads.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, weightedMedian } from "./weighted-statistics.ts";

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

/** Concentration of power on one proposal; shares in any order, summing to 1 but for dust. Equal voters do not hang on rounding. */
export function concentration(shares: Float64Array): Concentration {
  invariant(shares.length > 0, "concentration of nobody's power");
  const ascending = shares.slice().sort();
  let squares = 0;
  for (const share of ascending) squares += share * share;
  const descending = ascending.reverse();
  const majority = 0.5 * (1 + METHODOLOGY.decentralization.majorityMargin);
  let held = 0;
  let nakamoto = 0;
  while (nakamoto < descending.length && held <= majority) {
    held += descending[nakamoto] ?? 0;
    nakamoto += 1;
  }
  let whaleShare = 0;
  for (const share of descending.subarray(0, METHODOLOGY.risk.whales)) whaleShare += share;
  return {
    effectiveVoters: 1 / squares,
    nakamoto,
    topShare: descending[0] ?? 0,
    whaleShare: Math.min(1, whaleShare),
  };
}

/** Concentration over the frame: weighted medians, and how often one head held more than half. */
export interface Decentralization {
  readonly score: ScoreOrGap;
  readonly medianNakamoto: number | undefined;
  readonly medianWhaleShare: number | undefined;
  /** q: share of ω where one human-equivalent held more than half. */
  readonly dominatedShare: number | undefined;
}

/** Points for one set of medians: logarithms of effective voters and Nakamoto heads, and the top share. */
function decentralizationPoints(effectiveVoters: number, nakamoto: number, topShare: number): number {
  const { fullMarksEffectiveVoters, fullMarksNakamoto, fullMarksTopShare, noMarksTopShare } =
    METHODOLOGY.decentralization;
  const effective = clamp(Math.log(effectiveVoters) / Math.log(fullMarksEffectiveVoters));
  const majority = clamp(Math.log(nakamoto) / Math.log(fullMarksNakamoto));
  const top = 1 - clamp((topShare - fullMarksTopShare) / (noMarksTopShare - fullMarksTopShare));
  return (10 * (effective + majority + top)) / 3;
}

/**
 * Decentralization Index (dei): who decides, judged by the power that was cast.
 *
 * Range: 0..10 points; one voter 0, 200 equal voters 10.
 * Unit: shares of one proposal's power per human-equivalent; weighted medians over the frame.
 * Source: counted votes with known power.
 * Gap: no proposal of the frame has known power.
 */
export function scoreDecentralization(
  members: readonly FrameProposal[],
  humanOfVoter: Int32Array,
): Decentralization {
  const measured = members.flatMap((member) => {
    const { shares } = sharesByHead(member.votes, humanOfVoter);
    if (shares === undefined || shares.length === 0) return [];
    return [{ weight: member.attention, ...concentration(shares) }];
  });
  const median = (of: (measure: Concentration) => number): number | undefined =>
    weightedMedian(measured.map((measure) => ({ value: of(measure), weight: measure.weight })));
  const effectiveVoters = median((measure) => measure.effectiveVoters);
  const nakamoto = median((measure) => measure.nakamoto);
  const topShare = median((measure) => measure.topShare);
  if (effectiveVoters === undefined || nakamoto === undefined || topShare === undefined) {
    return {
      score: gap("POWER_UNKNOWN"),
      medianNakamoto: undefined,
      medianWhaleShare: undefined,
      dominatedShare: undefined,
    };
  }
  const weights = measured.reduce((sum, measure) => sum + measure.weight, 0);
  const dominated = measured.filter((measure) => measure.nakamoto === 1);
  return {
    score: points(decentralizationPoints(effectiveVoters, nakamoto, topShare)),
    medianNakamoto: nakamoto,
    medianWhaleShare: median((measure) => measure.whaleShare),
    dominatedShare: dominated.reduce((sum, measure) => sum + measure.weight, 0) / weights,
  };
}
