import type { MemberMeasures } from "./measures.ts";

/** One measure of all members by place, NaN where it is not known, and the places where it is in ascending order of value. */
export interface MemberColumn {
  readonly values: Float64Array;
  readonly ascending: Int32Array;
}

/** A column, sorted once so that a thousand medians need not. */
export function memberColumn(
  members: readonly MemberMeasures[],
  of: (member: MemberMeasures) => number | undefined,
): MemberColumn {
  const values = Float64Array.from(members, (member) => of(member) ?? Number.NaN);
  const known = [...values.keys()].filter((place) => !Number.isNaN(values[place]));
  const ascending = known.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  return { values, ascending: Int32Array.from(ascending) };
}

// The functions below run a million times over a thousand DAOs; their places come from the columns themselves.

/** The place of the weighted median of a column, with the number of draws as weight; −1 where none of the known was drawn. */
export function medianPlace({ ascending }: MemberColumn, counts: Int32Array): number {
  let total = 0;
  for (let at = 0; at < ascending.length; at += 1) total += counts[ascending[at] as number] as number;
  let reached = 0;
  for (let at = 0; at < ascending.length; at += 1) {
    const place = ascending[at] as number;
    reached += counts[place] as number;
    // Whole numbers are summed exactly, so half needs no margin.
    if (reached > 0 && 2 * reached >= total) return place;
  }
  return -1;
}

/** The mean of a column over the draws of members where it is known; NaN where none of them was drawn. */
export function countedMean({ values }: MemberColumn, counts: Int32Array): number {
  let sum = 0;
  let drawn = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] as number;
    const count = counts[place] as number;
    if (count === 0 || Number.isNaN(value)) continue;
    sum += value * count;
    drawn += count;
  }
  return sum / drawn;
}
