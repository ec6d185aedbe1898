import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "./methodology.ts";
import { clamp } from "./statistics.ts";

/** The mark of an indicator, 0 to 1, as an interval; its ends are equal if the mark is known. */
export type Mark = readonly [low: number, high: number];

/** An interval and the point in it that is published. */
export interface Interval {
  readonly low: number;
  readonly point: number;
  readonly high: number;
}

const { unseenProposals } = METHODOLOGY.interval;

/** The mark of a known value. */
export function exactly(value: number): Mark {
  return [value, value];
}

/** The interval between two values, in either order. */
export function between(one: number, other: number): Mark {
  return one < other ? [one, other] : [other, one];
}

/** Weighted sums of one indicator's marks over proposals. */
export interface MarkSum {
  /** k: the weight of the proposals on which it is known. */
  weight: number;
  low: number;
  high: number;
}

/** Adds the mark of one proposal; an unknown mark adds nothing. */
export function addMark(sum: MarkSum, mark: Mark | undefined, weight: number): void {
  if (mark === undefined) return;
  sum.weight += weight;
  sum.low += weight * mark[0];
  sum.high += weight * mark[1];
}

/** The mean of an indicator, including two unseen proposals with any mark; [0, 1] if no mark is known. */
export function meanMark({ weight, low, high }: MarkSum): Mark {
  const all = weight + unseenProposals;
  return [low / all, (high + unseenProposals) / all];
}

/** The interval of two ends; its point is their middle on the scale of log(1 + points), as in the GVS. */
function middleOf(low: number, high: number): Interval {
  // Equal ends are returned exactly, without the rounding of the root.
  return { low, point: low === high ? low : Math.sqrt((1 + low) * (1 + high)) - 1, high };
}

/** Points (0–10) of a component: ten times the presence, times the plain mean of its marks. */
export function componentOf(presence: Mark, marks: readonly Mark[]): Interval {
  let low = 0;
  let high = 0;
  for (const mark of marks) {
    low += mark[0];
    high += mark[1];
  }
  return middleOf((10 * presence[0] * low) / marks.length, (10 * presence[1] * high) / marks.length);
}

/** Weights of the four components; their sum is 1. */
export type ComponentWeights = Readonly<Record<ComponentKey, number>>;

/**
 * Governance Vitality Score from the points of the four components: a weighted geometric mean of 1 + points, so that a
 * collapse in one component cannot be offset by another.
 */
export function vitalityOf(
  points: Readonly<Record<ComponentKey, number>>,
  weights: ComponentWeights = METHODOLOGY.components.weights,
): number {
  let sum = 0;
  for (const key of COMPONENT_KEYS) sum += weights[key] * Math.log1p(points[key]);
  return Math.expm1(sum);
}

/** The lows, the points or the highs of the four components. */
export function endsOf<End extends keyof Interval>(
  { hpr, dei, pdi, gpi }: Readonly<Record<ComponentKey, Pick<Interval, End>>>,
  end: End,
): Readonly<Record<ComponentKey, number>> {
  return { hpr: hpr[end], dei: dei[end], pdi: pdi[end], gpi: gpi[end] };
}

/** The GVS interval: computed from the lows, the points and the highs of the components. */
export function vitalityInterval(components: Readonly<Record<ComponentKey, Interval>>): Interval {
  const vitalityAt = (end: keyof Interval): number => vitalityOf(endsOf(components, end));
  return { low: vitalityAt("low"), point: vitalityAt("point"), high: vitalityAt("high") };
}

/** κ: 1 if a score is known exactly, 0 if nothing is known about it. */
export function knownShareOf({ low, high }: Pick<Interval, "low" | "high">): number {
  return clamp(1 - Math.log((1 + high) / (1 + low)) / Math.log(11));
}
