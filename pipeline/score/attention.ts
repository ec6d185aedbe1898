import type { Proposal } from "../facts/proposal.ts";
import { METHODOLOGY } from "./methodology.ts";
import { clamp, weightedMedian } from "./weighted-statistics.ts";

/** A proposal of the last 730 days with the power cast on it (S) and the attention it gets (ω). */
export interface AttendedProposal {
  readonly proposal: Proposal;
  readonly endMs: number;
  /** S: power cast; `undefined` where unknown. */
  readonly power: number | undefined;
  /** ω, 0–1. */
  readonly attention: number;
}

/** An eligible proposal and the power cast on it. */
export interface CastProposal {
  readonly proposal: Proposal;
  readonly endMs: number;
  readonly power: number | undefined;
}

/** The power-weighted median of a unit's largest S: the proposal in which the median unit of power was cast. */
function unitScale(powers: readonly number[]): number | undefined {
  const largest = powers
    .filter((power) => power > 0)
    .sort((a, b) => b - a)
    .slice(0, METHODOLOGY.frame.scaleProposals);
  return weightedMedian(largest.map((power) => ({ value: power, weight: power })));
}

/**
 * Attention weight ω of each proposal: how much of the power usually cast in this DAO was cast on it.
 * What outsiders make for nothing gets none of it.
 *
 * Range: 0..1. Below a quarter of the unit's scale 0, at the scale and above 1.
 * Unit: proposals. Proposals with the same strategies share a scale.
 * Source: `scores_total`, or the sum of the ballot where there is none.
 * Gap: none; a proposal whose power is unknown weighs 1.
 */
export function attend(proposals: readonly CastProposal[]): AttendedProposal[] {
  const powersByUnit = new Map<string, number[]>();
  const unitOf = (proposal: Proposal): string => proposal.strategiesKey ?? "";
  for (const { proposal, power } of proposals) {
    if (power === undefined) continue;
    const unit = unitOf(proposal);
    const powers = powersByUnit.get(unit);
    if (powers === undefined) powersByUnit.set(unit, [power]);
    else powers.push(power);
  }
  const scales = new Map([...powersByUnit].map(([unit, powers]) => [unit, unitScale(powers)]));
  const { attentionFloor: floor } = METHODOLOGY.frame;
  return proposals.map((cast) => {
    const scale = scales.get(unitOf(cast.proposal));
    if (cast.power === undefined) return { ...cast, attention: 1 };
    // Power that is known to be nothing, in a unit in which nobody ever cast any.
    if (scale === undefined) return { ...cast, attention: 0 };
    return { ...cast, attention: clamp((cast.power / scale - floor) / (1 - floor)) };
  });
}
