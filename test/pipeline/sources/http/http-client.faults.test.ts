import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { sleepOnTimer } from "../../../../pipeline/sources/http/http-settings.ts";
import { type Answering, sendJson } from "./loopback-server.ts";
import { closeAfterEach, openClient, openServer } from "./opened.ts";

closeAfterEach();

/** For what never comes; what comes has as long even on a busy machine. */
const SHORT_MS = 500;

describe("faults of the network", () => {
  const breaking: { why: string; answer: Answering }[] = [
    {
      why: "a connection broken off before the answer",
      answer: (response) => void response.socket?.destroy(),
    },
    {
      why: "a body cut below its length",
      answer(response) {
        response.writeHead(200, { "content-length": "100" }).write('{"data":');
        setImmediate(() => response.socket?.destroy());
      },
    },
    {
      why: "a chunked body cut",
      answer(response) {
        response.writeHead(200).write('{"data":');
        setImmediate(() => response.socket?.destroy());
      },
    },
    {
      why: "headers that do not come",
      answer: () => {},
    },
    {
      why: "a body that stops",
      answer: (response) => void response.writeHead(200).write('{"data":'),
    },
    {
      why: "something that is not HTTP",
      answer: (response) => void response.socket?.end("SSH-2.0-nonsense\r\n\r\n"),
    },
  ];
  // The longest is there to end the test, with another message, should the short ones not count.
  const settings = { headersTimeoutMs: SHORT_MS, bodyTimeoutMs: SHORT_MS, attemptTimeoutMs: 10_000 };

  it.each(breaking)("$why passes", async ({ answer }) => {
    const server = await openServer((response, index, arrived) =>
      index === 0 ? answer(response, index, arrived) : sendJson(response, 200, { ok: true }),
    );
    const { client } = openClient({ settings });
    expect((await client.postJson({ url: server.origin, body: {} })).body).toEqual({ ok: true });
    expect(client.counters()).toMatchObject({ requests: 2, retries: 1 });
  });

  it("nobody listening is tried as often as any fault", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const { client } = openClient();
    await expect(client.postJson({ url: `http://127.0.0.1:${port}`, body: {} })).rejects.toThrow(
      `http://127.0.0.1:${port} refused the connection (given up after 6 attempts)`,
    );
  });

  it("a server that was restarted is found again", async () => {
    const server = await openServer((response, index) => {
      sendJson(response, 200, { index });
      // Kept connections end between two requests, as when a server restarts.
      if (index === 0) response.on("finish", () => setImmediate(() => response.socket?.destroy()));
    });
    const { client } = openClient();
    await client.postJson({ url: server.origin, body: {} });
    expect((await client.postJson({ url: server.origin, body: {} })).status).toBe(200);
  });
});

describe("closing", () => {
  const closed = { code: "SOURCE_FAILED", message: "the network client was closed" };

  it("ends a request that is under way, the one that waits for room, and all that come after", async () => {
    let close = async () => {};
    const server = await openServer(() => void close());
    const { client } = openClient({ settings: { concurrencyMax: 1 } });
    close = () => client.close();
    const both = [1, 2].map(() => client.postJson({ url: server.origin, body: {} }));
    for (const { status, reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[]) {
      expect(status).toBe("rejected");
      expect(reason).toMatchObject(closed);
    }
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
    expect([server.arrived.length, client.counters().requests]).toEqual([1, 1]);
  });

  it("ends a body in its middle", async () => {
    let close = async () => {};
    const server = await openServer((response) => {
      response.writeHead(200).write('{"data":');
      setImmediate(() => void close());
    });
    const { client } = openClient();
    close = () => client.close();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
  });

  it.each([
    { why: "a back-off", status: 502, headers: {} },
    { why: "a pause that the origin asked for", status: 429, headers: { "retry-after": "100" } },
  ])("ends $why on a real timer", async ({ status, headers }) => {
    let close = async () => {};
    const sleep = (waitMs: number, signal: AbortSignal) => {
      setImmediate(() => void close());
      return sleepOnTimer(waitMs, signal);
    };
    const server = await openServer((response) => sendJson(response, status, {}, headers));
    const settings = { backOffFirstMs: 100_000, backOffLongestMs: 100_000 };
    const { client } = openClient({ sleep, settings });
    close = () => client.close();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
    expect(server.arrived).toHaveLength(1);
  });
});
