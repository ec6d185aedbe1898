/** A value and how much it counts. */
export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** Limits to 0..1. */
export function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}

/** Sums values in ascending order, so that their original order does not change a bit of the result. */
export function sortedSum(values: ArrayLike<number>): number {
  let sum = 0;
  for (const value of Float64Array.from(values).sort()) sum += value;
  return sum;
}

/**
 * Rounds a number below 1 to a multiple of 2⁻⁵². Sums of such numbers below 1 are exact in any order, so sorting them
 * first is unnecessary.
 */
export function onGrid(x: number): number {
  return x + 1 - 1;
}

/** How many of the ascending values are at most a limit. */
export function countUpTo(ascending: Float64Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The middle of ascending values, or the mean of the two in the middle. */
export function median(ascending: ArrayLike<number>): number {
  const middle = ascending.length / 2;
  return ((ascending[Math.ceil(middle) - 1] ?? 0) + (ascending[Math.floor(middle)] ?? 0)) / 2;
}

/** The smallest value at which the weights, ascending by value, reach half of their sum; `undefined` without weights. */
export function weightedMedian(items: readonly Weighted[]): number | undefined {
  const sorted = items
    .filter((item) => item.weight > 0)
    .sort((a, b) => a.value - b.value || a.weight - b.weight);
  let total = 0;
  for (const { weight } of sorted) total += weight;
  // The margin keeps rounding of the sum from moving the median between equal weights.
  const half = total / 2 - total * 1e-12;
  let reached = 0;
  for (const { value, weight } of sorted) {
    reached += weight;
    if (reached >= half) return value;
  }
  return undefined;
}
