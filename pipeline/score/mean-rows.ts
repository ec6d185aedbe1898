import { INDICATORS, type Indicator } from "./indicator.ts";

/** Each indicator over proposals: means of what is known; by effective weights, so that the rows add up to the index. */
export function meanRows(
  measured: readonly { readonly weight: number; readonly rows: readonly Indicator[] }[],
): readonly Indicator[] {
  const all = measured.reduce((sum, { weight }) => sum + weight, 0);
  return Object.values(INDICATORS.pdi).map((kind, place) => {
    let weights = 0;
    const sums = { raw: 0, position: 0, value: 0 };
    for (const { weight, rows } of measured) {
      const row = rows[place];
      if (row?.value === undefined) continue;
      const effective = weight * row.effectiveWeight;
      weights += effective;
      sums.raw += (row.raw ?? 0) * effective;
      sums.position += (row.position ?? 0) * effective;
      sums.value += row.value * effective;
    }
    const mean = (sum: number) => (weights > 0 ? sum / weights : undefined);
    return {
      ...kind,
      raw: mean(sums.raw),
      position: mean(sums.position),
      value: mean(sums.value),
      effectiveWeight: all > 0 ? weights / all : 0,
    };
  });
}
