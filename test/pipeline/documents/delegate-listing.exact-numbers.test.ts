import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactPercent, votesInUnits } from "../../../pipeline/documents/delegate-listing.ts";

describe("votesInUnits", () => {
  it.each([
    { why: "nothing", votes: 0n, decimals: 18, want: 0 },
    { why: "the smallest unit there is", votes: 1n, decimals: 18, want: 1e-18 },
    { why: "no decimals", votes: 7n, decimals: 0, want: 7 },
    { why: "less than one", votes: 5n, decimals: 2, want: 0.05 },
    { why: "as many digits as decimals", votes: 12n, decimals: 2, want: 0.12 },
    {
      why: "dividing doubles would miss it",
      votes: 9_007_199_254_740_993_000n,
      decimals: 18,
      want: 9.007199254740993,
    },
    { why: "more than a double can count", votes: 10n ** 30n + 1n, decimals: 0, want: 1e30 },
  ])("$why", ({ votes, decimals, want }) => {
    expect(votesInUnits(votes, decimals)).toBe(want);
  });

  it("is the nearest double: neither neighbour is closer", () => {
    // A double of 1 or more is a whole number of 2^-60, so this comparison rounds nothing.
    const inParts = (value: number) => BigInt(value * 2 ** 60);
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 25n }),
        fc.constantFrom(0, 2, 6, 18),
        (votes, decimals) => {
          const value = votesInUnits(votes, decimals);
          if (value < 1) return;
          const wanted = votes * 2n ** 60n;
          const distance = (candidate: number) => {
            const difference = inParts(candidate) * 10n ** BigInt(decimals) - wanted;
            return difference < 0n ? -difference : difference;
          };
          const step = 2 ** (Math.floor(Math.log2(value)) - 52);
          expect(distance(value)).toBeLessThanOrEqual(distance(value + step));
          expect(distance(value)).toBeLessThanOrEqual(distance(value - step));
        },
      ),
    );
  });
});

describe("exactPercent", () => {
  it.each([
    { why: "nothing of nothing", part: 0n, total: 0n, want: 0 },
    { why: "nothing of something", part: 0n, total: 3n, want: 0 },
    { why: "all", part: 10n ** 40n, total: 10n ** 40n, want: 100 },
    { why: "a third", part: 1n, total: 3n, want: 33.33 },
    { why: "two thirds round up", part: 2n, total: 3n, want: 66.67 },
    { why: "half of a hundredth rounds as its double does", part: 12_345n, total: 100_000n, want: 12.35 },
    { why: "less than half of a hundredth", part: 10n ** 36n - 1n, total: 2n * 10n ** 40n, want: 0 },
    {
      why: "all but the smallest unit still rounds to all",
      part: 10n ** 25n - 1n,
      total: 10n ** 25n,
      want: 100,
    },
  ])("$why", ({ part, total, want }) => {
    expect(exactPercent(part, total)).toBe(want);
  });

  it("stops on a part larger than its total", () => {
    expect(() => exactPercent(2n, 1n)).toThrow("larger");
    expect(() => exactPercent(-1n, 1n)).toThrow("larger");
  });
});
