import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decentralizationMarks,
  equalVoters,
  gini,
  majorityVoters,
  whaleShare,
} from "../../../../pipeline/score/components/decentralization.ts";

const ascending = (powers: readonly number[]): Float64Array => {
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Float64Array.from(powers, (power) => power / total).sort();
};
const equal = (count: number): Float64Array => ascending(Array<number>(count).fill(1));
const points = (shares: Float64Array): number => {
  const { effective, majority, top } = decentralizationMarks({ ascending: shares });
  return (10 * (effective + majority + top)) / 3;
};

describe("known groups", () => {
  test.each([
    { why: "low: a lone voter", shares: equal(1), expected: 0 },
    { why: "three equal", shares: equal(3), expected: 2.81 },
    { why: "boundary: fifty equal", shares: equal(50), expected: 10 },
    { why: "high: a thousand are no more", shares: equal(1000), expected: 10 },
    { why: "one with all but dust", shares: ascending([1, 1e-12]), expected: 0 },
  ])("$why", ({ shares, expected }) => {
    expect(points(shares)).toBeCloseTo(expected, 2);
  });

  test("each answer is n for n equal voters", () => {
    for (const count of [1, 2, 3, 7, 50, 999]) {
      const { effective, majority, top } = equalVoters({ ascending: equal(count) });
      expect(effective).toBeCloseTo(count, 9);
      expect(majority).toBeCloseTo(count, 9);
      expect(top).toBeCloseTo(count, 9);
    }
  });
});

test("one minimal vote more changes next to nothing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 }),
      (powers) => {
        const more = ascending([...powers, 1e-9]);
        expect(Math.abs(points(more) - points(ascending(powers)))).toBeLessThan(1e-4);
      },
    ),
  );
});

test.each([
  { why: "one alone", shares: equal(1), K: 1, cr4: 1, inequality: 0 },
  { why: "boundary: two equal halves are not more than half", shares: equal(2), K: 2, cr4: 1, inequality: 0 },
  { why: "ten tenths: six are more than half", shares: equal(10), K: 6, cr4: 0.4, inequality: 0 },
  { why: "one with 60 %", shares: ascending([6, 1, 1, 1, 1]), K: 1, cr4: 0.9, inequality: 0.4 },
])("diagnostics: $why", ({ shares, K, cr4, inequality }) => {
  expect(majorityVoters(shares)).toBe(K);
  expect(whaleShare(shares)).toBeCloseTo(cr4, 12);
  expect(gini(shares)).toBeCloseTo(inequality, 12);
});
