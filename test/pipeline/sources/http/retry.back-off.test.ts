import fc from "fast-check";
import { expect, it } from "vitest";
import { backOffMs } from "../../../../pipeline/sources/http/retry.ts";

const backOff = { backOffFirstMs: 500, backOffLongestMs: 30_000 };

it.each([
  { why: "the first wait at its shortest", attempt: 1, random: 0, want: 250 },
  { why: "the first wait in the middle", attempt: 1, random: 0.5, want: 375 },
  { why: "the second is twice as long", attempt: 2, random: 0, want: 500 },
  { why: "the sixth", attempt: 6, random: 0, want: 8000 },
  { why: "the seventh reaches the longest", attempt: 7, random: 0, want: 15_000 },
  { why: "far beyond the longest", attempt: 2000, random: 0, want: 15_000 },
])("$why", ({ attempt, random, want }) => {
  expect(backOffMs(backOff, attempt, random)).toBe(want);
});

it("never waits nothing nor longer than the longest", () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), chance, (attempt, random) => {
      const waitMs = backOffMs(backOff, attempt, random);
      expect(waitMs).toBeGreaterThanOrEqual(250);
      expect(waitMs).toBeLessThanOrEqual(30_000);
    }),
  );
});
