/** Numbers in ascending order, and how often each is there. */
interface CountedValues {
  readonly values: Float64Array;
  readonly counts: Int32Array;
}

/** How often each of many numbers is there, as they come and go: columns, and nothing made for a number. */
export interface ValueCounts {
  /** Takes in a number, and answers a ticket by which one of it is taken out; equal ones have the same. */
  add(value: number): number;
  takeOut(ticket: number): void;
  /** All that are there; written over by the next call. */
  ascending(): CountedValues;
}

const ROOM_AT_FIRST = 64;
/** Slots for each number there is room for: fewer make long searches, more are not in the cache. */
const SLOTS_EACH = 4;

/** None yet. */
export function createValueCounts(): ValueCounts {
  const word = new Float64Array(1);
  const bits = new Int32Array(word.buffer);
  let values = new Float64Array(ROOM_AT_FIRST);
  let counts = new Int32Array(ROOM_AT_FIRST);
  /** 1 for tickets that are in `ordered` or `fresh`. */
  let isListed = new Uint8Array(ROOM_AT_FIRST);
  /** Ticket + 1, or 0: open addressing. */
  let slots = new Int32Array(SLOTS_EACH * ROOM_AT_FIRST);
  /** Tickets in ascending order of their numbers as of the last look, and those that have come since. */
  let ordered: Int32Array = new Int32Array(0);
  let fresh: number[] = [];
  let free: number[] = [];
  let usedCount = 0;
  let found = { values: new Float64Array(0), counts: new Int32Array(0) };

  // Plain loops over columns from here on; a mask keeps every slot inside, and tickets are places in the columns.
  const slotOf = (value: number): number => {
    word[0] = value;
    let hash = Math.imul((bits[0] as number) ^ Math.imul(bits[1] as number, 0x9e3779b1), 0x85ebca6b);
    hash ^= hash >>> 15;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0 && values[(slots[slot] as number) - 1] !== value) slot = (slot + 1) & mask;
    return slot;
  };
  const isThere = (ticket: number): boolean => (counts[ticket] as number) > 0;
  /** Frees the tickets of numbers that have gone, and makes room where few have; tickets of those that are there stay. */
  const makeRoom = (): void => {
    ordered = ordered.filter(isThere);
    fresh = fresh.filter(isThere);
    free = [];
    for (let ticket = 0; ticket < usedCount; ticket += 1) {
      if (isThere(ticket)) continue;
      isListed[ticket] = 0;
      free.push(ticket);
    }
    if (2 * free.length < usedCount) {
      values = longer(values, new Float64Array(2 * usedCount));
      counts = longer(counts, new Int32Array(2 * usedCount));
      isListed = longer(isListed, new Uint8Array(2 * usedCount));
    }
    slots = new Int32Array(SLOTS_EACH * values.length);
    for (let ticket = 0; ticket < usedCount; ticket += 1)
      if (isThere(ticket)) slots[slotOf(values[ticket] as number)] = ticket + 1;
  };
  const ticketFor = (value: number): number => {
    if (free.length === 0 && usedCount === values.length) makeRoom();
    const next = free.pop();
    if (next === undefined) usedCount += 1;
    const ticket = next ?? usedCount - 1;
    slots[slotOf(value)] = ticket + 1;
    values[ticket] = value;
    return ticket;
  };
  /** Most numbers were there at the last look: only those that have come since are sorted. */
  const putInOrder = (): void => {
    const present = fresh.filter(isThere);
    const come = Float64Array.from(present, (ticket) => values[ticket] as number).sort();
    const next = new Int32Array(ordered.length + come.length);
    let count = 0;
    let old = 0;
    const takeOld = (below: number): void => {
      for (; old < ordered.length && (values[ordered[old] as number] as number) < below; old += 1) {
        const ticket = ordered[old] as number;
        if (isThere(ticket)) {
          next[count] = ticket;
          count += 1;
        } else isListed[ticket] = 0;
      }
    };
    for (const ticket of fresh) if (!isThere(ticket)) isListed[ticket] = 0;
    for (const value of come) {
      takeOld(value);
      next[count] = (slots[slotOf(value)] as number) - 1;
      count += 1;
    }
    takeOld(Infinity);
    ordered = next.subarray(0, count);
    fresh = [];
  };

  return {
    add(value) {
      const known = slots[slotOf(value)] as number;
      const ticket = known === 0 ? ticketFor(value) : known - 1;
      counts[ticket] = (counts[ticket] as number) + 1;
      if (isListed[ticket] === 0) {
        isListed[ticket] = 1;
        fresh.push(ticket);
      }
      return ticket;
    },
    takeOut(ticket) {
      counts[ticket] = (counts[ticket] as number) - 1;
    },
    ascending() {
      putInOrder();
      const { length } = ordered;
      if (found.values.length < length)
        found = { values: new Float64Array(2 * length), counts: new Int32Array(2 * length) };
      for (let at = 0; at < length; at += 1) {
        const ticket = ordered[at] as number;
        found.values[at] = values[ticket] as number;
        found.counts[at] = counts[ticket] as number;
      }
      return { values: found.values.subarray(0, length), counts: found.counts.subarray(0, length) };
    },
  };
}

function longer<Column extends Float64Array | Int32Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
