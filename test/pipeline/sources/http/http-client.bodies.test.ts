import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { closeAfterEach, openClient, openServer } from "./opened.ts";

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
