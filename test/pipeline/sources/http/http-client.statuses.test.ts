import { describe, expect, it } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { closeAfterEach, type LoopbackServer, openClient, openServer, sendJson } from "./loopback-server.ts";
import { createVirtualTime } from "./virtual-time.ts";

closeAfterEach();

const HTML = "<html>no</html>";
const CHALLENGE = { status: 403, text: "<!DOCTYPE html><title>Just a moment...</title>" };
const ask = { query: "{a}" };

/** Answers one after the other, the last one again and again; a number is a status with a JSON body. */
async function openScript(
  ...steps: readonly (number | { readonly status: number; readonly text: string })[]
) {
  return openServer((response, index) => {
    const step = steps[Math.min(index, steps.length - 1)]!;
    if (typeof step === "number") sendJson(response, step, { status: step });
    else response.writeHead(step.status).end(step.text);
  });
}

describe("what is answered", () => {
  it.each([
    { why: "success", steps: [200], status: 200, requests: 1 },
    { why: "another success", steps: [201], status: 201, requests: 1 },
    { why: "a bad query that the hub explains", steps: [400], status: 400, requests: 1 },
    { why: "an invalid key", steps: [401], status: 401, requests: 1 },
    { why: "a forbidden thing", steps: [403], status: 403, requests: 1 },
    { why: "a missing thing", steps: [404], status: 404, requests: 1 },
    { why: "too much asked for", steps: [413], status: 413, requests: 1 },
    { why: "success after a timeout of the server", steps: [408, 200], status: 200, requests: 2 },
    { why: "success after the rate limit", steps: [429, 200], status: 200, requests: 2 },
    { why: "success after a 500", steps: [500, 500, 200], status: 200, requests: 3 },
    { why: "success at the last attempt", steps: [502, 503, 504, 502, 503, 200], status: 200, requests: 6 },
    { why: "success after a page", steps: [{ status: 200, text: HTML }, 200], status: 200, requests: 2 },
    {
      why: "success after the page of a firewall",
      steps: [CHALLENGE, CHALLENGE, 200],
      status: 200,
      requests: 3,
    },
    { why: "success after nothing", steps: [{ status: 204, text: "" }, 200], status: 200, requests: 2 },
    { why: "a refusal after a fault", steps: [502, 400], status: 400, requests: 2 },
    { why: "kinds of faults are counted apart", steps: [502, 502, 500, 500, 200], status: 200, requests: 5 },
  ])("$why", async ({ steps, status, requests }) => {
    const server = await openScript(...steps);
    const { client } = openClient();
    expect(await client.postJson({ url: server.origin, body: ask })).toMatchObject({
      status,
      body: { status },
    });
    expect(server.arrived).toHaveLength(requests);
    // Every attempt sends the same.
    expect(new Set(server.arrived.map(({ body }) => body))).toEqual(new Set(['{"query":"{a}"}']));
    expect(client.counters()).toMatchObject({ requests, retries: requests - 1 });
  });

  it("a 413 whose body is a page", async () => {
    const server = await openScript({ status: 413, text: HTML });
    const answer = await openClient().client.postJson({ url: server.origin, body: ask });
    expect(answer).toMatchObject({ status: 413, body: undefined });
  });
});

describe("what is given up", () => {
  it.each([
    { why: "a page with 400", step: { status: 400, text: HTML }, requests: 1, says: "answered 400" },
    { why: "nothing with 404", step: { status: 404, text: "" }, requests: 1, says: "answered 404" },
    { why: "a page that stays", step: { status: 200, text: HTML }, requests: 6, says: "200 with a web page" },
    { why: "a firewall that stays", step: CHALLENGE, requests: 6, says: "403 with a web page" },
    { why: "no page with 403", step: { status: 403, text: "no" }, requests: 1, says: "answered 403" },
    { why: "nothing with success, twice", step: { status: 200, text: "" }, requests: 2, says: "not JSON" },
    { why: "half a JSON", step: { status: 200, text: '{"data":[1,' }, requests: 2, says: "not JSON" },
    { why: "a 500, which a bad variable gets", step: 500, requests: 3, says: "answered 500" },
    { why: "a 408 that stays", step: 408, requests: 6, says: "answered 408" },
    { why: "a 429 that stays", step: 429, requests: 6, says: "answered 429" },
    { why: "a 501 that stays", step: 501, requests: 6, says: "answered 501" },
    { why: "a 502 that stays", step: 502, requests: 6, says: "answered 502" },
    { why: "a 503 that stays", step: 503, requests: 6, says: "answered 503" },
    { why: "a 504 that stays", step: 504, requests: 6, says: "answered 504" },
    { why: "a 599 that stays", step: 599, requests: 6, says: "answered 599" },
    {
      why: "a 304, which nobody asked for",
      step: { status: 304, text: "" },
      requests: 1,
      says: "answered 304",
    },
  ])("$why", async ({ step, requests, says }) => {
    const server = await openScript(step);
    const { client } = openClient();
    await expect(client.postJson({ url: server.origin, body: ask })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringMatching(new RegExp(`^${server.origin} .*${says}`)),
    });
    expect(server.arrived).toHaveLength(requests);
    expect(client.counters()).toMatchObject({ requests, retries: requests - 1 });
  });

  it("says how often it tried", async () => {
    const server = await openScript(503);
    const { client } = openClient({ settings: { attemptsMax: 2 } });
    await expect(client.postJson({ url: server.origin, body: ask })).rejects.toThrow(
      `${server.origin} answered 503 (given up after 2 attempts)`,
    );
  });

  it("a 500 no oftener than all attempts together", async () => {
    const server = await openScript(500);
    const { client } = openClient({ settings: { attemptsMax: 2 } });
    await expect(client.postJson({ url: server.origin, body: ask })).rejects.toThrow("500");
    expect(server.arrived).toHaveLength(2);
  });
});

describe("a source that reads what failed", () => {
  const failureOf = (body: unknown) => {
    const said = JSON.stringify(body);
    if (!said.includes("errors")) return undefined;
    return { passing: said.includes("busy") ? 'says "busy"' : undefined };
  };
  const BUSY = { text: '{"errors":["busy"]}' };
  const BROKEN = { status: 500, text: '{"errors":["broken"]}' };

  it.each([
    { why: "a 500 that passes", steps: [{ status: 500, ...BUSY }, 200], status: 200, requests: 2 },
    { why: "a 200 that passes", steps: [{ status: 200, ...BUSY }, 200], status: 200, requests: 2 },
    { why: "a 500 that will not pass, which it judges", steps: [BROKEN], status: 500, requests: 1 },
    { why: "a 400, which cannot pass", steps: [{ status: 400, ...BUSY }], status: 400, requests: 1 },
    { why: "a 500 that says nothing", steps: [500, 200], status: 200, requests: 2 },
    { why: "a 500 without JSON", steps: [{ status: 500, text: HTML }, 200], status: 200, requests: 2 },
  ])("$why", async ({ steps, status, requests }) => {
    const server = await openScript(...steps);
    const answer = await openClient().client.postJson({ url: server.origin, body: ask, failureOf });
    expect(answer.status).toBe(status);
    expect(server.arrived).toHaveLength(requests);
  });

  it.each([
    { why: "a fault that stays", step: { status: 500, ...BUSY }, requests: 12, says: 'says "busy"' },
    { why: "a 500 without JSON", step: { status: 500, text: HTML }, requests: 3, says: "answered 500" },
  ])("is told of $why", async ({ step, requests, says }) => {
    const server = await openScript(200, step);
    const { client } = openClient();
    const asking = () => client.postJson({ url: server.origin, body: ask, failureOf });
    await asking();
    await expect(asking()).rejects.toThrow(`${server.origin} ${says} (given up after ${requests} attempts)`);
  });
});

it("counts requests, retries, unpacked bytes and rate limits", async () => {
  const server = await openScript(429, 500, { status: 200, text: "[1,2]" });
  const { client } = openClient();
  await client.postJson({ url: server.origin, body: ask });
  // Of the 500 the body is read too: it may say what failed.
  expect(client.counters()).toEqual({ requests: 3, retries: 2, bytes: 14 + 5, rateLimited: 1 });
  const before = client.counters();
  await client.postJson({ url: server.origin, body: ask });
  expect(before.requests).toBe(3);
  expect(client.counters()).toEqual({ requests: 4, retries: 2, bytes: 14 + 10, rateLimited: 1 });
});

closeAfterEach();

/** A server that is out of order while its switch says so, and a client that is not paced. */
async function open() {
  const time = createVirtualTime();
  const isOut = { now: false };
  const next: number[] = [];
  const server = await openServer((response) =>
    sendJson(response, next.shift() ?? (isOut.now ? 503 : 200), {}),
  );
  const { client } = openClient({ ...time, settings: { requestsPerMinute: 60_000_000 } });
  const attempts = async (ask: () => Promise<unknown>) => {
    const before = server.arrived.length;
    const end = await ask().then(
      () => "answered",
      () => "failed",
    );
    return [end, server.arrived.length - before] as const;
  };
  const ask = () => attempts(() => client.postJson({ url: server.origin, body: {} }));
  return { time, isOut, next, server, client, ask, attempts };
}

/** Sends a request whose first attempts fail, of the same origin as those of the test. */
async function askOdd(client: HttpClient, server: LoopbackServer, failures: number) {
  let left = failures;
  const failureOf = () => {
    left -= 1;
    return left >= 0 ? { passing: "is busy" } : undefined;
  };
  return client.postJson({ url: server.origin, body: {}, failureOf });
}

describe("an outage", () => {
  it("of a minute and a half is waited for at any chance, and of three minutes at none", async () => {
    for (const { chance, leastMs, mostMs } of [
      { chance: 0, leastMs: 90_000, mostMs: 95_000 },
      { chance: 0.999, leastMs: 175_000, mostMs: 185_000 },
    ]) {
      const { isOut, server } = await open();
      const time = createVirtualTime(0, chance);
      const { client } = openClient({ ...time, settings: { requestsPerMinute: 60_000_000 } });
      await client.postJson({ url: server.origin, body: {} });
      isOut.now = true;
      await expect(client.postJson({ url: server.origin, body: {} })).rejects.toThrow("after 12 attempts");
      expect(time.nowMs()).toBeGreaterThan(leastMs);
      expect(time.nowMs()).toBeLessThan(mostMs);
    }
  });

  it("is waited for once: while it lasts every other request is sent once, and after it none is given up", async () => {
    const { isOut, ask } = await open();
    expect(await ask()).toEqual(["answered", 1]);
    isOut.now = true;
    expect(await ask()).toEqual(["failed", 12]);
    expect(await ask()).toEqual(["failed", 1]);
    expect(await ask()).toEqual(["failed", 1]);
    isOut.now = false;
    expect(await ask()).toEqual(["answered", 1]);
    isOut.now = true;
    expect(await ask()).toEqual(["failed", 12]);
  });

  it("is over as soon as the origin asks for patience", async () => {
    const { isOut, next, ask } = await open();
    await ask();
    isOut.now = true;
    await ask();
    isOut.now = false;
    next.push(429, 429, 503);
    expect(await ask()).toEqual(["answered", 4]);
  });

  it("from the start may be a wrong address, and is waited for less", async () => {
    const { isOut, ask } = await open();
    isOut.now = true;
    expect(await ask()).toEqual(["failed", 6]);
    expect(await ask()).toEqual(["failed", 1]);
  });

  it("from the start that the origin itself explains is one like any other", async () => {
    const { server, client, attempts } = await open();
    expect(await attempts(() => askOdd(client, server, Infinity))).toEqual(["failed", 12]);
  });

  it("is none where only one request fails and another is answered meanwhile", async () => {
    const { server, time, attempts } = await open();
    let another: (() => Promise<unknown>) | undefined;
    const sleep = async (waitMs: number, signal: AbortSignal) => {
      const ask = waitMs > 1 ? another : undefined;
      if (ask !== undefined) another = undefined;
      await ask?.();
      await time.sleep(waitMs, signal);
    };
    const { client } = openClient({ ...time, sleep, settings: { requestsPerMinute: 60_000_000 } });
    another = () => client.postJson({ url: server.origin, body: {} });
    // One of them is the other request.
    expect(await attempts(() => askOdd(client, server, Infinity))).toEqual(["failed", 13]);
    expect(await attempts(() => askOdd(client, server, 3))).toEqual(["answered", 4]);
  });
});
