import { invariant } from "../../facts/errors.ts";

/**
 * Remembers what a pure function of one object answered, for as long as the object lives.
 * The object must not change: it is known by its identity alone.
 */
export function remember<Input extends object, Result>(
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const known = new WeakMap<Input, { readonly result: Result }>();
  return (input) => {
    const found = known.get(input);
    if (found !== undefined) return found.result;
    const result = compute(input);
    known.set(input, { result });
    return result;
  };
}

/** The value below which a share (0–1) of ascending values lies, interpolated linearly between neighbours. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  invariant(ascending.length > 0 && share >= 0 && share <= 1, "a percentile of nothing");
  const at = (ascending.length - 1) * share;
  const low = ascending[Math.floor(at)] ?? 0;
  const high = ascending[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/** The smallest of ascending values that at least a share (0–1) of them do not exceed: always one of them. */
export function nearestRank(ascending: ArrayLike<number>, share: number): number {
  invariant(ascending.length > 0 && share >= 0 && share <= 1, "a rank in nothing");
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0;
}

/** A value and how much it counts. */
interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** Limits to 0..1. */
export function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}

/** Sum over ascending values, so that the order of arrival changes no bit. */
export function sortedSum(values: ArrayLike<number>): number {
  let sum = 0;
  for (const value of Float64Array.from(values).sort()) sum += value;
  return sum;
}

/** Weighted mean; `undefined` where nothing weighs. */
export function weightedMean(items: readonly Weighted[]): number | undefined {
  let sum = 0;
  let weights = 0;
  for (const { value, weight } of items) {
    sum += value * weight;
    weights += weight;
  }
  return weights > 0 ? sum / weights : undefined;
}

/** What weights of such a sum must reach to be half of it. Equal weights must reach half exactly, whatever their sum rounds to. */
export function halfOf(total: number): number {
  return total / 2 - total * 1e-12;
}

/** The smallest value at which the weights, in ascending order of value, reach half of their sum; `undefined` where nothing weighs. */
export function weightedMedian(items: readonly Weighted[]): number | undefined {
  const sorted = items
    .filter((item) => item.weight > 0)
    .sort((a, b) => a.value - b.value || a.weight - b.weight);
  let total = 0;
  for (const { weight } of sorted) total += weight;
  const half = halfOf(total);
  let reached = 0;
  for (const { value, weight } of sorted) {
    reached += weight;
    if (reached >= half) return value;
  }
  return undefined;
}

/** The weighted mean of one measure of some things; those of which it is not known do not count. */
export function meanOver<Item>(
  items: readonly Item[],
  measureOf: (item: Item) => number | undefined,
  weightOf: (item: Item) => number,
): number | undefined {
  let sum = 0;
  let weights = 0;
  for (const item of items) {
    const value = measureOf(item);
    if (value === undefined) continue;
    const weight = weightOf(item);
    sum += value * weight;
    weights += weight;
  }
  return weights > 0 ? sum / weights : undefined;
}

/** Their weighted median. */
export function medianOver<Item>(
  items: readonly Item[],
  measureOf: (item: Item) => number | undefined,
  weightOf: (item: Item) => number,
): number | undefined {
  const known: Weighted[] = [];
  for (const item of items) {
    const value = measureOf(item);
    if (value !== undefined) known.push({ value, weight: weightOf(item) });
  }
  return weightedMedian(known);
}

/** Kish's effective number of weights, (Σw)² / Σw²; 0 where nothing weighs. */
export function effectiveNumber(weights: readonly number[]): number {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    invariant(weight >= 0, "a weight is negative");
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? (sum * sum) / squares : 0;
}

/** Sets of one number each, 0..n−1, that can be joined; `find` gives the smallest member of a set. */
export function createDisjointSets(count: number) {
  const parents = new Int32Array(count);
  for (let member = 0; member < count; member += 1) parents[member] = member;
  const find = (member: number): number => {
    let root = member;
    for (let next = parents[root] ?? root; next !== root; next = parents[root] ?? root) root = next;
    for (let at = member; at !== root; ) {
      const next = parents[at] ?? root;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  const join = (a: number, b: number): void => {
    const [one, other] = [find(a), find(b)];
    parents[Math.max(one, other)] = Math.min(one, other);
  };
  return { find, join };
}
