import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ADDRESS_WORDS,
  addressText,
  addressWords,
  createVoterTable,
  isAddress,
} from "../../../pipeline/facts/voters.ts";
import { addressAt, arbitraryAddress } from "./sample-votes.ts";

describe("addressWords", () => {
  it("gives words from which the same text is written, wherever they stand", () => {
    fc.assert(
      fc.property(arbitraryAddress, fc.nat(5), (address, offset) => {
        const { words, isLong } = addressWords(address);
        expect(isLong).toBe(address.length === 66);
        expect(addressText(Int32Array.of(...new Int32Array(offset).fill(7), ...words), offset, isLong)).toBe(
          address,
        );
      }),
    );
  });

  it("leaves the last three words of a short address 0", () => {
    expect([...addressWords(`0x${"1".repeat(40)}`).words.subarray(5)]).toEqual([0, 0, 0]);
  });

  it.each([
    ["an upper-case digit", "A"],
    ["a letter past f", "g"],
    ["the sign before 0", "/"],
    ["the sign after 9", ":"],
    ["the sign before a", "`"],
    ["a zero byte", "\0"],
    ["a byte past ASCII", "\xff"],
  ])("refuses %s in every place", (_why, digit) => {
    for (const length of [40, 64]) {
      for (let index = 0; index < length; index += 1) {
        const address = `0x${"0".repeat(index)}${digit}${"0".repeat(length - index - 1)}`;
        expect(isAddress(address)).toBe(false);
        expect(() => addressWords(address)).toThrow("lower-case hex");
      }
    }
  });

  it.each([
    ["39 digits", `0x${"f".repeat(39)}`],
    ["41 digits", `0x${"f".repeat(41)}`],
    ["63 digits", `0x${"f".repeat(63)}`],
    ["an upper-case prefix", `0X${"0f".repeat(20)}`],
    ["no prefix", "0f".repeat(20)],
    ["a line break at the end", `0x${"f".repeat(40)}\n`],
    ["nothing", ""],
  ])("refuses %s", (_why, address) => {
    expect(() => addressWords(address)).toThrow("lower-case hex");
  });
});

const short = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;

describe("createVoterTable", () => {
  it("gives places as a map of texts would, and finds what it gave, whatever is asked again", () => {
    fc.assert(
      fc.property(fc.array(arbitraryAddress, { maxLength: 300 }), arbitraryAddress, (asked, stranger) => {
        const table = createVoterTable(7);
        const places = new Map<string, number>();
        for (const address of asked) {
          if (!places.has(address)) places.set(address, places.size);
          expect(table.internText(address)).toBe(places.get(address));
        }
        expect(table.count()).toBe(places.size);
        for (const address of [...places.keys(), stranger]) {
          const { words, isLong } = addressWords(address);
          expect(table.find(words, 0, isLong)).toBe(places.get(address) ?? -1);
        }
        const list = table.list();
        expect(list.words).toHaveLength(places.size * ADDRESS_WORDS);
        expect([...places.keys()].map((_, index) => addressAt(list, index))).toEqual([...places.keys()]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["the zero address of either chain", `0x${"0".repeat(40)}`, `0x${"0".repeat(64)}`],
    ["an EVM address and a Starknet one that begins with it", short(5), `${short(5)}${"0".repeat(24)}`],
    ["the last digit", short(1), short(2)],
    ["the first digit", `0x1${"0".repeat(39)}`, `0x2${"0".repeat(39)}`],
    ["the last digit of a Starknet one", `0x${"a".repeat(64)}`, `0x${"a".repeat(63)}b`],
  ])("tells apart %s", (_why, one, other) => {
    const table = createVoterTable(7);
    expect([table.internText(one), table.internText(other), table.internText(one)]).toEqual([0, 1, 0]);
  });

  it("tells apart an EVM address and a Starknet one that was made to have its hash and its first words", () => {
    const K = 0x9e3779b1;
    // Newton's steps double the bits of an inverse that hold: 3, 6, 12, 24, 48.
    let inverse = K;
    for (let step = 0; step < 4; step += 1) inverse = Math.imul(inverse, 2 - Math.imul(K, inverse));
    const mix = (hash: number, word: number) => {
      const product = Math.imul(hash ^ word, K);
      return product ^ (product >>> 15);
    };
    const evm = Int32Array.of(1, 2, 3, 4, 5, 0, 0, 0);
    const target = evm.subarray(0, 5).reduce(mix, 0x2545f491);
    const starknet = Int32Array.of(1, 2, 3, 4, 5, 6, 7, 0);
    const before = starknet.subarray(0, 7).reduce(mix, 0x51ed270b);
    starknet[7] = before ^ Math.imul(target ^ (target >>> 15) ^ (target >>> 30), inverse);
    expect(starknet.reduce(mix, 0x51ed270b), "the same hash").toBe(target);
    for (const order of [0, 1]) {
      // Without a seed, its hashes are the ones above.
      const table = createVoterTable(0);
      const places = [order === 0, order === 1].map((isLong) =>
        table.intern(isLong ? starknet : evm, 0, isLong),
      );
      expect(places).toEqual([0, 1]);
    }
  });

  it("looks at no more words than an EVM address has", () => {
    const table = createVoterTable(7);
    const clean = addressWords(short(3)).words;
    const followed = Int32Array.from(clean).fill(9, 5);
    expect([table.intern(followed, 0, false), table.intern(clean, 0, false)]).toEqual([0, 0]);
    expect([...table.list().words.subarray(5)]).toEqual([0, 0, 0]);
  });
});

/** Words whose hash is the same where nothing but the constant of EVM addresses goes into it. */
function collidingWords(index: number): Int32Array {
  const words = new Int32Array(ADDRESS_WORDS);
  words[3] = index;
  let hash = 0x2545f491;
  for (let word = 0; word < 4; word += 1) {
    hash = Math.imul(hash ^ (words[word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  words[4] = hash;
  return words;
}

describe("addresses that were chosen to stand in each other's way", () => {
  const COUNT = 400;
  /** How often words of the addresses are looked at to enter them all. */
  function looksWith(seed: number): number {
    const table = createVoterTable(seed);
    let looks = 0;
    for (let index = 0; index < COUNT; index += 1) {
      const watched = new Proxy(collidingWords(index), {
        get(words, key) {
          looks += 1;
          return Reflect.get(words, key);
        },
      });
      expect(table.intern(watched, 0, false)).toBe(index);
    }
    return looks / COUNT;
  }

  it("do so only for who knows the seed", () => {
    expect(looksWith(0), "the trap is one").toBeGreaterThan(COUNT / 2);
    expect(looksWith(12_345)).toBeLessThan(20);
  });
});
