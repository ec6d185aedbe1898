import type { Proposal } from "../../facts/proposal.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, weightedMedian } from "../method/statistics.ts";

/** An eligible proposal of the last 730 days, and the power cast on it. */
export interface CastProposal {
  /** Canonical text of its voting strategies; proposals with the same share a unit, all without any share one. */
  readonly strategiesKey: string | undefined;
  /** S: power cast; `undefined` where unknown. */
  readonly power: number | undefined;
}

/** What attention a proposal gets, and on which scale its power is measured. */
export interface Attention {
  /** ω, 0–1. */
  readonly attention: number;
  /** The power usually cast in its unit; `undefined` where nobody ever cast any. */
  readonly scale: number | undefined;
}

/** S: what the source says was cast, nothing where nobody voted, else what the fetched ballot adds up to. */
export function powerCast(
  proposal: Pick<Proposal, "scoresTotal" | "votesCount">,
  fetchedPower: number | undefined,
  isFetched: boolean,
): number | undefined {
  if (proposal.scoresTotal !== undefined) return proposal.scoresTotal;
  return proposal.votesCount === 0 && !isFetched ? 0 : fetchedPower;
}

/** The power-weighted median of a unit's largest S: the proposal in which the median unit of power was cast. */
function scaleOf(powers: number[]): number | undefined {
  const largest = powers.sort((a, b) => b - a).slice(0, METHODOLOGY.frame.scaleProposals);
  return weightedMedian(largest.map((power) => ({ value: power, weight: power })));
}

function attentionTo(power: number | undefined, scale: number | undefined): number {
  const { attentionFloor: floor } = METHODOLOGY.frame;
  if (power === undefined) return 1;
  // Power that is known to be nothing, in a unit in which nobody ever cast any.
  return scale === undefined ? 0 : clamp((power / scale - floor) / (1 - floor));
}

/** The scale of each unit, by strategies, of the proposals of one DAO. */
export function unitScales(proposals: readonly CastProposal[]): ReadonlyMap<string, number | undefined> {
  const powersByUnit = new Map<string, number[]>();
  for (const { strategiesKey: unit = "", power } of proposals) {
    if (power === undefined || power === 0) continue;
    const powers = powersByUnit.get(unit);
    if (powers === undefined) powersByUnit.set(unit, [power]);
    else powers.push(power);
  }
  return new Map([...powersByUnit].map(([unit, powers]) => [unit, scaleOf(powers)]));
}

/**
 * Attention weight ω of each proposal: how much of the power usually cast in this DAO was cast on it.
 * What outsiders make for nothing gets none of it.
 *
 * Range: 0..1. Up to a quarter of the unit's scale 0, at the scale and above 1.
 * Unit: proposals. Proposals with the same strategies share a scale.
 * Source: `scores_total`, or the sum of the ballot where there is none.
 * Unknown: a proposal whose power is unknown weighs 1.
 */
export function attend(proposals: readonly CastProposal[]): Attention[] {
  const scales = unitScales(proposals);
  return proposals.map(({ strategiesKey = "", power }) => {
    const scale = scales.get(strategiesKey);
    return { attention: attentionTo(power, scale), scale };
  });
}
