import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleLines } from "../../../proxy/observe/log-requests.ts";

function samplerAt(linesPerSecondMax: number, oneIn: number) {
  const clock = { nowMs: 1_000_000 };
  return { clock, sampler: sampleLines({ nowMs: () => clock.nowMs, linesPerSecondMax, oneIn }) };
}

describe("sampleLines", () => {
  it.each([
    { why: "up to the limit all are written", statuses: [200, 200, 200], want: [1, 1, 1] },
    { why: "then one in three", statuses: Array(9).fill(200), want: [1, 1, 1, 0, 0, 3, 0, 0, 3] },
    { why: "304 and 200 are one kind", statuses: [200, 304, 200, 304], want: [1, 1, 1, 0] },
    { why: "a refusal has lines of its own", statuses: [200, 200, 200, 200, 401], want: [1, 1, 1, 0, 1] },
    { why: "a flood of refusals is thinned out too", statuses: Array(6).fill(401), want: [1, 1, 1, 0, 0, 3] },
    {
      why: "one refusal does not push out another",
      statuses: [401, 401, 401, 401, 429],
      want: [1, 1, 1, 0, 1],
    },
    { why: "5xx are always written", statuses: Array(7).fill(503), want: Array(7).fill(1) },
    { why: "nothing", statuses: [], want: [] },
  ])("$why", ({ statuses, want }) => {
    const { sampler } = samplerAt(3, 3);
    expect(statuses.map(sampler)).toEqual(want);
  });

  it("begins anew each second, and when the clock is set back", () => {
    const { clock, sampler } = samplerAt(1, 10);
    expect([sampler(200), sampler(200)]).toEqual([1, 0]);
    clock.nowMs += 999;
    expect(sampler(200)).toBe(0);
    clock.nowMs += 1;
    expect(sampler(200)).toBe(1);
    clock.nowMs -= 3_600_000;
    expect(sampler(200)).toBe(1);
  });

  it("what is written stands for no more than there was, and for all but the last few", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(200, 304, 401, 403, 429, 500, 503)),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 7 }),
        (statuses, most, oneIn) => {
          const { sampler } = samplerAt(most, oneIn);
          const weights = statuses.map((status) => [status < 400 ? 0 : status, sampler(status)] as const);
          for (const kind of new Set(weights.map(([each]) => each))) {
            const ofKind = weights.filter(([each]) => each === kind);
            const told = ofKind.reduce((sum, [, weight]) => sum + weight, 0);
            expect(told).toBeLessThanOrEqual(ofKind.length);
            expect(told).toBeGreaterThan(ofKind.length - oneIn);
          }
        },
      ),
    );
  });
});
