import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clamp,
  countUpTo,
  onGrid,
  sortedSum,
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

test.each([
  { why: "low: nothing", x: 0, expected: 0 },
  { why: "boundary: half of the last place goes to the even one", x: 2 ** -53, expected: 0 },
  { why: "what is on it stays", x: 3 * 2 ** -52, expected: 3 * 2 ** -52 },
  { why: "high: a whole", x: 1, expected: 1 },
])("on the grid: $why", ({ x, expected }) => {
  expect(onGrid(x)).toBe(expected);
});

test("sums on the grid hang on no order, and miss the true sum by next to nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e-3, noNaN: true }), { maxLength: 900 }), (values) => {
      const sum = (items: readonly number[]) => items.reduce((total, value) => total + onGrid(value), 0);
      expect(sum(values.toReversed())).toBe(sum(values));
      expect(Math.abs(sum(values) - sortedSum(values))).toBeLessThan(1e-12);
    }),
  );
});

test.each([
  { why: "nothing", ascending: [], limit: 1, expected: 0 },
  { why: "low", ascending: [2, 3], limit: 1, expected: 0 },
  { why: "boundary: all that are equal to it", ascending: [1, 2, 2, 2, 3], limit: 2, expected: 4 },
  { why: "between two", ascending: [1, 2, 4], limit: 3, expected: 2 },
  { why: "high", ascending: [1, 2, 3], limit: 9, expected: 3 },
])("how many are at most a limit: $why", ({ ascending, limit, expected }) => {
  expect(countUpTo(Float64Array.from(ascending), limit)).toBe(expected);
});
