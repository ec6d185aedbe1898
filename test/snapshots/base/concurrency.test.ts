import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { forEachInFlight, inOrder } from "../../../snapshots/base/concurrency.ts";

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

/** Work that ends when the test says so. */
function workbench() {
  const started: number[] = [];
  const ends = new Map<number, { done: (result: string) => void; fail: (error: Error) => void }>();
  const running = () => ends.size;
  return {
    started,
    running,
    work: (item: number): Promise<string> => {
      started.push(item);
      return new Promise((resolve, reject) => {
        ends.set(item, { done: resolve, fail: reject });
      });
    },
    async end(item: number, error?: Error): Promise<void> {
      const end = ends.get(item);
      if (end === undefined) throw new Error(`${item} is not under way`);
      ends.delete(item);
      if (error === undefined) end.done(`made of ${item}`);
      else end.fail(error);
      await nextTurn();
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Takes all that there is, and how it ended. */
function takeAll(results: AsyncGenerator<string>) {
  const taken: string[] = [];
  const end = (async () => {
    for await (const result of results) taken.push(result);
    return "all";
  })().catch((error: unknown) => error);
  return { taken, end };
}

/** Rejections that nobody has heard of, while a test runs. */
function unheard(): unknown[] {
  const reasons: unknown[] = [];
  const hear = (reason: unknown) => void reasons.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  return reasons;
}

describe("inOrder", () => {
  it.each([
    { why: "nothing", items: 0, atOnce: 3 },
    { why: "one after the other", items: 5, atOnce: 1 },
    { why: "fewer than are worked on at once", items: 2, atOnce: 4 },
    { why: "more than may be ahead", items: 100, atOnce: 3 },
  ])("gives the results in the order of the items: $why", async ({ items, atOnce }) => {
    let running = 0;
    let most = 0;
    const results = inOrder(upTo(items), atOnce, async (item) => {
      running += 1;
      most = Math.max(most, running);
      for (let turn = (item * 7) % 5; turn >= 0; turn -= 1) await nextTurn();
      running -= 1;
      return item;
    });
    const taken: number[] = [];
    for await (const result of results) taken.push(result);
    expect(taken).toEqual(upTo(items));
    expect(most).toBe(Math.min(items, atOnce));
  });

  it("lets a slow first item keep none from being worked on but those far ahead", async () => {
    const { work, started, running, end } = workbench();
    const { taken, end: over } = takeAll(inOrder(upTo(40), 2, work));
    await nextTurn();
    // Eight for each of the two at once, the slow one among them.
    for (const item of upTo(16).slice(1)) await end(item);
    expect(started, "no more than so many wait for it").toEqual(upTo(16));
    expect(running()).toBe(1);
    expect(taken).toEqual([]);
    await end(0);
    expect(taken).toHaveLength(16);
    expect(started).toHaveLength(18);
    for (const item of upTo(40).slice(16)) await end(item);
    expect(await over).toBe("all");
  });

  it("throws what an item failed with when it is its turn, and leaves nothing unheard", async () => {
    const reasons = unheard();
    const { work, started, end } = workbench();
    const { taken, end: over } = takeAll(inOrder(upTo(9), 3, work));
    await nextTurn();
    await end(1, new Error("the second failed"));
    await end(2, new Error("so did the third"));
    expect(taken).toEqual([]);
    await end(0);
    expect(await over).toEqual(new Error("the second failed"));
    expect(taken).toEqual(["made of 0"]);
    const begun = started.length;
    for (const item of started.slice(3)) await end(item, new Error("nobody waits for this one"));
    expect(started, "what had not begun is never begun").toHaveLength(begun);
    expect(reasons).toEqual([]);
  });

  it("begins nothing more once nobody takes any more", async () => {
    const reasons = unheard();
    const { work, started, end } = workbench();
    const results = inOrder(upTo(9), 2, work);
    const first = results.next();
    await nextTurn();
    await end(0);
    expect(await first).toEqual({ value: "made of 0", done: false });
    await results.return(undefined);
    expect(started).toEqual([0, 1, 2]);
    await end(1);
    await end(2, new Error("nobody waits for it"));
    expect(started).toEqual([0, 1, 2]);
    expect(reasons).toEqual([]);
  });
});
