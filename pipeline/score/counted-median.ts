import type { MemberMeasures } from "./measures.ts";

/** One measure of all members, and the places where it is known in ascending order of value. */
export interface MemberColumn {
  readonly values: readonly (number | undefined)[];
  readonly ascending: readonly { readonly place: number; readonly value: number }[];
}

/** A column, sorted once so that a thousand medians need not. */
export function memberColumn(
  members: readonly MemberMeasures[],
  of: (member: MemberMeasures) => number | undefined,
): MemberColumn {
  const values = members.map(of);
  const ascending = values
    .flatMap((value, place) => (value === undefined ? [] : [{ place, value }]))
    .sort((a, b) => a.value - b.value);
  return { values, ascending };
}

/** The weighted median of a column with the number of draws as weight; `undefined` where none of the known was drawn. */
export function countedMedian({ ascending }: MemberColumn, counts: Uint32Array): number | undefined {
  let total = 0;
  for (const { place } of ascending) total += counts[place] ?? 0;
  if (total === 0) return undefined;
  let reached = 0;
  for (const { place, value } of ascending) {
    reached += counts[place] ?? 0;
    // Whole numbers are summed exactly, so half needs no margin.
    if (2 * reached >= total) return value;
  }
  return undefined;
}
