import { DAY_MS } from "../base/days.ts";
import type { Indicator } from "./indicator.ts";
import type { DaoMeasures, MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import {
  type ParticipationFactors,
  participationIndicators,
  participationPoints,
  returning,
} from "./participation-indicators.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, effectiveNumber, weightedMean, weightedMedian } from "./weighted-statistics.ts";

/** Every number HPR is made of. */
export interface Participation {
  readonly score: ScoreOrGap;
  /** A: heads after clustering over heads before it, at most 1; 1 where coordination was not assessed. */
  readonly independence: number;
  readonly loyalty: number;
  readonly breadthHeads: number;
  readonly presence: number;
  readonly headsMean: number;
  readonly unclusteredMean: number;
  /** n_e. */
  readonly effectiveProposals: number;
  readonly factors: ParticipationFactors;
  readonly indicators: readonly Indicator[];
}

type Ended = Pick<MemberMeasures, "endMs">;

/** What HPR is made of. */
export type ParticipationMeasures = Pick<
  DaoMeasures,
  "asOfMs" | "expectedHeads" | "isCoordinationAssessed"
> & {
  readonly members: readonly Pick<MemberMeasures, "attention" | "heads" | "unclusteredHeads">[];
  readonly attended: readonly Ended[];
};

/** f: fades to 0 as the last, and the last but one, attended proposal lies further back. */
export function presence(attended: readonly Ended[], asOfMs: number): number {
  const { presenceDays, presenceFadeDays } = METHODOLOGY.participation;
  const part = (proposal: Ended | undefined): number =>
    proposal === undefined
      ? 0
      : clamp((presenceDays - (asOfMs - proposal.endMs) / DAY_MS) / presenceFadeDays) / 2;
  return part(attended.at(-1)) + part(attended.at(-2));
}

/**
 * Human Participation Rate (hpr): do many people come, do the same ones come again, and do they still?
 *
 * Range: 0..10 points, higher is better.
 * Unit: human-equivalents: a wallet, an entity, or a cluster of likely coordinated wallets, by its weight g.
 * Source: counted votes of the frame; presence from every attended proposal, fetched or not.
 * Gap: nobody voted in the frame. Where coordination could not be assessed the score is at most 5.
 */
export function scoreParticipation(measures: ParticipationMeasures): Participation {
  const { members, attended, asOfMs, isCoordinationAssessed } = measures;
  const mean = (of: "heads" | "unclusteredHeads") =>
    weightedMean(members.map((member) => ({ value: member[of], weight: member.attention }))) ?? 0;
  const headsMean = mean("heads");
  const unclusteredMean = mean("unclusteredHeads");
  const breadthHeads =
    weightedMedian(members.map(({ heads, attention }) => ({ value: heads, weight: attention }))) ?? 0;
  const effectiveProposals = effectiveNumber(members.map((member) => member.attention));
  const hasVoters = headsMean !== 0 && unclusteredMean !== 0;
  const factors = {
    independence: isCoordinationAssessed && hasVoters ? headsMean / unclusteredMean : undefined,
    presence: presence(attended, asOfMs),
    returning: hasVoters ? returning(measures.expectedHeads, headsMean, effectiveProposals) : undefined,
    breadthHeads,
  };
  const indicators = participationIndicators(factors);
  return {
    score: hasVoters ? points(participationPoints(indicators, isCoordinationAssessed)) : gap("NO_VOTERS"),
    independence: Math.min(1, factors.independence ?? 1),
    loyalty: clamp(factors.returning ?? 0),
    breadthHeads,
    presence: factors.presence,
    headsMean,
    unclusteredMean,
    effectiveProposals,
    factors,
    indicators,
  };
}
