import { INDICATORS, type Indicator } from "./indicator.ts";

const KINDS = Object.values(INDICATORS.pdi);

/** Each indicator over proposals: means of what is known; by effective weights, so that the rows add up to the index. */
export function meanRows(
  measured: readonly { readonly weight: number; readonly rows: readonly Indicator[] }[],
): readonly Indicator[] {
  let all = 0;
  for (const { weight } of measured) all += weight;
  return KINDS.map(({ id, unit, role, weight: own }, place) => {
    let weights = 0;
    let raw = 0;
    let position = 0;
    let value = 0;
    for (const { weight, rows } of measured) {
      const row = rows[place];
      if (row?.value === undefined) continue;
      const effective = weight * row.effectiveWeight;
      weights += effective;
      raw += (row.raw ?? 0) * effective;
      position += (row.position ?? 0) * effective;
      value += row.value * effective;
    }
    const isKnown = weights > 0;
    return {
      id,
      unit,
      role,
      weight: own,
      raw: isKnown ? raw / weights : undefined,
      position: isKnown ? position / weights : undefined,
      value: isKnown ? value / weights : undefined,
      effectiveWeight: all > 0 ? weights / all : 0,
    };
  });
}
