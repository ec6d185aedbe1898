import { describe, expect, test } from "vitest";
import { nearestRank, percentile } from "../../../../pipeline/score/method/statistics.ts";

const hundred = Array.from({ length: 101 }, (_, index) => index);

describe("percentile, between neighbours", () => {
  test.each([
    { why: "low: the least", values: [1, 2, 3], share: 0, expected: 1 },
    { why: "high: the largest", values: [1, 2, 3], share: 1, expected: 3 },
    { why: "a value itself", values: hundred, share: 0.05, expected: 5 },
    { why: "half way between two", values: [10, 20], share: 0.5, expected: 15 },
    { why: "a twentieth of the way", values: [0, 1], share: 0.05, expected: 0.05 },
    { why: "one value", values: [7], share: 0.95, expected: 7 },
  ])("$why", ({ values, share, expected }) => {
    expect(percentile(values, share)).toBeCloseTo(expected, 12);
  });
});

describe("nearest rank, always one of the values", () => {
  test.each([
    { why: "low: share 0 is the least", values: [3, 4, 5], share: 0, expected: 3 },
    { why: "high", values: [3, 4, 5], share: 1, expected: 5 },
    { why: "boundary: exactly half of four is the second", values: [1, 2, 3, 4], share: 0.5, expected: 2 },
    { why: "a hair more is the third", values: [1, 2, 3, 4], share: 0.51, expected: 3 },
    { why: "5 % of a thousand is the fiftieth", values: hundred.slice(1), share: 0.05, expected: 5 },
  ])("$why", ({ values, share, expected }) => {
    expect(nearestRank(values, share)).toBe(expected);
  });
});

test.each([
  { why: "nothing", values: [], share: 0.5 },
  { why: "a share above 1", values: [1], share: 1.5 },
])("impossible: $why", ({ values, share }) => {
  expect(() => percentile(values, share)).toThrow("invariant");
  expect(() => nearestRank(values, share)).toThrow("invariant");
});
