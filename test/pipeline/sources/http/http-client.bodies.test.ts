import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { faultOfError, httpFault } from "../../../../pipeline/sources/http/http-fault.ts";
import { httpSettings } from "../../../../pipeline/sources/http/http-settings.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";
import {
  type Answering,
  closeAfterEach,
  openClient,
  openServer,
  postOnce,
  sendJson,
} from "./loopback-server.ts";

closeAfterEach();

const value = { data: { votes: ["ä", 1, null] } };
const json = Buffer.from(JSON.stringify(value));

/** What an answer over our limits is: as if the other side had refused to say so much. */
const TOO_MUCH = { status: 413, body: undefined };

const sending =
  (bytes: Buffer | string, encoding?: string, status = 200): Answering =>
  (response) =>
    void response
      .writeHead(status, encoding === undefined ? {} : { "content-encoding": encoding })
      .end(bytes);

describe("a body", () => {
  it.each([
    ["as it is", json, undefined],
    ["as it is, and said so", json, "identity"],
    ["gzip", gzipSync(json), "gzip"],
    ["gzip in capitals", gzipSync(json), "GZIP"],
    ["gzip by its old name", gzipSync(json), "x-gzip"],
    ["deflate", deflateSync(json), "deflate"],
    ["brotli", brotliCompressSync(json), "br"],
  ])("is unpacked and counted: %s, and no byte more than may be", async (_why, bytes, encoding) => {
    const asked = (responseBytesMax: number) =>
      postOnce(sending(bytes, encoding), { settings: { responseBytesMax } });
    const { answered, client, server } = await asked(json.byteLength);
    expect(answered?.body).toEqual(value);
    expect(client.counters().bytes).toBe(json.byteLength);
    expect(server.arrived[0]!.headers["accept-encoding"]).toBe("gzip, deflate, br");
    expect((await asked(json.byteLength - 1)).answered).toEqual(TOO_MUCH);
  });

  it("is refused in an encoding that nobody asked for, and in several", async () => {
    for (const encoding of ["zstd", "gzip, gzip"]) {
      const { error, server } = await postOnce(sending(gzipSync(gzipSync(json)), encoding));
      expect(error?.message).toBe(`${server.origin} used an unsupported content-encoding`);
      expect(server.arrived).toHaveLength(1);
    }
  });

  // 300 MB of spaces, packed to 292 kB.
  const bomb = gzipSync(Buffer.alloc(300_000_000, " "));

  it.each([200, 400])("that is a bomb is left at the cap, with status %i", async (status) => {
    const bytesMax = 1_000_000;
    const { answered, server, client } = await postOnce(sending(bomb, "gzip", status), {
      settings: { responseBytesMax: bytesMax },
    });
    expect(answered).toEqual(TOO_MUCH);
    expect(server.arrived).toHaveLength(1);
    expect(client.counters().bytes).toBeGreaterThan(bytesMax);
    expect(client.counters().bytes).toBeLessThan(bytesMax + 200_000);
  });

  it("of what is tried again is not even read", async () => {
    const { error, client } = await postOnce(sending(bomb, "gzip", 503));
    expect(error?.message).toContain("answered 503");
    expect(client.counters().bytes).toBe(0);
  });

  it("without end, of what is tried again, is left with its connection", async () => {
    let closed = 0;
    const endless: Answering = (response) => {
      response.writeHead(503);
      const more = () => {
        while (!response.closed && response.write(Buffer.alloc(10_000)));
      };
      response.on("drain", more).on("close", () => {
        closed += 1;
      });
      more();
    };
    const { error } = await postOnce(endless, { settings: { attemptTimeoutMs: 5000, attemptsMax: 2 } });
    expect(error?.message).toContain("answered 503");
    await expect.poll(() => closed).toBe(2);
  });

  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  // A list is a value itself, and its text holds a comma less than values.
  const many = (values: number) => `[${"1,".repeat(values - 2)}1]`;

  it.each([
    ["the deepest that may be", nested(64), { status: 200 }],
    ["brackets in a text", JSON.stringify("[".repeat(500)), { status: 200 }],
    ["a level too deep", nested(65), undefined],
    ["the most values that may be", many(250_000), { status: 200 }],
    ["one value too many", many(250_001), TOO_MUCH],
  ])("of JSON with %s", async (_why, text, answer) => {
    const { answered, error, server } = await postOnce(sending(text));
    if (answer !== undefined) expect(answered).toMatchObject(answer);
    else expect(error?.message).toBe(`${server.origin} sent an answer that is nested deeper than 64 levels`);
    expect(server.arrived).toHaveLength(1);
  });
});

describe("a fault of the network", () => {
  /** For what never comes; what comes has as long even on a busy machine. */
  const SHORT_MS = 500;
  // The longest is there to end the test, with another message, should the short ones not count.
  const settings = { headersTimeoutMs: SHORT_MS, bodyTimeoutMs: SHORT_MS, attemptTimeoutMs: 10_000 };

  it.each<[why: string, answer: Answering]>([
    ["a connection broken off before the answer", (response) => void response.socket?.destroy()],
    [
      "a body cut below its length",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write('{"data":');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    [
      "a chunked body cut",
      (response) => {
        response.writeHead(200).write('{"data":');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    ["headers that do not come", () => {}],
    ["a body that stops", (response) => void response.writeHead(200).write('{"data":')],
    ["something that is not HTTP", (response) => void response.socket?.end("SSH-2.0-nonsense\r\n\r\n")],
  ])("passes: %s", async (_why, answer) => {
    const { answered, client } = await postOnce(
      (response, index, arrived) =>
        index === 0 ? answer(response, index, arrived) : sendJson(response, 200, { ok: true }),
      { settings },
    );
    expect(answered?.body).toEqual({ ok: true });
    expect(client.counters()).toMatchObject({ requests: 2, retries: 1 });
  });

  it("that nobody listens is tried as often as any", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    await expect(openClient().client.postJson({ url: `http://127.0.0.1:${port}`, body: {} })).rejects.toThrow(
      `http://127.0.0.1:${port} refused the connection (given up after 6 attempts)`,
    );
  });

  it("is none of a server that was restarted", async () => {
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

const coded = (code: string) => Object.assign(new Error("the key is s3cret"), { code });

describe("faultOfError", () => {
  it.each<[why: string, error: Error, kind: string, says: string]>([
    ["a refused connection", coded("ECONNREFUSED"), "passing", "refused"],
    ["an unknown host name", coded("ENOTFOUND"), "passing", "unknown host name"],
    ["a slow connection", coded("UND_ERR_CONNECT_TIMEOUT"), "passing", "connect"],
    ["a network fault not named here", coded("ENETRESET"), "passing", "with ENETRESET"],
    ["a handshake that failed", coded("ERR_SSL_WRONG_VERSION_NUMBER"), "passing", "ERR_SSL_"],
    [
      "addresses none of which answers",
      new AggregateError([coded("EHOSTUNREACH")]),
      "passing",
      "EHOSTUNREACH",
    ],
    ["a certificate of its own making", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), "final", "not trusted"],
    ["an old certificate", coded("CERT_HAS_EXPIRED"), "final", "expired"],
    ["another host's certificate", coded("ERR_TLS_CERT_ALTNAME_INVALID"), "final", "another host"],
    ["endless headers", coded("UND_ERR_HEADERS_OVERFLOW"), "final", "too long"],
    ["cut packing", coded("Z_BUF_ERROR"), "passing", "truncated"],
    ["broken packing", coded("Z_DATA_ERROR"), "garbled", "decoded"],
    ["broken brotli", coded("ERR__ERROR_FORMAT_PADDING_1"), "garbled", "decoded"],
  ])("tells %s without quoting it", (_why, error, kind, says) => {
    const fault = faultOfError(error);
    expect(fault).toBeInstanceOf(Failure);
    expect(fault).toMatchObject({ data: { kind }, message: expect.stringContaining(says) });
    expect(inspect(fault, { showHidden: true })).not.toContain("s3cret");
  });

  it.each([
    { why: "a fault", error: httpFault("final", "answered 400") },
    { why: "a defect of ours", error: new TypeError("x is not a function") },
    { why: "an error with a code of another kind", error: coded("s3cret") },
    { why: "several errors of no kind", error: new AggregateError([]) },
    { why: "what is no error", error: "text" },
  ])("gives $why back as it is", ({ error }) => {
    expect(faultOfError(error)).toBe(error);
  });
});

it("fills in the settings that are not given", () => {
  const given = { attemptsMax: 2, requestsPerMinute: undefined };
  expect(httpSettings(given)).toMatchObject({ attemptsMax: 2, requestsPerMinute: 60 });
});
