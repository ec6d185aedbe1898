import { METHODOLOGY } from "./methodology.ts";
import { clamp } from "./statistics.ts";

/** What an indicator of a component is: data that scores, evidence and texts share. */
interface IndicatorKind {
  readonly id: string;
  /** Of `raw`. */
  readonly unit: "share" | "heads" | "days" | "proposers" | "yes_or_no" | "factor";
  /** Parts are added up by their weights; factors multiply the sum. */
  readonly role: "part" | "factor";
  readonly weight: number;
}

/** One indicator as it was found. `undefined`: a gap, which drops out of the weights. */
export interface Indicator extends IndicatorKind {
  readonly raw: number | undefined;
  /** Where `raw` lies between its goalposts (0 earns nothing, 1 full marks), not limited to them. */
  readonly position: number | undefined;
  /** `position` limited to 0..1. */
  readonly value: number | undefined;
  /** The weight it carries once gaps have dropped out; 0 for a gap. */
  readonly effectiveWeight: number;
}

const part = (id: string, unit: IndicatorKind["unit"], weight: number): IndicatorKind => ({
  id,
  unit,
  role: "part",
  weight,
});
const factor = (id: string): IndicatorKind => ({ id, unit: "factor", role: "factor", weight: 1 });

const { deliberation, process } = METHODOLOGY;

/** Every indicator, by component: a component is 10 · its factors · Σ effective weight · value. */
export const INDICATORS = {
  hpr: {
    independence: factor("independence"),
    presence: factor("presence"),
    loyalty: part("loyalty", "share", 1 / 2),
    breadth: part("breadth", "heads", 1 / 2),
  },
  dei: {
    effectiveVoters: part("effective_voters", "heads", 1 / 3),
    nakamoto: part("nakamoto", "heads", 1 / 3),
    topShare: part("top_share", "share", 1 / 3),
  },
  pdi: {
    discussion: part("discussion", "yes_or_no", deliberation.weights.discussion),
    votingPeriod: part("voting_period", "days", deliberation.weights.votingPeriod),
    reviewDelay: part("review_delay", "days", deliberation.weights.reviewDelay),
    contestedness: part("contestedness", "share", deliberation.weights.contestedness),
    rationale: part("rationale", "share", deliberation.weights.rationale),
    halfPowerTime: part("half_power_time", "share", deliberation.weights.halfPowerTime),
    notBatch: part("not_batch", "share", deliberation.weights.notBatch),
  },
  gpi: {
    quorum: part("quorum", "share", process.weights.quorum),
    cadence: part("cadence", "share", process.weights.cadence),
    proposers: part("proposers", "proposers", process.weights.proposers),
    guardrails: part("guardrails", "share", process.weights.guardrails),
  },
} as const;

/** An indicator with what was found; its effective weight is its weight until gaps are known. */
export function indicator(
  kind: IndicatorKind,
  raw: number | undefined,
  position: number | undefined,
): Indicator {
  const value = position === undefined ? undefined : clamp(position);
  const { id, unit, role, weight } = kind;
  // Written out: in a year of history this is done a million times, and spreading takes ten times as long.
  return { id, unit, role, weight, raw, position, value, effectiveWeight: value === undefined ? 0 : weight };
}

/** The parts with the weights that are left once gaps have dropped out; factors as they are. */
export function withEffectiveWeights(indicators: readonly Indicator[]): readonly Indicator[] {
  let present = 0;
  for (const { role, value, weight } of indicators) {
    if (role === "part" && value !== undefined) present += weight;
  }
  return indicators.map((item) => {
    if (item.role === "factor") return item;
    const { id, unit, role, weight, raw, position, value } = item;
    const effectiveWeight = value === undefined ? 0 : weight / present;
    return { id, unit, role, weight, raw, position, value, effectiveWeight };
  });
}

const KINDS = Object.values(INDICATORS.pdi);

/** Each indicator over proposals: means of what is known; by effective weights, so that the rows add up to the index. */
export function meanRows(
  measured: readonly { readonly weight: number; readonly rows: readonly Indicator[] }[],
): readonly Indicator[] {
  let all = 0;
  for (const { weight } of measured) all += weight;
  return KINDS.map(({ id, unit, role, weight: own }, place) => {
    let weights = 0;
    let raw = 0;
    let position = 0;
    let value = 0;
    for (const { weight, rows } of measured) {
      const row = rows[place];
      if (row?.value === undefined) continue;
      const effective = weight * row.effectiveWeight;
      weights += effective;
      raw += (row.raw ?? 0) * effective;
      position += (row.position ?? 0) * effective;
      value += row.value * effective;
    }
    const isKnown = weights > 0;
    return {
      id,
      unit,
      role,
      weight: own,
      raw: isKnown ? raw / weights : undefined,
      position: isKnown ? position / weights : undefined,
      value: isKnown ? value / weights : undefined,
      effectiveWeight: all > 0 ? weights / all : 0,
    };
  });
}

/** Weighted mean (0–1) of the rows present; `undefined` with less than the given part of the weight. */
export function presentMeanOf(
  rows: readonly Pick<Indicator, "weight" | "value">[],
  presentShareMin: number,
): number | undefined {
  let weighted = 0;
  let present = 0;
  let all = 0;
  for (const { weight, value } of rows) {
    all += weight;
    if (value === undefined) continue;
    weighted += weight * value;
    present += weight;
  }
  // Weights like .2 + .2 + .1 must count as half of 1, whatever they round to.
  return present >= all * presentShareMin - 1e-9 && present > 0 ? weighted / present : undefined;
}
