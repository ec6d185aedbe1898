import { INDICATORS, type Indicator, indicator } from "./indicator.ts";
import { METHODOLOGY } from "./methodology.ts";

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
export interface ParticipationFactors {
  /** A; `undefined` where coordination was not assessed. */
  readonly independence: number | undefined;
  /** Loyalty, not limited to 0..1; `undefined` where nothing can be said of it. */
  readonly returning: number | undefined;
  readonly breadthHeads: number;
}

/** Those of its indicators that stay as they are while a frame does. */
export interface LastingIndicators {
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
export function lastingIndicators(found: ParticipationFactors): LastingIndicators {
  const kinds = INDICATORS.hpr;
  return {
    // Two wallets near dust weigh more together than apart; being coordinated must never raise a score.
    independence: indicator(kinds.independence, found.independence, found.independence ?? 1),
    loyalty: indicator(kinds.loyalty, found.returning, loyaltyPosition(found.returning)),
    breadth: indicator(kinds.breadth, found.breadthHeads, breadthPosition(found.breadthHeads)),
  };
}

/** All indicators of participation, in their order. */
export function participationIndicators(lasting: LastingIndicators, presence: number): readonly Indicator[] {
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
