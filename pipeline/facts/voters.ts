/** Words of 32 bits that one address takes: all of a Starknet one, the first five of an EVM one, which the rest of 0 follows. */
export const ADDRESS_WORDS = 8;

/** Hex digits of an EVM address and of a Starknet one. */
export const ADDRESS_DIGITS = { evm: 40, starknet: 64 } as const;

/** Distinct addresses in an order of their own, so many that a text for each would be too much. */
export interface VoterList {
  readonly count: number;
  /** `ADDRESS_WORDS` for each; the first word holds the first eight hex digits. */
  readonly words: Int32Array;
  /** 1 for an address of 64 digits, 0 for one of 40. */
  readonly isLong: Uint8Array;
}

const NOT_HEX = 255;

/** By character code, what a hex digit of either case is worth. */
const WORTH = new Uint8Array(256).fill(NOT_HEX);
for (const [worth, digit] of [..."0123456789abcdef"].entries()) {
  WORTH[digit.charCodeAt(0)] = worth;
  WORTH[digit.toUpperCase().charCodeAt(0)] = worth;
}

/** Reads an address of 40 or 64 hex digits, of either case, from the codes of its characters; `false` where one is no hex digit. */
export function readAddress(codes: Uint8Array, from: number, digits: number, words: Int32Array): boolean {
  let bad = 0;
  let place = from;
  for (let word = 0; word < digits >> 3; word += 1) {
    let value = 0;
    for (const end = place + 8; place < end; place += 1) {
      const worth = WORTH[codes[place] ?? 0] ?? NOT_HEX;
      bad |= worth;
      value = (value << 4) | worth;
    }
    words[word] = value;
  }
  for (let word = digits >> 3; word < ADDRESS_WORDS; word += 1) words[word] = 0;
  return bad <= 15;
}

/** One address of a list as text: 0x and lower-case digits. */
export function addressAt({ words, isLong }: VoterList, place: number): string {
  const count = isLong[place] === 1 ? ADDRESS_WORDS : ADDRESS_DIGITS.evm / 8;
  let text = "0x";
  for (let word = 0; word < count; word += 1)
    text += ((words[place * ADDRESS_WORDS + word] ?? 0) >>> 0).toString(16).padStart(8, "0");
  return text;
}

/** Distinct addresses and the places at which they were first seen: numbers in a table, 50 to 65 bytes an address. */
export type VoterBook = ReturnType<typeof createVoterBook>;

const SLOTS_AT_FIRST = 64;

/** Words of an EVM address; what follows them is never looked at. */
const SHORT_WORDS = ADDRESS_DIGITS.evm / 8;

/** Of the words of an address: most are hashes, so that mixing them a little spreads them well. */
function hashOf(seed: number, words: Int32Array, at: number, isLong: boolean): number {
  let hash = seed ^ (isLong ? 0x51ed270b : 0x2545f491);
  const end = at + (isLong ? ADDRESS_WORDS : SHORT_WORDS);
  for (let place = at; place < end; place += 1) {
    hash = Math.imul(hash ^ (words[place] as number), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash | 0;
}

/**
 * An empty book. Whoever votes may choose an address: `seed`, any whole number that nobody can know, keeps them from
 * choosing many that stand in each other's way. Places do not depend on it.
 */
export function createVoterBook(seed: number) {
  // Every index below is inside its array: a place is less than `count`, a slot is masked.
  let words = new Int32Array((SLOTS_AT_FIRST / 2) * ADDRESS_WORDS);
  let isLongAt = new Uint8Array(SLOTS_AT_FIRST / 2);
  let count = 0;
  /** In pairs: the hash, and place + 1 of the address that has it; 0 where there is none. Never more than half full. */
  let slots = new Int32Array(2 * SLOTS_AT_FIRST);
  let mask = SLOTS_AT_FIRST - 1;

  const isAt = (place: number, other: Int32Array, at: number, isLong: boolean): boolean => {
    if ((isLongAt[place] === 1) !== isLong) return false;
    const own = place * ADDRESS_WORDS;
    const length = isLong ? ADDRESS_WORDS : SHORT_WORDS;
    for (let word = 0; word < length; word += 1) if (words[own + word] !== other[at + word]) return false;
    return true;
  };
  /** The slot where an address stands, or the empty one where it would. */
  const slotOf = (hash: number, other: Int32Array, at: number, isLong: boolean): number => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = slots[2 * slot + 1] as number;
      if (held === 0) return slot;
      if (slots[2 * slot] === hash && isAt(held - 1, other, at, isLong)) return slot;
    }
  };
  const grow = (): void => {
    const wider = new Int32Array(words.length * 2);
    wider.set(words);
    words = wider;
    const longer = new Uint8Array(isLongAt.length * 2);
    longer.set(isLongAt);
    isLongAt = longer;
    const before = slots;
    slots = new Int32Array(before.length * 2);
    mask = slots.length / 2 - 1;
    for (let pair = 0; pair < before.length; pair += 2) {
      if (before[pair + 1] === 0) continue;
      let slot = (before[pair] as number) & mask;
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = before[pair] as number;
      slots[2 * slot + 1] = before[pair + 1] as number;
    }
  };

  return {
    /** The place of an address (`ADDRESS_WORDS` words from `at`), which is given the next one where it is new. */
    placeOf(other: Int32Array, at: number, isLong: boolean): number {
      if (count * 2 > mask) grow();
      const hash = hashOf(seed, other, at, isLong);
      const slot = slotOf(hash, other, at, isLong);
      const held = slots[2 * slot + 1] as number;
      if (held !== 0) return held - 1;
      const length = isLong ? ADDRESS_WORDS : SHORT_WORDS;
      for (let word = 0; word < length; word += 1)
        words[count * ADDRESS_WORDS + word] = other[at + word] as number;
      isLongAt[count] = isLong ? 1 : 0;
      count += 1;
      slots[2 * slot] = hash;
      slots[2 * slot + 1] = count;
      return count - 1;
    },
    /** As `placeOf`, but −1 for an address that is not in the book. */
    find: (other: Int32Array, at: number, isLong: boolean): number =>
      (slots[2 * slotOf(hashOf(seed, other, at, isLong), other, at, isLong) + 1] as number) - 1,
    count: () => count,
    /** All of them, by place; it shares the book's memory until the next one is added. */
    list: (): VoterList => ({
      count,
      words: words.subarray(0, count * ADDRESS_WORDS),
      isLong: isLongAt.subarray(0, count),
    }),
  };
}
