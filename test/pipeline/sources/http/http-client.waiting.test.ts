import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowanceOf, retryAfterMs } from "../../../../pipeline/sources/http/exchange.ts";
import { closeAfterEach, openClient, openServer, sendJson } from "./loopback-server.ts";
import { createVirtualTime } from "./virtual-time.ts";

closeAfterEach();

/** A server that notes the virtual moment of each arrival, and fails first with what it is given. */
async function openNoting(faults: readonly { status: number; retryAfter?: string }[] = []) {
  const time = createVirtualTime();
  const arrivedMs: number[] = [];
  const server = await openServer((response, index) => {
    arrivedMs.push(time.nowMs());
    const fault = faults[index];
    if (fault === undefined) sendJson(response, 200, {});
    else
      sendJson(
        response,
        fault.status,
        {},
        fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter },
      );
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

  it.each([
    { why: "says that its window is used up", left: "0", reset: "30", apart: 30_000 },
    { why: "has one request left", left: "1", reset: "30", apart: 1000 },
    { why: "shall be waited for too long", left: "0", reset: "3600", apart: 120_000 },
  ])("is none while the origin $why", async ({ left, reset, apart }) => {
    const time = createVirtualTime();
    const headers = { "ratelimit-remaining": left, "ratelimit-reset": reset, "x-api-key-remaining": "41" };
    const server = await openServer((response) => sendJson(response, 200, {}, headers));
    const { client } = openClient({ ...time });
    await client.postJson({ url: server.origin, body: {} });
    await client.postJson({ url: server.origin, body: {} });
    expect(time.sleptMs).toEqual([apart]);
    expect(client.counters()).toMatchObject({ rateLimited: 0, keyRemaining: 41 });
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

  it.each([
    { why: "seconds", retryAfter: "7", apart: 7000 },
    { why: "a date", retryAfter: "Sun, 01 Nov 2026 00:00:09 GMT", apart: 9000 },
    { why: "exactly the longest", retryAfter: "120", apart: 120_000 },
    { why: "no time: back-off", retryAfter: "0", apart: 375 },
    { why: "a date gone by: back-off", retryAfter: "Sun, 01 Nov 2020 00:00:09 GMT", apart: 375 },
    { why: "nothing readable: back-off", retryAfter: "soon", apart: 375 },
    { why: "less than no time: back-off", retryAfter: "-5", apart: 375 },
    { why: "nothing: back-off", retryAfter: undefined, apart: 375 },
  ])("obeys a Retry-After of $why", async ({ retryAfter, apart }) => {
    for (const status of [429, 503, 408, 500]) {
      const { time, origin, apartMs } = await openNoting([
        { status, ...(retryAfter === undefined ? {} : { retryAfter }) },
      ]);
      await openClient({ ...time, settings: quick }).client.postJson({ url: origin, body: {} });
      expect(apartMs()).toEqual([apart]);
    }
  });

  it.each([
    { why: "seconds", retryAfter: "121" },
    { why: "a date", retryAfter: "Sun, 01 Nov 2026 00:02:01 GMT" },
  ])("gives up when it is asked to wait too long, in $why", async ({ retryAfter }) => {
    const { time, origin, arrivedMs } = await openNoting([{ status: 429, retryAfter }]);
    const { client } = openClient({ ...time });
    await expect(client.postJson({ url: origin, body: {} })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `${origin} answered 429 and requested a wait of 121 s, longer than our limit of 120 s`,
    });
    expect(arrivedMs).toHaveLength(1);
    expect(time.sleptMs).toEqual([]);
  });

  it.each([
    { why: "for a time", fault: { status: 429, retryAfter: "30" }, arrivals: [0, 30_000, 31_000] },
    {
      why: "for a time, with another status",
      fault: { status: 503, retryAfter: "30" },
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

const nowMs = Date.parse("2026-11-01T00:00:00Z");

describe("retryAfterMs", () => {
  it.each([
    { why: "no seconds", header: "0", want: 0 },
    { why: "seconds", header: "90", want: 90_000 },
    { why: "seconds with room around them", header: " 5 ", want: 5000 },
    { why: "very many seconds", header: "999999999", want: 999_999_999_000 },
    { why: "more digits than any wait has", header: "1".repeat(10), want: undefined },
    { why: "a date to come", header: "Sun, 01 Nov 2026 00:01:00 GMT", want: 60_000 },
    { why: "a date gone by", header: "Sat, 31 Oct 2026 00:01:00 GMT", want: 0 },
    { why: "a date that is none", header: "Sun, 01 Zzz 2026 00:01:00 GMT", want: undefined },
    { why: "a date in another form", header: "2026-11-01T00:01:00Z", want: undefined },
    { why: "parts of a second", header: "1.5", want: undefined },
    { why: "less than no time", header: "-1", want: undefined },
    { why: "several", header: "1, 2", want: undefined },
    { why: "an empty one", header: "", want: undefined },
    { why: "none", header: undefined, want: undefined },
  ])("$why", ({ header, want }) => {
    expect(retryAfterMs({ "retry-after": header }, nowMs)).toBe(want);
  });

  it("reads every date that HTTP can write, to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), (seconds) => {
        const header = new Date(nowMs + seconds * 1000).toUTCString();
        expect(retryAfterMs({ "retry-after": header }, nowMs)).toBe(seconds * 1000);
      }),
    );
  });
});

describe("allowanceOf", () => {
  const none = { pauseMs: undefined, keyRemaining: undefined };
  it.each([
    { why: "nothing is said", headers: {}, want: none },
    { why: "the last of a window", headers: window("0", "12"), want: { ...none, pauseMs: 12_000 } },
    { why: "one is left", headers: window("1", "12"), want: none },
    { why: "a window that is over", headers: window("0", "0"), want: none },
    { why: "no end of the window", headers: { "ratelimit-remaining": "0" }, want: none },
    { why: "words", headers: window("none", "soon"), want: none },
    { why: "less than nothing", headers: window("-1", "12"), want: none },
    { why: "what a key has left", headers: key("10", "7"), want: { ...none, keyRemaining: 7 } },
    { why: "a key that is used up", headers: key("10", "0"), want: { ...none, keyRemaining: 0 } },
    { why: "a key without a limit", headers: key("0", "0"), want: none },
    { why: "a key of words", headers: key("10", "many"), want: none },
  ])("$why", ({ headers, want }) => {
    expect(allowanceOf(headers)).toEqual(want);
  });
});

function window(remaining: string, reset: string) {
  return { "ratelimit-limit": "100", "ratelimit-remaining": remaining, "ratelimit-reset": reset };
}
function key(limit: string, remaining: string) {
  return { "x-api-key-limit": limit, "x-api-key-remaining": remaining };
}
