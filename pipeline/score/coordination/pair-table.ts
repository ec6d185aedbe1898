import { invariant } from "../../facts/errors.ts";

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

/** On which ballots of a frame each voter cast a timed vote, ascending, and at which place in order of time. */
export interface VotesByVoter {
  /** Adds a ballot of a voter; most come after all others. */
  insert(voter: number, order: number, place: number): void;
  /** Takes one out that is there; most are the first. */
  remove(voter: number, order: number): void;
  clear(): void;
  countOf(voter: number): number;
  forEach(voter: number, visit: (order: number, place: number) => void): void;
  /** Calls back with the two places on each ballot that both voters cast, ascending; answers how many there are. */
  forEachCommon(
    one: number,
    other: number,
    visit: (order: number, onePlace: number, otherPlace: number) => void,
  ): number;
}

// Rows of a few numbers that are used together, one after another in one column: a voter is one look into memory, and
// most of the time goes into those looks. A list for each voter took three times as long, most of it collecting garbage.
const VOTER = { first: 0, last: 1, count: 2, size: 4 } as const;
const ENTRY = { order: 0, place: 1, next: 2, size: 3 } as const;
/** No entry: entry 0 is never used. */
const NONE = 0;

/** No ballots yet, of voters 0..n−1: 16 bytes a voter and 12 a ballot of one. */
export function createVotesByVoter(votersCount: number): VotesByVoter {
  const voters = new Int32Array(votersCount * VOTER.size);
  let entries = new Int32Array(1024 * ENTRY.size);
  let free = NONE;
  let end = 1;

  // Rows lie inside: voters are 0..n−1, and entries come from chains.
  const ofVoter = (voter: number, column: number): number => voters[voter * VOTER.size + column] as number;
  const ofEntry = (entry: number, column: number): number => entries[entry * ENTRY.size + column] as number;
  const nextOf = (entry: number): number => ofEntry(entry, ENTRY.next);

  const create = (order: number, place: number, next: number): number => {
    let entry = free;
    if (entry !== NONE) free = nextOf(entry);
    else {
      entry = end;
      end += 1;
      if (end * ENTRY.size > entries.length) {
        const longer = new Int32Array(2 * entries.length);
        longer.set(entries);
        entries = longer;
      }
    }
    const at = entry * ENTRY.size;
    entries[at + ENTRY.order] = order;
    entries[at + ENTRY.place] = place;
    entries[at + ENTRY.next] = next;
    return entry;
  };
  /** The last entry of a chain before an order, or none. */
  const lastBefore = (voter: number, order: number): number => {
    let before = NONE;
    let entry = ofVoter(voter, VOTER.first);
    while (entry !== NONE && ofEntry(entry, ENTRY.order) < order) {
      before = entry;
      entry = nextOf(entry);
    }
    return before;
  };
  const link = (voter: number, before: number, entry: number): void => {
    if (before === NONE) voters[voter * VOTER.size + VOTER.first] = entry;
    else entries[before * ENTRY.size + ENTRY.next] = entry;
  };
  const insert = (voter: number, order: number, place: number): void => {
    const row = voter * VOTER.size;
    const last = ofVoter(voter, VOTER.last);
    const isLast = last === NONE || ofEntry(last, ENTRY.order) < order;
    const before = isLast ? last : lastBefore(voter, order);
    const after = isLast ? NONE : before === NONE ? ofVoter(voter, VOTER.first) : nextOf(before);
    const entry = create(order, place, after);
    link(voter, before, entry);
    if (isLast) voters[row + VOTER.last] = entry;
    voters[row + VOTER.count] = (voters[row + VOTER.count] as number) + 1;
  };
  const remove = (voter: number, order: number): void => {
    const row = voter * VOTER.size;
    const before = lastBefore(voter, order);
    const entry = before === NONE ? ofVoter(voter, VOTER.first) : nextOf(before);
    invariant(
      ofEntry(entry, ENTRY.order) === order && entry !== NONE,
      "a ballot that its voter did not cast",
    );
    link(voter, before, nextOf(entry));
    if (ofVoter(voter, VOTER.last) === entry) voters[row + VOTER.last] = before;
    voters[row + VOTER.count] = (voters[row + VOTER.count] as number) - 1;
    entries[entry * ENTRY.size + ENTRY.next] = free;
    free = entry;
  };

  return {
    insert,
    remove,
    clear() {
      voters.fill(0);
      free = NONE;
      end = 1;
    },
    countOf: (voter) => ofVoter(voter, VOTER.count),
    forEach(voter, visit) {
      for (let entry = ofVoter(voter, VOTER.first); entry !== NONE; entry = nextOf(entry))
        visit(ofEntry(entry, ENTRY.order), ofEntry(entry, ENTRY.place));
    },
    forEachCommon(one, other, visit) {
      let count = 0;
      let left = ofVoter(one, VOTER.first);
      let right = ofVoter(other, VOTER.first);
      while (left !== NONE && right !== NONE) {
        const leftOrder = ofEntry(left, ENTRY.order);
        const rightOrder = ofEntry(right, ENTRY.order);
        if (leftOrder === rightOrder) {
          count += 1;
          visit(leftOrder, ofEntry(left, ENTRY.place), ofEntry(right, ENTRY.place));
        }
        if (leftOrder <= rightOrder) left = nextOf(left);
        if (rightOrder <= leftOrder) right = nextOf(right);
      }
      return count;
    },
  };
}
