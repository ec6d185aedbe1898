import { INDICATORS, type Indicator, indicator } from "./indicator.ts";
import { METHODOLOGY } from "./methodology.ts";

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
