/** Rows up to which inserting is faster than merging. */
const RUN = 12;

/**
 * The places of keys in ascending order of key, equal ones in their order: what sorting places with a comparing function
 * gives, at a tenth of its cost. Keys are numbers, none of them NaN.
 */
export function ascendingPlaces(keys: Float64Array): Int32Array {
  const count = keys.length;
  let places = new Int32Array(count);
  let sorted = keys.slice();
  for (let place = 0; place < count; place += 1) places[place] = place;
  for (let from = 0; from < count; from += RUN) insertInto(sorted, places, from, Math.min(from + RUN, count));
  if (count <= RUN) return places;
  let otherPlaces = new Int32Array(count);
  let others = new Float64Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let from = 0; from < count; from += 2 * width)
      merge(
        { sorted, places, others, otherPlaces },
        from,
        Math.min(from + width, count),
        Math.min(from + 2 * width, count),
      );
    [sorted, others] = [others, sorted];
    [places, otherPlaces] = [otherPlaces, places];
  }
  return places;
}

// Both run for every vote; every index lies between bounds that lie in the columns.

function insertInto(keys: Float64Array, places: Int32Array, from: number, to: number): void {
  for (let next = from + 1; next < to; next += 1) {
    const key = keys[next] as number;
    const place = places[next] as number;
    let at = next - 1;
    for (; at >= from && (keys[at] as number) > key; at -= 1) {
      keys[at + 1] = keys[at] as number;
      places[at + 1] = places[at] as number;
    }
    keys[at + 1] = key;
    places[at + 1] = place;
  }
}

interface Columns {
  readonly sorted: Float64Array;
  readonly places: Int32Array;
  readonly others: Float64Array;
  readonly otherPlaces: Int32Array;
}

function merge(columns: Columns, from: number, middle: number, to: number): void {
  const { sorted, places, others, otherPlaces } = columns;
  let left = from;
  let right = middle;
  for (let at = from; at < to; at += 1) {
    const isLeft = right >= to || (left < middle && (sorted[left] as number) <= (sorted[right] as number));
    const next = isLeft ? left : right;
    others[at] = sorted[next] as number;
    otherPlaces[at] = places[next] as number;
    if (isLeft) left += 1;
    else right += 1;
  }
}
