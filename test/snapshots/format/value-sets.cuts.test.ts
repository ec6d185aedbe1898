import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  captureRiskOf,
  delegateCentralizationOf,
  labelledPoints,
  labelOf,
  riskLevelOf,
  velocityOf,
  weightTierOf,
} from "../../../snapshots/format/value-sets.ts";

describe("words for numbers", () => {
  it.each([
    {
      what: "label",
      of: labelOf,
      rows: [
        [0, "Critical"],
        [1.99, "Critical"],
        [2, "Weak"],
        [3.99, "Weak"],
        [4, "Moderate"],
        [5.99, "Moderate"],
        [6, "Strong"],
        [7.99, "Strong"],
        [8, "Excellent"],
        [10, "Excellent"],
      ],
    },
    {
      what: "risk level",
      of: riskLevelOf,
      rows: [
        [0, "low"],
        [24.9, "low"],
        [25, "moderate"],
        [49.9, "moderate"],
        [50, "high"],
        [74.9, "high"],
        [75, "critical"],
        [100, "critical"],
      ],
    },
    {
      what: "capture risk",
      of: captureRiskOf,
      rows: [
        [1, "critical"],
        [2, "high"],
        [3, "high"],
        [4, "moderate"],
        [9, "moderate"],
        [10, "low"],
        [1000, "low"],
      ],
    },
    {
      what: "delegate centralization",
      of: delegateCentralizationOf,
      rows: [
        [0, "low"],
        [999.9, "low"],
        [1000, "moderate"],
        [1799.9, "moderate"],
        [1800, "high"],
        [2499.9, "high"],
        [2500, "critical"],
        [10000, "critical"],
      ],
    },
    {
      what: "velocity",
      of: velocityOf,
      rows: [
        [0, "dormant"],
        [0.001, "low"],
        [0.999, "low"],
        [1, "moderate"],
        [7.99, "moderate"],
        [8, "high"],
        [19.99, "high"],
        [20, "very_high"],
        [500, "very_high"],
      ],
    },
  ] as { what: string; of: (value: number) => string; rows: [number, string][] }[])(
    "$what",
    ({ of, rows }) => {
      for (const [value, word] of rows) expect([value, of(value)]).toEqual([value, word]);
    },
  );
});

describe("weightTierOf", () => {
  it.each([
    { why: "exactly 1 %", votes: 10n, total: 1000n, want: "T1" },
    { why: "a hair below 1 %", votes: 9n, total: 1000n, want: "T2" },
    { why: "exactly 0.1 %", votes: 1n, total: 1000n, want: "T2" },
    { why: "a hair below 0.1 %", votes: 999n, total: 1_000_000n, want: "T3" },
    { why: "beyond what a double can tell apart", votes: 10n ** 28n - 1n, total: 10n ** 30n, want: "T2" },
    { why: "no votes", votes: 0n, total: 1000n, want: "T3" },
  ])("$why", ({ votes, total, want }) => {
    expect(weightTierOf(votes, total)).toBe(want);
  });

  it("never gives more votes a lighter tier", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 1n, max: 10n ** 31n }), (a, b, total) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(weightTierOf(more, total) <= weightTierOf(less, total)).toBe(true);
      }),
    );
  });
});

it.each([
  { why: "no praise on what is unknown", low: 5, high: 10, points: 5 },
  { why: "nor blame", low: 0, high: 6, points: 5 },
  { why: "at least so good", low: 8.2, high: 9, points: 8.2 },
  { why: "at most so bad", low: 0, high: 1.9, points: 1.9 },
])("a label rests on the number nearest to 5: $why", ({ low, high, points }) => {
  expect(labelledPoints({ low, high })).toBe(points);
});
