/** How often each of many numbers is there, as they come and go: two columns, and nothing made for a number. */
export interface ValueCounts {
  /** Takes in a number; with −1, takes out one that is there. */
  add(value: number, by: 1 | -1): void;
  /** All that are there, ascending; written over by the next call. */
  ascending(): Float64Array;
  countOf(value: number): number;
}

const SLOTS_AT_FIRST = 64;

/** None yet. */
export function createValueCounts(): ValueCounts {
  const word = new Float64Array(1);
  const bits = new Int32Array(word.buffer);
  let values = new Float64Array(SLOTS_AT_FIRST);
  let counts = new Int32Array(SLOTS_AT_FIRST);
  let isUsed = new Uint8Array(SLOTS_AT_FIRST);
  let usedCount = 0;
  let sorted = new Float64Array(0);

  /** The slot of a number, or the free one where it would stand. A mask keeps every slot inside. */
  const slotOf = (value: number): number => {
    word[0] = value;
    let hash = Math.imul((bits[0] as number) ^ Math.imul(bits[1] as number, 0x9e3779b1), 0x85ebca6b);
    hash ^= hash >>> 15;
    const mask = values.length - 1;
    let slot = hash & mask;
    while (isUsed[slot] === 1 && values[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  };
  /** Anew, without the numbers that have gone. */
  const rebuild = (): void => {
    const [oldValues, oldCounts] = [values, counts];
    const present = oldCounts.reduce((sum, count) => (count > 0 ? sum + 1 : sum), 0);
    let size = SLOTS_AT_FIRST;
    while (size < 4 * present) size *= 2;
    values = new Float64Array(size);
    counts = new Int32Array(size);
    isUsed = new Uint8Array(size);
    usedCount = 0;
    for (let old = 0; old < oldCounts.length; old += 1) {
      if (oldCounts[old] === 0) continue;
      const slot = slotOf(oldValues[old] as number);
      values[slot] = oldValues[old] as number;
      counts[slot] = oldCounts[old] as number;
      isUsed[slot] = 1;
      usedCount += 1;
    }
  };

  return {
    add(value, by) {
      let slot = slotOf(value);
      if (isUsed[slot] === 0) {
        if (2 * (usedCount + 1) > values.length) {
          rebuild();
          slot = slotOf(value);
        }
        isUsed[slot] = 1;
        values[slot] = value;
        usedCount += 1;
      }
      counts[slot] = (counts[slot] as number) + by;
    },
    ascending() {
      if (sorted.length < usedCount) sorted = new Float64Array(2 * usedCount);
      let count = 0;
      for (let slot = 0; slot < values.length; slot += 1) {
        if (counts[slot] === 0) continue;
        sorted[count] = values[slot] as number;
        count += 1;
      }
      return sorted.subarray(0, count).sort();
    },
    countOf: (value) => counts[slotOf(value)] as number,
  };
}
