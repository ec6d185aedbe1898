/**
 * Pairs of voters with three coincidences or more, and what is known of each: 37 bytes a pair. A pair is kept with its
 * smaller voter; the pairs of one voter are a chain.
 */
export interface PairTable {
  /** By voter: its first pair, or −1. */
  readonly first: Int32Array;
  /** Places in use; those of dropped pairs have no `voter` (−1). */
  size: number;
  voter: Int32Array;
  partner: Int32Array;
  /** The next pair of the same voter, or −1. */
  next: Int32Array;
  /** j and m. */
  coincidences: Int32Array;
  common: Int32Array;
  /** S in units of 2^-32: whole numbers, so that adding and taking away leave no trace. */
  surprise: Float64Array;
  /** S less what of its bound does not depend on the number of voters: −∞ where it cannot be a link, NaN where not known yet. */
  excess: Float64Array;
  isLinked: Uint8Array;
  /** The first free place, or −1; chained by `next`. */
  free: number;
}

/** A table of no pairs, for voters 0..n−1. */
export function createPairTable(voters: number): PairTable {
  return {
    first: new Int32Array(voters).fill(-1),
    size: 0,
    voter: new Int32Array(16),
    partner: new Int32Array(16),
    next: new Int32Array(16),
    coincidences: new Int32Array(16),
    common: new Int32Array(16),
    surprise: new Float64Array(16),
    excess: new Float64Array(16),
    isLinked: new Uint8Array(16),
    free: -1,
  };
}

function grow(table: PairTable): void {
  const longer = (column: Int32Array): Int32Array => {
    const grown = new Int32Array(column.length * 2);
    grown.set(column);
    return grown;
  };
  const longerFloats = (column: Float64Array): Float64Array => {
    const grown = new Float64Array(column.length * 2);
    grown.set(column);
    return grown;
  };
  const linked = new Uint8Array(table.isLinked.length * 2);
  linked.set(table.isLinked);
  table.voter = longer(table.voter);
  table.partner = longer(table.partner);
  table.next = longer(table.next);
  table.coincidences = longer(table.coincidences);
  table.common = longer(table.common);
  table.surprise = longerFloats(table.surprise);
  table.excess = longerFloats(table.excess);
  table.isLinked = linked;
}

/** Adds a pair that is not linked yet, and answers its place. */
export function addPair(table: PairTable, voter: number, partner: number): number {
  let place = table.free;
  if (place >= 0) table.free = table.next[place] ?? -1;
  else {
    if (table.size === table.voter.length) grow(table);
    place = table.size;
    table.size += 1;
  }
  table.voter[place] = voter;
  table.partner[place] = partner;
  table.next[place] = table.first[voter] ?? -1;
  table.first[voter] = place;
  table.isLinked[place] = 0;
  return place;
}

/** Takes a pair out; `before` is the one before it in its voter's chain, or −1. */
export function dropPair(table: PairTable, place: number, before: number): void {
  const after = table.next[place] ?? -1;
  if (before >= 0) table.next[before] = after;
  else table.first[table.voter[place] ?? 0] = after;
  table.voter[place] = -1;
  table.next[place] = table.free;
  table.free = place;
}

/** Takes all pairs out. */
export function clearPairs(table: PairTable): void {
  table.first.fill(-1);
  table.size = 0;
  table.free = -1;
}
