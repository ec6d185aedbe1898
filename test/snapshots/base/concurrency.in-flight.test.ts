import { describe, expect, it } from "vitest";
import { forEachInFlight } from "../../../snapshots/base/concurrency.ts";

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

  it("takes no item before there is room for it", async () => {
    let made = 0;
    let done = 0;
    let ahead = 0;
    function* items() {
      for (let item = 0; item < 50; item += 1) {
        made += 1;
        ahead = Math.max(ahead, made - done);
        yield item;
      }
    }
    await forEachInFlight(items(), 4, async () => {
      await turn();
      done += 1;
    });
    expect([made, done, ahead]).toEqual([50, 50, 4]);
  });

  it("rests before it throws what the making of an item throws", async () => {
    let begun = 0;
    let atRest = 0;
    function* items() {
      yield* [1, 2, 3];
      throw new Error("no fourth");
    }
    const work = forEachInFlight(items(), 4, async () => {
      begun += 1;
      await turn();
      atRest += 1;
    });
    await expect(work).rejects.toThrow("no fourth");
    expect([begun, atRest]).toEqual([3, 3]);
  });
});
