/** Limits to 0..1. */
export const unit = (x: number): number => Math.min(1, Math.max(0, x));

/** The smallest value at which the weights reach half of their sum. */
export function plainMedian(
  items: readonly { readonly value: number; readonly weight: number }[],
): number | undefined {
  const sum = items.reduce((total, item) => total + item.weight, 0);
  const values = items.map((item) => item.value).sort((a, b) => a - b);
  return values.find(
    (value) =>
      items.filter((item) => item.value <= value).reduce((total, item) => total + item.weight, 0) >=
      sum / 2 - 1e-9,
  );
}

/** The weighted mean; a gap where nothing weighs. */
export function plainMean(
  items: readonly { readonly value: number; readonly weight: number }[],
): number | undefined {
  const sum = items.reduce((total, item) => total + item.weight, 0);
  return sum > 0 ? items.reduce((total, item) => total + item.value * item.weight, 0) / sum : undefined;
}
