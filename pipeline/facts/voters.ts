import { invariant } from "./errors.ts";

/** 32-bit words per address: a Starknet address fills all of them, an EVM address the first five; the rest are 0. */
export const ADDRESS_WORDS = 8;

export const ADDRESS_DIGITS = { evm: 40, starknet: 64 } as const;

/** A list of distinct addresses as numbers, because a string for each would take too much memory. */
export interface VoterList {
  readonly count: number;
  /** `ADDRESS_WORDS` per address; the first word holds the first eight hex digits. */
  readonly words: Int32Array;
  /** 1 for an address of 64 digits, 0 for one of 40. */
  readonly isLong: Uint8Array;
}

const ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Words of an EVM address; the words after them are never read. */
const SHORT_WORDS = ADDRESS_DIGITS.evm / 8;

const wordsIn = (isLong: boolean): number => (isLong ? ADDRESS_WORDS : SHORT_WORDS);

/** Whether a text is an address in our spelling: 0x and 40 or 64 lower-case hex digits. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** An address as words; throws on another spelling, which would make a second voter. */
export function addressWords(address: string) {
  invariant(isAddress(address), "an address is not 0x and 40 or 64 lower-case hex digits");
  const isLong = address.length === 2 + ADDRESS_DIGITS.starknet;
  const words = new Int32Array(ADDRESS_WORDS);
  for (let word = 0; word < wordsIn(isLong); word += 1)
    words[word] = Number.parseInt(address.slice(2 + 8 * word, 10 + 8 * word), 16);
  return { words, isLong };
}

/** The text of an address whose words begin at `at`: 0x and lower-case digits. */
export function addressText(words: Int32Array, offset: number, isLong: boolean): string {
  let text = "0x";
  for (let word = offset; word < offset + wordsIn(isLong); word += 1)
    text += ((words[word] ?? 0) >>> 0).toString(16).padStart(8, "0");
  return text;
}

/** A hash table of distinct addresses and their indexes in order of insertion; 50 to 65 bytes per address. */
export type VoterTable = ReturnType<typeof createVoterTable>;

const INITIAL_SLOTS = 64;

/** Hashes an address. Most addresses are hashes already, so light mixing spreads them well. */
function hashOf(seed: number, words: Int32Array, offset: number, isLong: boolean): number {
  let hash = seed ^ (isLong ? 0x51ed270b : 0x2545f491);
  const end = offset + wordsIn(isLong);
  for (let index = offset; index < end; index += 1) {
    hash = Math.imul(hash ^ (words[index] as number), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash | 0;
}

/**
 * Creates an empty table. Voters can choose their addresses; `seed`, an unpredictable whole number, keeps them from
 * choosing many that collide. Indexes do not depend on it.
 */
export function createVoterTable(seed: number) {
  // Every index below is inside its array: an address index is less than `count`, a slot is masked.
  let words = new Int32Array((INITIAL_SLOTS / 2) * ADDRESS_WORDS);
  let isLongAt = new Uint8Array(INITIAL_SLOTS / 2);
  let count = 0;
  /** Pairs of a hash and the address index + 1, or 0 for an empty slot. Never more than half full. */
  let slots = new Int32Array(2 * INITIAL_SLOTS);
  let mask = INITIAL_SLOTS - 1;

  const isAt = (index: number, other: Int32Array, offset: number, isLong: boolean): boolean => {
    if ((isLongAt[index] === 1) !== isLong) return false;
    const start = index * ADDRESS_WORDS;
    const length = wordsIn(isLong);
    for (let word = 0; word < length; word += 1)
      if (words[start + word] !== other[offset + word]) return false;
    return true;
  };
  /** The slot that contains an address, or the empty slot where it belongs. */
  const slotOf = (hash: number, other: Int32Array, offset: number, isLong: boolean): number => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = slots[2 * slot + 1] as number;
      if (held === 0) return slot;
      if (slots[2 * slot] === hash && isAt(held - 1, other, offset, isLong)) return slot;
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

  const intern = (other: Int32Array, offset: number, isLong: boolean): number => {
    if (count * 2 > mask) grow();
    const hash = hashOf(seed, other, offset, isLong);
    const slot = slotOf(hash, other, offset, isLong);
    const held = slots[2 * slot + 1] as number;
    if (held !== 0) return held - 1;
    const length = wordsIn(isLong);
    for (let word = 0; word < length; word += 1)
      words[count * ADDRESS_WORDS + word] = other[offset + word] as number;
    isLongAt[count] = isLong ? 1 : 0;
    count += 1;
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = count;
    return count - 1;
  };

  return {
    /** The index of an address (`ADDRESS_WORDS` words from `at`); a new address gets the next index. */
    intern,
    internText(address: string): number {
      const { words: other, isLong } = addressWords(address);
      return intern(other, 0, isLong);
    },
    /** As `intern`, but −1 for an address that is not in the table. */
    find: (other: Int32Array, offset: number, isLong: boolean): number =>
      (slots[2 * slotOf(hashOf(seed, other, offset, isLong), other, offset, isLong) + 1] as number) - 1,
    count: () => count,
    /** All addresses, by index. Shares memory with this table until the next one is added. */
    list: (): VoterList => ({
      count,
      words: words.subarray(0, count * ADDRESS_WORDS),
      isLong: isLongAt.subarray(0, count),
    }),
  };
}
