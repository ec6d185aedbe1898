import type { Indicator } from "./indicator.ts";

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
