import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  banzhafIndexes,
  entropyBits,
  gini,
  measureDiagnostics,
} from "../../../../pipeline/score/heads/diagnostics.ts";
import { everyoneAlone, sampleVotes } from "../sample-facts.ts";

const sharesOf = (powers: readonly number[]): Float64Array => {
  const sum = powers.reduce((a, b) => a + b, 0);
  return Float64Array.from(powers, (power) => power / sum);
};

describe("gini", () => {
  test.each([
    { why: "low: all equal", powers: [1, 1, 1, 1], expected: 0 },
    { why: "alone", powers: [5], expected: 0 },
    { why: "hand-made: 1, 3", powers: [3, 1], expected: 0.25 },
    {
      why: "high: one of a hundred has all but nothing",
      powers: [...Array(99).fill(1e-12), 1],
      expected: 0.99,
    },
  ])("$why", ({ powers, expected }) => {
    expect(gini(sharesOf(powers))).toBeCloseTo(expected, 9);
  });
});

describe("entropy", () => {
  test.each([
    { why: "low: alone", powers: [5], expected: 0 },
    { why: "two equal", powers: [1, 1], expected: 1 },
    { why: "high: eight equal", powers: Array(8).fill(1), expected: 3 },
    { why: "nothing adds nothing", powers: [1, 1, 0], expected: 1 },
    { why: "½, ¼, ¼", powers: [2, 1, 1], expected: 1.5 },
  ])("$why", ({ powers, expected }) => {
    expect(entropyBits(sharesOf(powers))).toBeCloseTo(expected, 12);
  });
});

/** All coalitions, one by one. */
function slowBanzhaf(shares: Float64Array): number[] {
  const swings = Array.from(shares, () => 0);
  for (let coalition = 0; coalition < 2 ** shares.length; coalition += 1) {
    const has = (head: number): boolean => ((coalition >> head) & 1) === 1;
    const held = shares.reduce((sum, share, head) => sum + (has(head) ? share : 0), 0);
    shares.forEach((share, head) => {
      if (!has(head) && held <= 0.5 + 0.5e-9 && held + share > 0.5 + 0.5e-9)
        swings[head] = (swings[head] ?? 0) + 1;
    });
  }
  const total = swings.reduce((a, b) => a + b, 0);
  return swings.map((count) => count / total);
}

describe("banzhaf", () => {
  test.each([
    { why: "alone", powers: [1], expected: [1] },
    { why: "two equal: each is needed", powers: [1, 1], expected: [1 / 2, 1 / 2] },
    { why: "three, any two of whom win", powers: [4, 4, 3], expected: [1 / 3, 1 / 3, 1 / 3] },
    {
      why: "4, 3, 2, 1 of 10 with 6 to win (a textbook's)",
      powers: [4, 3, 2, 1],
      expected: [5, 3, 3, 1].map((n) => n / 12),
    },
    { why: "a dictator", powers: [6, 2, 2], expected: [1, 0, 0] },
    {
      why: "exactly half is a veto and no win: 3, 1, 1, 1",
      powers: [3, 1, 1, 1],
      expected: [7, 1, 1, 1].map((n) => n / 10),
    },
  ])("$why", ({ powers, expected }) => {
    const found = banzhafIndexes(sharesOf(powers));
    expected.forEach((index, head) => {
      expect(found[head]).toBeCloseTo(index, 12);
    });
  });

  test("equals counting every coalition", () => {
    const powers = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(powers, (given) => {
        const shares = sharesOf(given);
        const found = banzhafIndexes(shares);
        slowBanzhaf(shares).forEach((index, head) => {
          expect(found[head]).toBeCloseTo(index, 12);
        });
      }),
    );
  });

  test("twenty equal heads have a twentieth each", () => {
    for (const index of banzhafIndexes(sharesOf(Array(20).fill(1)))) expect(index).toBeCloseTo(0.05, 12);
  });

  test.each([
    { why: "nobody", shares: new Float64Array() },
    { why: "more than twenty", shares: sharesOf(Array(21).fill(1)) },
  ])("impossible: $why", ({ shares }) => {
    expect(() => banzhafIndexes(shares)).toThrow("invariant");
  });
});

describe("of one proposal", () => {
  const crowd = (count: number) => sampleVotes(Array.from({ length: count }, (_, voter) => ({ voter })));
  test.each([
    { why: "boundary: twenty heads", votes: crowd(20), top: 0.05 },
    { why: "gap: twenty-one are too many to count coalitions", votes: crowd(21), top: undefined },
  ])("$why", ({ votes, top }) => {
    const found = measureDiagnostics(votes, everyoneAlone(30));
    if (top === undefined) expect(found?.banzhafTop).toBeUndefined();
    else expect(found?.banzhafTop).toBeCloseTo(top, 12);
    expect(found?.gini).toBeCloseTo(0, 12);
  });

  test.each([
    { why: "power unknown", votes: sampleVotes([{ voter: 0, isPowerUnknown: true }]) },
    { why: "nobody", votes: sampleVotes([]) },
  ])("gap: $why", ({ votes }) => {
    expect(measureDiagnostics(votes, everyoneAlone(3))).toBeUndefined();
  });
});
