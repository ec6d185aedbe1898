import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestIds } from "../../../proxy/server/wire.ts";
import { publishFixture } from "../../support/published-set.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  BAD,
  checkWireRow,
  GOOD,
  IS_OLD_PARSER,
  LARGE,
  METHOD,
  post,
  request,
  type WireRow,
} from "../support/wire-row.ts";

describe("malformed", () => {
  const folder = temporaryFolder();
  let proxy: ListeningProxy;

  beforeAll(async () => {
    await publishFixture(join(folder, "published"));
    proxy = await createListeningProxy({ folder, published: join(folder, "published") });
  });
  afterAll(() => proxy.close());

  const MALFORMED: readonly WireRow[] = [
    { why: "no HTTP", send: ["GARBAGE\r\n\r\n"], want: [BAD], charged: 0 },
    {
      why: "a handshake of TLS",
      send: ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
      want: [BAD],
      charged: 0,
    },
    {
      why: "an escape that is none",
      send: [request([], { start: "GET /v1/daos/%zz HTTP/1.1" }) + GOOD],
      want: [BAD],
      charged: 0,
    },
    {
      why: "an escape cut off",
      send: [request([], { start: "GET /v1/daos/%f HTTP/1.1" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "an escape of broken UTF-8",
      send: [request([], { start: "GET /v1/daos/%ff HTTP/1.1" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "no Host, and nothing behind it",
      send: [request([], { host: [] }) + GOOD],
      want: [BAD],
      charged: 0,
    },
    { why: "two Hosts", send: [request(["host: y"]) + GOOD], want: [BAD], charged: 0 },
    {
      why: "two Hosts in HTTP/1.0",
      send: [request(["host: y"], { start: "GET /v1/dgi HTTP/1.0" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "a body in chunks by HTTP/1.0",
      send: [request(["Transfer-Encoding: chunked"], { start: "POST /v1/dgi HTTP/1.0", body: "0\r\n\r\n" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "GET of length 00",
      send: [request(["Content-Length: 00"])],
      want: [BAD],
      charged: 0,
    },
    {
      why: "a method nobody knows",
      send: [request([], { start: "BREW /v1/dgi HTTP/1.1" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "a method in other case",
      send: [request([], { start: "get /v1/dgi HTTP/1.1" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "a method of RTSP",
      send: [request([], { start: "DESCRIBE /v1/dgi RTSP/1.0" })],
      want: [BAD],
      charged: 0,
    },
    { why: "HTTP/2.0", send: [request([], { start: "GET /v1/dgi HTTP/2.0" })], want: [BAD], charged: 0 },
    { why: "the preface of HTTP/2", send: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], want: [BAD], charged: 0 },
    { why: "HTTP/1.2", send: [request([], { start: "GET /v1/dgi HTTP/1.2" })], want: [BAD], charged: 0 },
    {
      why: "HTTP/0.9 with a version",
      send: [request([], { start: "GET /v1/dgi HTTP/0.9" })],
      want: [BAD],
      charged: 0,
    },
    { why: "HTTP/0.9 without one", send: ["GET /v1/dgi\r\n\r\n"], want: [BAD], charged: 0 },
    {
      why: "a space in the target",
      send: [request([], { start: "GET /v1/dgi x HTTP/1.1" })],
      want: [BAD],
      charged: 0,
    },
    {
      why: "CONNECT",
      send: [`CONNECT example:443 HTTP/1.1\r\nHost: example\r\n\r\n${GOOD}`],
      want: [METHOD],
      charged: 0,
    },
    {
      why: "CONNECT to a path",
      send: [request([], { start: "CONNECT /v1/dgi HTTP/1.1" })],
      want: [METHOD],
      charged: 0,
    },
    {
      why: "CONNECT behind a good one",
      send: [`${GOOD}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
      want: ["200", METHOD],
      charged: 1,
    },
    {
      why: "GET with a body",
      send: [request(["Content-Length: 2"], { body: "hi" }) + GOOD],
      want: [BAD],
      charged: 0,
    },
    {
      why: "GET in chunks",
      send: [request(["Transfer-Encoding: chunked"], { body: "0\r\n\r\n" }) + GOOD],
      want: [BAD],
      charged: 0,
    },
    {
      why: "HEAD with a body",
      send: [request(["Content-Length: 2"], { start: "HEAD /v1/dgi HTTP/1.1", body: "hi" })],
      want: ["400"],
      charged: 0,
    },
    {
      why: "both framings",
      send: [post(["Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n") + GOOD],
      want: [BAD],
      charged: 0,
    },
    {
      why: "both framings, the other way round",
      send: [post(["Transfer-Encoding: chunked", "Content-Length: 2"], "0\r\n\r\n")],
      want: [BAD],
      charged: 0,
    },
    { why: "a coding of its own", send: [post(["Transfer-Encoding: xchunked"])], want: [BAD], charged: 0 },
    {
      why: "a coding of its own on GET",
      send: [request(["Transfer-Encoding: xchunked"]) + GOOD],
      want: [BAD],
      charged: 0,
    },
    {
      why: "chunks twice",
      send: [post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n")],
      want: [BAD],
      charged: 0,
    },
    {
      why: "two lengths",
      send: [post(["Content-Length: 2", "Content-Length: 2"], "hi")],
      want: [BAD],
      charged: 0,
    },
    { why: "a length with a sign", send: [post(["Content-Length: +2"], "hi")], want: [BAD], charged: 0 },
    { why: "an empty length", send: [post(["Content-Length:"], "hi")], want: [BAD], charged: 0 },
    {
      why: "a length beyond counting",
      send: [post([`Content-Length: ${"9".repeat(30)}`])],
      want: [BAD],
      charged: 0,
    },
    { why: "a folded line", send: [request(["a: b\r\n c"])], want: [BAD], charged: 0 },
    {
      why: "a space before the colon",
      send: [request(["a : b", "Connection: close"])],
      want: [IS_OLD_PARSER ? "200" : BAD],
      charged: IS_OLD_PARSER ? 1 : 0,
    },
    { why: "NUL in a value", send: [request(["a: b\0c"])], want: [BAD], charged: 0 },
    { why: "CR in a value", send: [request(["a: b\rc"])], want: [BAD], charged: 0 },
    { why: "lines that end with LF alone", send: [GOOD.replaceAll("\r\n", "\n")], want: [BAD], charged: 0 },
    { why: "garbage behind a good one", send: [`${GOOD}GARBAGE\r\n\r\n`], want: ["200", BAD], charged: 1 },
    {
      why: "garbage behind three",
      send: [`${GOOD.repeat(3)}\0${GOOD}`],
      want: ["200", "200", "200", BAD],
      charged: 3,
    },
    {
      why: "no Host behind a good one",
      send: [GOOD + request([], { host: [] }) + GOOD],
      want: ["200", BAD],
      charged: 1,
    },
    { why: "garbage after an answer", send: [GOOD, "GARBAGE\r\n\r\n"], want: ["200", BAD], charged: 1 },
    {
      why: "101 lines, the key last",
      send: [
        request(Array(99).fill("a: b"))
          .replace(/x-api-key: KEY\r\n/, "")
          .replace("\r\n\r\n", "\r\na: b\r\nx-api-key: KEY\r\n\r\n"),
      ],
      want: [LARGE],
      charged: 0,
    },
    { why: "2,000 lines", send: [request(Array(2_000).fill("a:"))], want: [LARGE], charged: 0 },
    {
      why: "9 KB of one header",
      send: [request([`a: ${"a".repeat(9_000)}`]) + GOOD],
      want: [LARGE],
      charged: 0,
    },
    {
      why: "9 KB of URL",
      send: [request([], { start: `GET /v1/daos/${"a".repeat(9_000)} HTTP/1.1` })],
      want: [LARGE],
      charged: 0,
    },
  ];

  describe("requests that are not: in the envelope, once, uncharged, and then closed", () => {
    it.each(MALFORMED)("$why", (row) => checkWireRow(proxy, row));
  });
});

it("gives another id each time, of 96 bits in hex, and draws for many at once", () => {
  let draws = 0;
  const newId = createRequestIds((count) => {
    draws += 1;
    return randomBytes(count);
  });
  const ids = Array.from({ length: 2_000 }, newId);
  expect(new Set(ids).size).toBe(2_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(draws).toBe(8);
});

it("spells the very bytes it was given, each of them once", () => {
  let next = 0;
  const newId = createRequestIds((count) =>
    Uint8Array.from({ length: count }, () => {
      next += 1;
      return next % 251;
    }),
  );
  const spelt = Array.from({ length: 512 }, newId).join("");
  const wanted = Buffer.from(Array.from({ length: 512 * 12 }, (_, index) => (index + 1) % 251)).toString(
    "hex",
  );
  expect(spelt).toBe(wanted);
});
