import { DAY_MS } from "../base/days.ts";
import { attentionOf } from "./attention.ts";
import type { Indicator } from "./indicator.ts";
import type { DaoMeasures, MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import {
  type LastingIndicators,
  lastingIndicators,
  type ParticipationFactors,
  participationIndicators,
  participationPoints,
  returning,
} from "./participation-indicators.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, effectiveNumber, meanOver, medianOver } from "./weighted-statistics.ts";

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
  readonly indicators: readonly Indicator[];
}

const headsOf = ({ heads }: Pick<MemberMeasures, "heads">): number => heads;
const unclusteredOf = ({ unclusteredHeads }: Pick<MemberMeasures, "unclusteredHeads">): number =>
  unclusteredHeads;

type Ended = Pick<MemberMeasures, "endMs">;

/** What HPR is made of. */
export type ParticipationMeasures = Pick<
  DaoMeasures,
  "asOfMs" | "expectedHeads" | "isCoordinationAssessed"
> & {
  readonly members: readonly Pick<MemberMeasures, "attention" | "heads" | "unclusteredHeads">[];
  readonly attended: readonly Ended[];
};

/** What of HPR stays as it is while a frame does. */
export interface LastingParticipation {
  readonly headsMean: number;
  readonly unclusteredMean: number;
  readonly effectiveProposals: number;
  readonly factors: ParticipationFactors;
  readonly indicators: LastingIndicators;
}

/** f: fades to 0 as the last, and the last but one, attended proposal lies further back. */
export function presence(attended: readonly Ended[], asOfMs: number): number {
  const { presenceDays, presenceFadeDays } = METHODOLOGY.participation;
  const part = (proposal: Ended | undefined): number =>
    proposal === undefined
      ? 0
      : clamp((presenceDays - (asOfMs - proposal.endMs) / DAY_MS) / presenceFadeDays) / 2;
  return part(attended.at(-1)) + part(attended.at(-2));
}

/** HPR but for presence, of a frame. */
export function participationOfFrame(
  measures: Omit<ParticipationMeasures, "asOfMs" | "attended">,
): LastingParticipation {
  const { members } = measures;
  const headsMean = meanOver(members, headsOf, attentionOf) ?? 0;
  const unclusteredMean = meanOver(members, unclusteredOf, attentionOf) ?? 0;
  const effectiveProposals = effectiveNumber(members.map(attentionOf));
  const hasVoters = headsMean !== 0 && unclusteredMean !== 0;
  const factors = {
    independence: measures.isCoordinationAssessed && hasVoters ? headsMean / unclusteredMean : undefined,
    returning: hasVoters ? returning(measures.expectedHeads, headsMean, effectiveProposals) : undefined,
    breadthHeads: medianOver(members, headsOf, attentionOf) ?? 0,
  };
  const indicators = lastingIndicators(factors);
  return { headsMean, unclusteredMean, effectiveProposals, factors, indicators };
}

/**
 * Human Participation Rate (hpr): do many people come, do the same ones come again, and do they still?
 *
 * Range: 0..10 points, higher is better.
 * Unit: human-equivalents: a wallet, an entity, or a cluster of likely coordinated wallets, by its weight g.
 * Source: counted votes of the frame; presence from every attended proposal, fetched or not.
 * Gap: nobody voted in the frame. Where coordination could not be assessed the score is at most 5.
 */
export function scoreParticipation(
  measures: ParticipationMeasures,
  lasting: LastingParticipation = participationOfFrame(measures),
): Participation {
  const { headsMean, unclusteredMean, effectiveProposals, factors } = lasting;
  const fading = presence(measures.attended, measures.asOfMs);
  const indicators = participationIndicators(lasting.indicators, fading);
  const { independence, loyalty, breadth } = lasting.indicators;
  const found = participationPoints(
    independence.value ?? 0,
    clamp(fading),
    loyalty.value ?? 0,
    breadth.value ?? 0,
    measures.isCoordinationAssessed,
  );
  return {
    score: headsMean !== 0 && unclusteredMean !== 0 ? points(found) : gap("NO_VOTERS"),
    independence: Math.min(1, factors.independence ?? 1),
    loyalty: clamp(factors.returning ?? 0),
    breadthHeads: factors.breadthHeads,
    presence: fading,
    headsMean,
    unclusteredMean,
    effectiveProposals,
    indicators,
  };
}
