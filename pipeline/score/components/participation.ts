import { DAY_MS } from "../../facts/days.ts";
import { attentionOf } from "../method/attention.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import { INDICATORS, type Indicator, indicator } from "../method/indicators.ts";
import type { DaoMeasures, MemberMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, effectiveNumber, meanOver, medianOver } from "../method/statistics.ts";

/** r₀: what would be found of people none of whom comes twice. */
export function nobodyTwice(effectiveProposals: number): number {
  const draws = METHODOLOGY.participation.rarefactionDraws;
  return 1 / (effectiveProposals * (1 - (1 - 1 / effectiveProposals) ** draws));
}

/** Would the same people come again? Loyalty, below 0 and above 1 where chance has it; `undefined` where nothing can be said. */
export function returning(
  expected: number,
  headsMean: number,
  effectiveProposals: number,
  chance: number = nobodyTwice(effectiveProposals),
): number | undefined {
  // One proposal says nothing about coming again; its rounding neighbours neither.
  if (effectiveProposals < 1 + 1e-9 || expected === 0) return undefined;
  return (headsMean / expected - chance) / (1 - chance);
}

/** What participation points are made of, beside presence, once means and medians are taken. */
interface ParticipationFactors {
  /** A; `undefined` where coordination was not assessed. */
  readonly independence: number | undefined;
  /** Loyalty, not limited to 0..1; `undefined` where nothing can be said of it. */
  readonly returning: number | undefined;
  readonly breadthHeads: number;
}

/** Those of its indicators that stay as they are while a frame does. */
interface LastingIndicators {
  readonly independence: Indicator;
  readonly loyalty: Indicator;
  readonly breadth: Indicator;
}

/** Where loyalty lies between its goalposts, not limited to them. */
export function loyaltyPosition(returned: number | undefined): number {
  return (returned ?? 0) / METHODOLOGY.participation.fullMarksLoyalty;
}

/** Where breadth lies between its goalposts, not limited to them. */
export function breadthPosition(heads: number): number {
  const { breadthFromHeads, breadthFullHeads } = METHODOLOGY.participation;
  return (
    (Math.log(Math.max(1, heads)) - Math.log(breadthFromHeads)) /
    (Math.log(breadthFullHeads) - Math.log(breadthFromHeads))
  );
}

/** The indicators of participation that no clock moves: what stands before presence, and what comes after it. */
function lastingIndicators(found: ParticipationFactors): LastingIndicators {
  const kinds = INDICATORS.hpr;
  return {
    // Two wallets near dust weigh more together than apart; being coordinated must never raise a score.
    independence: indicator(kinds.independence, found.independence, found.independence ?? 1),
    loyalty: indicator(kinds.loyalty, found.returning, loyaltyPosition(found.returning)),
    breadth: indicator(kinds.breadth, found.breadthHeads, breadthPosition(found.breadthHeads)),
  };
}

/** All indicators of participation, in their order. */
function participationIndicators(lasting: LastingIndicators, presence: number): readonly Indicator[] {
  const fading = indicator(INDICATORS.hpr.presence, presence, presence);
  return [lasting.independence, fading, lasting.loyalty, lasting.breadth];
}

/** Points (0–10) by the values (0–1) of the indicators of participation. */
export function participationPoints(
  independence: number,
  fading: number,
  loyal: number,
  breadth: number,
  isCoordinationAssessed: boolean,
): number {
  const raw = (10 * independence * fading * (loyal + breadth)) / 2;
  // What was not looked at can lower a score, never raise it.
  return isCoordinationAssessed ? raw : Math.min(METHODOLOGY.coordination.untestedPointsMax, raw);
}

/** HPR with its indicators, and the heads that are published beside it. */
export interface Participation {
  readonly score: ScoreOrGap;
  readonly headsMean: number;
  readonly unclusteredMean: number;
  readonly indicators: readonly Indicator[];
}

const headsOf = ({ heads }: Pick<MemberMeasures, "heads">): number => heads;
const unclusteredOf = ({ unclusteredHeads }: Pick<MemberMeasures, "unclusteredHeads">): number =>
  unclusteredHeads;

type Ended = Pick<MemberMeasures, "endMs">;

/** What HPR is made of. */
type ParticipationMeasures = Pick<DaoMeasures, "asOfMs" | "expectedHeads" | "isCoordinationAssessed"> & {
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
  const { headsMean, unclusteredMean } = lasting;
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
    headsMean,
    unclusteredMean,
    indicators,
  };
}
