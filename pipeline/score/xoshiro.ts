import { invariant } from "../base/invariant.ts";

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** A generator of whole numbers 0..2³²−1: xoshiro128** 1.1 by Blackman and Vigna, from four 32-bit words. */
export function createXoshiro(seed: readonly [number, number, number, number]): () => number {
  invariant(
    seed.some((word) => word !== 0),
    "a generator of nothing but zeros",
  );
  let [a, b, c, d] = seed;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

/** Four words, little-endian, from the first 16 bytes of a hash given in hex. */
export function wordsOfHash(hex: string): readonly [number, number, number, number] {
  invariant(/^[0-9a-f]{32}/.test(hex), "a hash of at least 16 bytes in hex");
  const word = (place: number): number => {
    const bytes = [3, 2, 1, 0].map((byte) => hex.slice(8 * place + 2 * byte, 8 * place + 2 * byte + 2));
    return Number.parseInt(bytes.join(""), 16);
  };
  return [word(0), word(1), word(2), word(3)];
}
