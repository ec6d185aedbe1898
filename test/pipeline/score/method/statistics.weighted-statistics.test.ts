import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clamp,
  createDisjointSets,
  effectiveNumber,
  sortedSum,
  weightedMean,
  weightedMedian,
} from "../../../../pipeline/score/method/statistics.ts";

const items = (...pairs: readonly (readonly [number, number])[]) =>
  pairs.map(([value, weight]) => ({ value, weight }));

test.each([
  { why: "low", x: -3, expected: 0 },
  { why: "boundary", x: 0, expected: 0 },
  { why: "inside", x: 0.25, expected: 0.25 },
  { why: "boundary", x: 1, expected: 1 },
  { why: "high", x: Infinity, expected: 1 },
])("clamp: $why $x", ({ x, expected }) => {
  expect(clamp(x)).toBe(expected);
});

test("a sorted sum hangs on no order", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 })), (values) => {
      expect(sortedSum([...values].reverse())).toBe(sortedSum(values));
    }),
  );
});

describe("weighted median", () => {
  test.each([
    { why: "gap: nothing", of: items(), expected: undefined },
    { why: "gap: nothing weighs", of: items([5, 0]), expected: undefined },
    { why: "one", of: items([5, 0.1]), expected: 5 },
    { why: "boundary: two equal weights reach half at the lower", of: items([9, 1], [4, 1]), expected: 4 },
    { why: "odd count", of: items([9, 1], [4, 1], [6, 1]), expected: 6 },
    { why: "weight decides", of: items([9, 3], [4, 1], [6, 1]), expected: 9 },
    {
      why: "weights that round: ten tenths, half at the fifth",
      of: items(...Array.from({ length: 10 }, (_, i) => [i, 0.1] as const)),
      expected: 4,
    },
    {
      why: "six weights of .3: three sum to a hair less than half",
      of: items(...Array.from({ length: 6 }, (_, i) => [i, 0.3] as const)),
      expected: 2,
    },
    { why: "thirds", of: items([1, 1 / 3], [2, 1 / 6], [3, 0.5]), expected: 2 },
    { why: "a weightless value is not seen", of: items([1, 0], [2, 1]), expected: 2 },
  ])("$why", ({ of, expected }) => {
    expect(weightedMedian(of)).toBe(expected);
    expect(weightedMedian([...of].reverse())).toBe(expected);
  });
});

describe("weighted mean and effective number", () => {
  test.each([
    { why: "gap", of: items(), expected: undefined },
    { why: "nothing weighs", of: items([3, 0]), expected: undefined },
    { why: "weights matter", of: items([0, 3], [10, 1]), expected: 2.5 },
  ])("mean: $why", ({ of, expected }) => {
    expect(weightedMean(of)).toBe(expected);
  });

  test.each([
    { why: "nobody", weights: [], expected: 0 },
    { why: "nothing weighs", weights: [0, 0], expected: 0 },
    { why: "equal ones count", weights: [0.5, 0.5, 0.5, 0.5], expected: 4 },
    { why: "one that is all", weights: [7, 0], expected: 1 },
    { why: "(3+1)²/(9+1)", weights: [3, 1], expected: 1.6 },
  ])("effective number: $why", ({ weights, expected }) => {
    expect(effectiveNumber(weights)).toBe(expected);
  });

  test("impossible: a negative weight", () => {
    expect(() => effectiveNumber([1, -1])).toThrow("invariant");
  });
});

test("sets are named by their smallest member, whatever the order of joining", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(19), fc.nat(19))), (pairs) => {
      const sets = createDisjointSets(20);
      for (const [a, b] of pairs) sets.join(a, b);
      const labels = Array.from({ length: 20 }, (_, index) => index);
      for (let round = 0; round < 20; round += 1)
        for (const [a, b] of pairs) {
          const least = Math.min(labels[a] ?? 0, labels[b] ?? 0);
          labels[a] = least;
          labels[b] = least;
        }
      expect(labels.map((_, member) => sets.find(member))).toStrictEqual(labels);
    }),
  );
});
