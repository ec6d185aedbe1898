import type { Proposal } from "../../facts/proposal.ts";
import { METHODOLOGY } from "./methodology.ts";
import { clamp, weightedMedian } from "./statistics.ts";

/** What of a proposal decides on whose scale its power is measured. */
type UnitFacts = Pick<Proposal, "strategiesKey">;

/** An eligible proposal and the power cast on it. */
export interface CastProposal<Facts extends UnitFacts = Proposal> {
  readonly proposal: Facts;
  readonly endMs: number;
  /** S: power cast; `undefined` where unknown. */
  readonly power: number | undefined;
}

/** A proposal of the last 730 days with the power cast on it (S) and the attention it gets (ω). */
export interface AttendedProposal<Facts extends UnitFacts = Proposal> extends CastProposal<Facts> {
  /** ω, 0–1. */
  readonly attention: number;
}

/** ω of something that has one. */
export const attentionOf = ({ attention }: { readonly attention: number }): number => attention;

/** Proposals with the same strategies share a unit; all without any share one. */
export function unitOf(proposal: UnitFacts): string {
  return proposal.strategiesKey ?? "";
}

/** The power-weighted median of a unit's largest S: the proposal in which the median unit of power was cast. */
function unitScale(powers: readonly number[]): number | undefined {
  const largest = powers
    .filter((power) => power > 0)
    .sort((a, b) => b - a)
    .slice(0, METHODOLOGY.frame.scaleProposals);
  return weightedMedian(largest.map((power) => ({ value: power, weight: power })));
}

/** ω of a proposal with such power, in a unit of such scale. */
export function attentionTo(power: number | undefined, scale: number | undefined): number {
  const { attentionFloor: floor } = METHODOLOGY.frame;
  if (power === undefined) return 1;
  // Power that is known to be nothing, in a unit in which nobody ever cast any.
  return scale === undefined ? 0 : clamp((power / scale - floor) / (1 - floor));
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
export function attend<Facts extends UnitFacts>(
  proposals: readonly CastProposal<Facts>[],
): AttendedProposal<Facts>[] {
  const powersByUnit = new Map<string, number[]>();
  for (const { proposal, power } of proposals) {
    if (power === undefined) continue;
    const unit = unitOf(proposal);
    const powers = powersByUnit.get(unit);
    if (powers === undefined) powersByUnit.set(unit, [power]);
    else powers.push(power);
  }
  const scales = new Map([...powersByUnit].map(([unit, powers]) => [unit, unitScale(powers)]));
  return proposals.map((cast) => ({
    ...cast,
    attention: attentionTo(cast.power, scales.get(unitOf(cast.proposal))),
  }));
}

/** The power of one unit's proposals as they come and go, and the scale it is measured on. */
export interface UnitScale {
  add(power: number): void;
  remove(power: number): void;
  /** `undefined` where nobody ever cast any power. */
  scale(): number | undefined;
}

/** A unit without proposals. Only its largest powers make its scale, which is looked for anew when one of them changes. */
export function createUnitScale(): UnitScale {
  /** Largest first. */
  const powers: number[] = [];
  let isKnown = true;
  let known: number | undefined;

  /** Where a power stands, or would stand before its equals. */
  const placeOf = (power: number): number => {
    let low = 0;
    let high = powers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((powers[middle] ?? 0) > power) low = middle + 1;
      else high = middle;
    }
    if (low < METHODOLOGY.frame.scaleProposals) isKnown = false;
    return low;
  };
  return {
    add(power) {
      powers.splice(placeOf(power), 0, power);
    },
    remove(power) {
      powers.splice(placeOf(power), 1);
    },
    scale() {
      if (!isKnown) known = unitScale(powers.slice(0, METHODOLOGY.frame.scaleProposals));
      isKnown = true;
      return known;
    },
  };
}
