import { describe, expect, it } from "vitest";
import { forEachInFlight } from "../../../snapshots/store/in-flight.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("forEachInFlight", () => {
  it.each([
    { why: "fewer items than lanes", items: 3, most: 64, want: 3 },
    { why: "more items than lanes", items: 200, most: 64, want: 64 },
    { why: "one at a time", items: 5, most: 1, want: 1 },
    { why: "nothing to do", items: 0, most: 64, want: 0 },
  ])("has at most so many in flight: $why", async ({ items, most, want }) => {
    let inFlight = 0;
    let peak = 0;
    const done: number[] = [];
    await forEachInFlight([...Array(items).keys()], most, async (item) => {
      inFlight += 1;
      peak = Math.max(peak, inFlight);
      await turn();
      inFlight -= 1;
      done.push(item);
    });
    expect([peak, done.length, new Set(done).size]).toEqual([want, items, items]);
  });

  it("starts nothing after a failure, and throws it once all have come to rest", async () => {
    const started: number[] = [];
    let atRest = 0;
    const work = forEachInFlight([...Array(100).keys()], 4, async (item) => {
      started.push(item);
      await turn();
      atRest += 1;
      if (item === 5) throw new Error("five");
    });
    await expect(work).rejects.toThrow("five");
    expect(started.length).toBeLessThan(12);
    expect(atRest).toBe(started.length);
  });
});
