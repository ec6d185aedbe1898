import { describe, expect, it } from "vitest";
import { closeAfterEach, openClient, openServer, sendJson } from "./loopback-server.ts";
import { createVirtualTime } from "./virtual-time.ts";

closeAfterEach();

/** A server that notes the virtual moment of each arrival, and fails first with what it is given. */
async function openNoting(
  faults: readonly { readonly status: number; readonly headers?: object }[] = [],
  { headers = {} }: { readonly headers?: object } = {},
) {
  const time = createVirtualTime();
  const arrivedMs: number[] = [];
  const server = await openServer((response, index) => {
    arrivedMs.push(time.nowMs());
    const fault = faults[index] ?? { status: 200, headers };
    sendJson(response, fault.status, {}, fault.headers);
  });
  const apartMs = () => arrivedMs.slice(1).map((atMs, index) => atMs - arrivedMs[index]!);
  return { time, origin: server.origin, arrivedMs, apartMs };
}

describe("the rate of an origin", () => {
  it.each([
    { why: "a second apart unless told otherwise", settings: {}, apart: 1000 },
    { why: "as told", settings: { requestsPerMinute: 120 }, apart: 500 },
    { why: "slower than once a minute", settings: { requestsPerMinute: 0.5 }, apart: 120_000 },
  ])("starts are $why, however many ask at once", async ({ settings, apart }) => {
    const { time, origin, arrivedMs, apartMs } = await openNoting();
    const { client } = openClient({ ...time, settings });
    await Promise.all(Array.from({ length: 6 }, () => client.postJson({ url: origin, body: {} })));
    expect(arrivedMs).toHaveLength(6);
    // Those that start while another is on its way see the later clock; together they cannot be faster.
    expect(time.sleptMs).toEqual(Array.from({ length: 5 }, () => apart));
    expect(apartMs().every((ms) => ms >= 0)).toBe(true);
  });

  it("is kept one by one as well, and retries count", async () => {
    const { time, origin, apartMs } = await openNoting([{ status: 502 }]);
    const { client } = openClient({ ...time, settings: { backOffFirstMs: 1 } });
    await client.postJson({ url: origin, body: {} });
    await client.postJson({ url: origin, body: {} });
    expect(apartMs()).toEqual([1000, 1000]);
  });

  it("does not wait when nobody asked lately", async () => {
    const { time, origin } = await openNoting();
    const { client } = openClient({ ...time });
    await client.postJson({ url: origin, body: {} });
    time.move(1000);
    await client.postJson({ url: origin, body: {} });
    expect(time.sleptMs).toEqual([]);
  });

  it("is not kept for a day when the clock is set back by one", async () => {
    const { time, origin } = await openNoting();
    const { client } = openClient({ ...time });
    await client.postJson({ url: origin, body: {} });
    time.move(-86_400_000);
    await client.postJson({ url: origin, body: {} });
    expect(time.sleptMs).toEqual([1000]);
  });

  const window = (remaining: string, reset: string) => ({
    "ratelimit-remaining": remaining,
    "ratelimit-reset": reset,
  });
  const key = (limit: string, remaining: string) => ({
    "x-api-key-limit": limit,
    "x-api-key-remaining": remaining,
  });
  it.each<[why: string, headers: object, apartMs: number, keyRemaining?: number]>([
    ["its window is used up", window("0", "30"), 30_000],
    ["its window is used up for too long", window("0", "3600"), 120_000],
    ["one request is left", window("1", "30"), 1000],
    ["a used-up window is over", window("0", "0"), 1000],
    ["nobody says when a window ends", { "ratelimit-remaining": "0" }, 1000],
    ["a window is told in words", window("none", "soon"), 1000],
    ["less than nothing is left", window("-1", "30"), 1000],
    ["a key has some left", key("10", "7"), 1000, 7],
    ["a key is used up", key("10", "0"), 1000, 0],
    ["nobody says how many a key had", { "x-api-key-remaining": "41" }, 1000, 41],
    ["a key has no limit", key("0", "0"), 1000],
    ["a key is told in words", key("10", "many"), 1000],
  ])("where %s", async (_why, headers, apartMs, keyRemaining) => {
    const { time, origin } = await openNoting([], { headers });
    const { client } = openClient({ ...time });
    await client.postJson({ url: origin, body: {} });
    await client.postJson({ url: origin, body: {} });
    expect(time.sleptMs).toEqual([apartMs]);
    expect(client.counters().rateLimited).toBe(0);
    expect(client.counters().keyRemaining).toBe(keyRemaining);
  });

  it("belongs to the origin", async () => {
    const [one, other] = [await openNoting(), await openNoting()];
    const { client, time } = openClient();
    for (const { origin } of [one, other]) await client.postJson({ url: origin, body: {} });
    expect(time.sleptMs).toEqual([]);
    await client.postJson({ url: other.origin, body: {} });
    expect(time.sleptMs).toEqual([1000]);
  });
});

it.each([
  { why: "one", concurrencyMax: 1 },
  { why: "three", concurrencyMax: 3 },
])("asks an origin $why at a time, and as many as that", async ({ concurrencyMax }) => {
  let here = 0;
  let most = 0;
  const held: (() => void)[] = [];
  let total = 0;
  const server = await openServer((response) => {
    here += 1;
    total += 1;
    most = Math.max(most, here);
    held.push(() => {
      here -= 1;
      sendJson(response, 200, {});
    });
    // Goes on once as many are here as may be; what would come above it had time to arrive by then.
    if (held.length === concurrencyMax || total === 9) {
      setImmediate(() => setImmediate(() => held.splice(0).forEach((release) => void release())));
    }
  });
  const { client } = openClient({ settings: { concurrencyMax } });
  await Promise.all(Array.from({ length: 9 }, () => client.postJson({ url: server.origin, body: {} })));
  expect(most).toBe(concurrencyMax);
});

describe("after a fault", () => {
  const quick = { requestsPerMinute: 60_000_000 };

  it("waits twice as long each time, up to the longest", async () => {
    const faults = Array.from({ length: 5 }, () => ({ status: 502 }));
    const { time, origin } = await openNoting(faults);
    const settings = { ...quick, backOffFirstMs: 1000, backOffLongestMs: 6000 };
    await openClient({ ...time, settings }).client.postJson({ url: origin, body: {} });
    // Chance is one half: three quarters of each step.
    expect(time.sleptMs.filter((ms) => ms > 1)).toEqual([750, 1500, 3000, 4500, 4500]);
  });

  const BACK_OFF_MS = 375;
  it.each([
    ["seconds", "7", 7000],
    ["seconds with room around them", " 5 ", 5000],
    ["exactly the longest", "120", 120_000],
    ["a date", "Sun, 01 Nov 2026 00:00:09 GMT", 9000],
    ["a date gone by", "Sat, 31 Oct 2026 00:00:09 GMT", BACK_OFF_MS],
    ["a date that is none", "Sun, 01 Zzz 2026 00:00:09 GMT", BACK_OFF_MS],
    ["a date in another form", "2026-11-01T00:00:09Z", BACK_OFF_MS],
    ["no time", "0", BACK_OFF_MS],
    ["less than no time", "-5", BACK_OFF_MS],
    ["parts of a second", "1.5", BACK_OFF_MS],
    ["more digits than any wait has", "1".repeat(10), BACK_OFF_MS],
    ["several", "1, 2", BACK_OFF_MS],
    ["words", "soon", BACK_OFF_MS],
    ["an empty one", "", BACK_OFF_MS],
  ])("obeys a Retry-After, or waits as without one: %s", async (_why, retryAfter, apart) => {
    const { time, origin, apartMs } = await openNoting([
      { status: 429, headers: { "retry-after": retryAfter } },
    ]);
    await openClient({ ...time, settings: quick }).client.postJson({ url: origin, body: {} });
    expect(apartMs()).toEqual([apart]);
  });

  it.each([503, 408, 500])("obeys a Retry-After of a %i", async (status) => {
    const { time, origin, apartMs } = await openNoting([{ status, headers: { "retry-after": "7" } }]);
    await openClient({ ...time, settings: quick }).client.postJson({ url: origin, body: {} });
    expect(apartMs()).toEqual([7000]);
  });

  it.each([
    ["seconds", "121", "121 s"],
    ["very many seconds", "999999999", "999999999 s"],
    ["a date", "Sun, 01 Nov 2026 00:02:01 GMT", "121 s"],
    ["a date of another month", "Wed, 30 Dec 2026 10:00:00 GMT", "5133600 s"],
  ])("gives up when it is asked to wait too long, in %s", async (_why, retryAfter, says) => {
    const { time, origin, arrivedMs } = await openNoting([
      { status: 429, headers: { "retry-after": retryAfter } },
    ]);
    const { client } = openClient({ ...time });
    await expect(client.postJson({ url: origin, body: {} })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `${origin} answered 429 and requested a wait of ${says}, longer than our limit of 120 s`,
    });
    expect(arrivedMs).toHaveLength(1);
    expect(time.sleptMs).toEqual([]);
  });

  it.each([
    {
      why: "for a time",
      fault: { status: 503, headers: { "retry-after": "30" } },
      arrivals: [0, 30_000, 31_000],
    },
    { why: "for no time in particular", fault: { status: 429 }, arrivals: [0, 15_000, 16_000] },
  ])("makes everybody wait when the origin asks one to $why", async ({ fault, arrivals }) => {
    const { time, origin, arrivedMs } = await openNoting([fault]);
    const askedMs: number[] = [];
    let wake = () => {};
    const awake = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const sleep = async (waitMs: number, signal: AbortSignal) => {
      askedMs.push(waitMs);
      await awake;
      await time.sleep(waitMs, signal);
    };
    const settings = { concurrencyMax: 1, backOffFirstMs: 20_000 };
    const { client } = openClient({ ...time, sleep, settings });
    const startMs = time.nowMs();
    const both = Promise.all([1, 2].map(() => client.postJson({ url: origin, body: {} })));
    await expect.poll(() => askedMs.length).toBeGreaterThan(0);
    await new Promise(setImmediate);
    // The other request has the room by now, and waits as long as the one that was refused.
    expect(askedMs).toEqual([arrivals[1]]);
    wake();
    await both;
    expect(arrivedMs.map((atMs) => atMs - startMs)).toEqual(arrivals);
  });
});
