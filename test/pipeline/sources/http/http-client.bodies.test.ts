import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sleepOnTimer } from "../../../../pipeline/sources/http/http-settings.ts";
import { type Answering, closeAfterEach, openClient, openServer, sendJson } from "./loopback-server.ts";

closeAfterEach();

const value = { data: { votes: ["ä", 1, null] } };
const json = Buffer.from(JSON.stringify(value));

/** What the door says of an answer past its caps: as if the other side had refused to say so much. */
const TOO_MUCH = { status: 413, body: undefined };

/** A server that sends these bytes under this encoding. */
async function openSending(bytes: Buffer, encoding?: string) {
  return openServer((response) => {
    response.writeHead(200, encoding === undefined ? {} : { "content-encoding": encoding }).end(bytes);
  });
}

describe("packed answers", () => {
  it.each([
    { why: "as it is", bytes: json, encoding: undefined },
    { why: "as it is, and said so", bytes: json, encoding: "identity" },
    { why: "gzip", bytes: gzipSync(json), encoding: "gzip" },
    { why: "gzip in capitals", bytes: gzipSync(json), encoding: "GZIP" },
    { why: "gzip by its old name", bytes: gzipSync(json), encoding: "x-gzip" },
    { why: "deflate", bytes: deflateSync(json), encoding: "deflate" },
    { why: "brotli", bytes: brotliCompressSync(json), encoding: "br" },
  ])("$why", async ({ bytes, encoding }) => {
    const server = await openSending(bytes, encoding);
    const { client } = openClient();
    expect((await client.postJson({ url: server.origin, body: {} })).body).toEqual(value);
    expect(client.counters().bytes).toBe(json.byteLength);
    expect(server.arrived[0]!.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });
});

describe("the cap counts what comes out", () => {
  // 300 MB of spaces, packed to 292 kB.
  const bomb = gzipSync(Buffer.alloc(300_000_000, " "));

  it("stops a bomb at the cap", async () => {
    const bytesMax = 1_000_000;
    expect(bomb.byteLength).toBeLessThan(300_000);
    const server = await openSending(bomb, "gzip");
    const { client } = openClient({ settings: { responseBytesMax: bytesMax } });
    expect(await client.postJson({ url: server.origin, body: {} })).toEqual(TOO_MUCH);
    expect(server.arrived).toHaveLength(1);
    expect(client.counters().bytes).toBeGreaterThan(bytesMax);
    expect(client.counters().bytes).toBeLessThan(bytesMax + 200_000);
  });

  it.each([
    { why: "bytes as they are", bytes: json, encoding: undefined },
    { why: "gzip", bytes: gzipSync(json), encoding: "gzip" },
  ])("takes exactly the cap and not one byte more: $why", async ({ bytes, encoding }) => {
    const server = await openSending(bytes, encoding);
    const asked = (responseBytesMax: number) =>
      openClient({ settings: { responseBytesMax } }).client.postJson({ url: server.origin, body: {} });
    expect((await asked(json.byteLength)).body).toEqual(value);
    expect(await asked(json.byteLength - 1)).toEqual(TOO_MUCH);
  });

  it("holds for a refusal too", async () => {
    const server = await openServer((response) => {
      response.writeHead(400, { "content-encoding": "gzip" }).end(bomb);
    });
    expect(await openClient().client.postJson({ url: server.origin, body: {} })).toEqual(TOO_MUCH);
  });

  it("leaves an endless body of what is tried again, and its connection", async () => {
    let closed = 0;
    const server = await openServer((response) => {
      response.writeHead(503);
      const more = () => {
        while (!response.closed && response.write(Buffer.alloc(10_000)));
      };
      response.on("drain", more).on("close", () => {
        closed += 1;
      });
      more();
    });
    const { client } = openClient({ settings: { attemptTimeoutMs: 5000, attemptsMax: 2 } });
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toThrow("answered 503");
    await expect.poll(() => closed).toBe(2);
  });

  it("does not even read the body of what is tried again", async () => {
    const server = await openServer((response) => {
      response.writeHead(503, { "content-encoding": "gzip" }).end(bomb);
    });
    const { client } = openClient();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toThrow("answered 503");
    expect(client.counters().bytes).toBe(0);
  });
});

describe("what JSON may hold", () => {
  const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));

  it.each([
    { why: "the deepest that may be", bytes: nested(64) },
    { why: "brackets in a text", bytes: Buffer.from(JSON.stringify("[".repeat(500))) },
  ])("takes $why", async ({ bytes }) => {
    const server = await openSending(bytes);
    expect((await openClient().client.postJson({ url: server.origin, body: {} })).status).toBe(200);
  });

  it.each([{ why: "a level too deep", bytes: nested(65), requests: 1, says: "deeper than 64 levels" }])(
    "refuses $why",
    async ({ bytes, requests, says }) => {
      const server = await openSending(bytes);
      await expect(openClient().client.postJson({ url: server.origin, body: {} })).rejects.toThrow(says);
      expect(server.arrived).toHaveLength(requests);
    },
  );

  it.each([
    { why: "the most values that may be", values: 250_000, answered: { status: 200 } },
    { why: "one value too many", values: 250_001, answered: TOO_MUCH },
  ])("$why: a 413 is what says so", async ({ values, answered }) => {
    // A list is a value itself, and its text holds a comma less than values.
    const server = await openSending(Buffer.from(`[${"1,".repeat(values - 2)}1]`));
    const answer = await openClient().client.postJson({ url: server.origin, body: {} });
    expect(answer).toMatchObject(answered);
    expect(server.arrived).toHaveLength(1);
  });
});

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
