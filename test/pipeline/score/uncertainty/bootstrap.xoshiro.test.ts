import { describe, expect, test } from "vitest";
import { createXoshiro, wordsOfHash } from "../../../../pipeline/score/uncertainty/bootstrap.ts";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";

describe("xoshiro128**", () => {
  // Made with the reference implementation, version 1.1, and published with the Rust crate rand_xoshiro.
  test("gives the published numbers from the state 1, 2, 3, 4", () => {
    const next = createXoshiro([1, 2, 3, 4]);
    expect(Array.from({ length: 10 }, next)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  test("impossible: a state that never leaves zero", () => {
    expect(() => createXoshiro([0, 0, 0, 0])).toThrow("invariant");
  });

  test("lies in 0..2³²−1 and comes near both ends", () => {
    const next = createXoshiro([5, 6, 7, 8]);
    const drawn = Array.from({ length: 20_000 }, next);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(2 ** 32);
    expect(Math.min(...drawn)).toBeLessThan(2 ** 32 / 1000);
    expect(Math.max(...drawn)).toBeGreaterThan(2 ** 32 * 0.999);
  });
});

describe("words of a hash", () => {
  // FIPS 180: SHA-256("abc") = ba7816bf 8f01cfea 414140de 5dae2223 …
  test("are its first 16 bytes, little-endian", () => {
    expect(wordsOfHash(sha256Hex("abc"))).toEqual([0xbf16_78ba, 0xeacf_018f, 0xde40_4141, 0x2322_ae5d]);
  });

  test.each([
    { why: "too short", hex: "ba7816bf" },
    { why: "no hex", hex: "x".repeat(64) },
  ])("impossible: $why", ({ hex }) => {
    expect(() => wordsOfHash(hex)).toThrow("invariant");
  });
});
