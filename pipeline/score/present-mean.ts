import type { Indicator } from "./indicator.ts";

/** Weighted mean (0–1) of the rows present; `undefined` with less than the given part of the weight. */
export function presentMeanOf(rows: readonly Indicator[], presentShareMin: number): number | undefined {
  const byId = <Value>(of: (row: Indicator) => Value) =>
    Object.fromEntries(rows.map((row) => [row.id, of(row)]));
  return presentMean(
    byId((row) => row.weight),
    byId((row) => row.value),
    presentShareMin,
  );
}

/** Weighted mean (0–1) of the indicators present; `undefined` with less than half of the weight. */
export function presentMean<Key extends string>(
  weights: Readonly<Record<Key, number>>,
  indicators: Readonly<Record<NoInfer<Key>, number | undefined>>,
  presentShareMin: number,
): number | undefined {
  let weighted = 0;
  let present = 0;
  let all = 0;
  for (const key of Object.keys(weights) as Key[]) {
    const value = indicators[key];
    all += weights[key];
    if (value === undefined) continue;
    weighted += weights[key] * value;
    present += weights[key];
  }
  // Weights like .2 + .2 + .1 must count as half of 1, whatever they round to.
  return present >= all * presentShareMin - 1e-9 && present > 0 ? weighted / present : undefined;
}
