import { DAY_MS } from "../base/days.ts";
import type { Frame } from "./frame.ts";
import type { HeadCount } from "./heads.ts";
import { INDICATORS, type Indicator, indicator } from "./indicator.ts";
import type { DaoMeasures, MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { seenInDraws } from "./seen-in-draws.ts";
import { clamp, effectiveNumber, sortedSum, weightedMean, weightedMedian } from "./weighted-statistics.ts";

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

/** H(5): human-equivalents expected in five draws of proposals, each by its weight. */
export function expectedHeads(heads: Pick<HeadCount, "weights" | "attendance">): number {
  return sortedSum(heads.weights.map((weight, place) => weight * seenInDraws(heads.attendance[place] ?? 0)));
}

/** Would the same people come again? Loyalty, below 0 and above 1 where chance has it; `undefined` where nothing can be said. */
export function returning(
  expected: number,
  headsMean: number,
  effectiveProposals: number,
): number | undefined {
  const draws = METHODOLOGY.participation.rarefactionDraws;
  const nobodyTwice = 1 / (effectiveProposals * (1 - (1 - 1 / effectiveProposals) ** draws));
  // One proposal says nothing about coming again; its rounding neighbours neither.
  if (effectiveProposals < 1 + 1e-9 || expected === 0) return undefined;
  return (headsMean / expected - nobodyTwice) / (1 - nobodyTwice);
}

/** 0 where nobody came twice, 1 where everybody always comes; by rarefaction, so that the number of proposals does not matter. */
export function loyalty(heads: HeadCount, headsMean: number, effectiveProposals: number): number {
  return clamp(returning(expectedHeads(heads), headsMean, effectiveProposals) ?? 0);
}

/** What participation points are made of once means and medians are taken. */
export interface ParticipationFactors {
  /** A; `undefined` where coordination was not assessed. */
  readonly independence: number | undefined;
  readonly presence: number;
  /** Loyalty, not limited to 0..1; `undefined` where nothing can be said of it. */
  readonly returning: number | undefined;
  readonly breadthHeads: number;
}

/** The indicators of participation. */
export function participationIndicators(found: ParticipationFactors): readonly Indicator[] {
  const { fullMarksLoyalty, breadthFromHeads, breadthFullHeads } = METHODOLOGY.participation;
  const kinds = INDICATORS.hpr;
  const breadth =
    (Math.log(Math.max(1, found.breadthHeads)) - Math.log(breadthFromHeads)) /
    (Math.log(breadthFullHeads) - Math.log(breadthFromHeads));
  // Two wallets near dust weigh more together than apart; being coordinated must never raise a score.
  return [
    indicator(kinds.independence, found.independence, found.independence ?? 1),
    indicator(kinds.presence, found.presence, found.presence),
    indicator(kinds.loyalty, found.returning, (found.returning ?? 0) / fullMarksLoyalty),
    indicator(kinds.breadth, found.breadthHeads, breadth),
  ];
}

/** Points (0–10) of the indicators of participation. */
export function participationPoints(
  indicators: readonly Indicator[],
  isCoordinationAssessed: boolean,
): number {
  const [independence = 0, fading = 0, loyal = 0, breadth = 0] = indicators.map(({ value }) => value ?? 0);
  const raw = (10 * independence * fading * (loyal + breadth)) / 2;
  // What was not looked at can lower a score, never raise it.
  return isCoordinationAssessed ? raw : Math.min(METHODOLOGY.coordination.untestedPointsMax, raw);
}

/**
 * Human Participation Rate (hpr): do many people come, do the same ones come again, and do they still?
 *
 * Range: 0..10 points, higher is better.
 * Unit: human-equivalents: a wallet, an entity, or a cluster of likely coordinated wallets, by its weight g.
 * Source: counted votes of the frame; presence from every attended proposal, fetched or not.
 * Gap: nobody voted in the frame. Where coordination could not be assessed the score is at most 5.
 */
export function scoreParticipationMeasures(measures: ParticipationMeasures): Participation {
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

/**
 * HPR of a frame whose heads have been counted.
 *
 * Range: 0..10 points.
 * Unit: human-equivalents.
 * Source: a frame, measured here and now.
 * Gap: as `scoreParticipationMeasures`.
 */
export function scoreParticipation(input: {
  readonly frame: Frame;
  /** Heads as human-equivalents (entities and clusters merged). */
  readonly humans: HeadCount;
  /** Heads before clustering (entities merged). */
  readonly unclustered: HeadCount;
  readonly isCoordinationAssessed: boolean;
}): Participation {
  const { frame, humans, unclustered, isCoordinationAssessed } = input;
  return scoreParticipationMeasures({
    asOfMs: frame.asOfMs,
    attended: frame.attended,
    isCoordinationAssessed,
    expectedHeads: expectedHeads(humans),
    members: frame.members.map(({ attention }, index) => ({
      attention,
      heads: humans.perProposal[index] ?? 0,
      unclusteredHeads: unclustered.perProposal[index] ?? 0,
    })),
  });
}
