import { describe, expect, it } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { type LoopbackServer, sendJson } from "./loopback-server.ts";
import { closeAfterEach, openClient, openServer } from "./opened.ts";
import { createVirtualTime } from "./virtual-time.ts";

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
