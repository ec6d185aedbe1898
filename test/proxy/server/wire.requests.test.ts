import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestIds } from "../../../proxy/server/wire.ts";
import { publishFixture } from "../../support/published-set.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  asked,
  BAD,
  checkWireRow,
  GOOD,
  IS_OLD_PARSER,
  LARGE,
  LAST,
  METHOD,
  NONE,
  post,
  request,
  type WireRow,
} from "../support/wire-row.ts";

const folder = temporaryFolder();
let proxy: ListeningProxy;

beforeAll(async () => {
  await publishFixture(join(folder, "published"));
  proxy = await createListeningProxy({ folder, published: join(folder, "published") });
});
afterAll(() => proxy.close());

/** One answer, 400, and nothing charged where a row does not say otherwise. */
const MALFORMED: readonly Partial<WireRow>[] = [
  { why: "no HTTP", send: ["GARBAGE\r\n\r\n"] },
  { why: "a handshake of TLS", send: ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"] },
  { why: "an escape that is none", send: [request([], { start: "GET /v1/daos/%zz HTTP/1.1" }) + GOOD] },
  { why: "an escape cut off", send: [request([], { start: "GET /v1/daos/%f HTTP/1.1" })] },
  { why: "an escape of broken UTF-8", send: [request([], { start: "GET /v1/daos/%ff HTTP/1.1" })] },
  { why: "no Host, and nothing behind it", send: [request([], { host: [] }) + GOOD] },
  { why: "two Hosts", send: [request(["host: y"]) + GOOD] },
  { why: "two Hosts in HTTP/1.0", send: [request(["host: y"], { start: "GET /v1/dgi HTTP/1.0" })] },
  {
    why: "a body in chunks by HTTP/1.0",
    send: [request(["Transfer-Encoding: chunked"], { start: "POST /v1/dgi HTTP/1.0", body: "0\r\n\r\n" })],
  },
  { why: "GET of length 00", send: [request(["Content-Length: 00"])] },
  { why: "a method nobody knows", send: [request([], { start: "BREW /v1/dgi HTTP/1.1" })] },
  { why: "a method in other case", send: [request([], { start: "get /v1/dgi HTTP/1.1" })] },
  { why: "a method of RTSP", send: [request([], { start: "DESCRIBE /v1/dgi RTSP/1.0" })] },
  { why: "HTTP/2.0", send: [request([], { start: "GET /v1/dgi HTTP/2.0" })] },
  { why: "the preface of HTTP/2", send: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] },
  { why: "HTTP/1.2", send: [request([], { start: "GET /v1/dgi HTTP/1.2" })] },
  { why: "HTTP/0.9 with a version", send: [request([], { start: "GET /v1/dgi HTTP/0.9" })] },
  { why: "HTTP/0.9 without one", send: ["GET /v1/dgi\r\n\r\n"] },
  { why: "a space in the target", send: [request([], { start: "GET /v1/dgi x HTTP/1.1" })] },
  { why: "CONNECT", send: [`CONNECT example:443 HTTP/1.1\r\nHost: example\r\n\r\n${GOOD}`], want: [METHOD] },
  { why: "CONNECT to a path", send: [request([], { start: "CONNECT /v1/dgi HTTP/1.1" })], want: [METHOD] },
  {
    why: "CONNECT behind a good one",
    send: [`${GOOD}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
    want: ["200", METHOD],
    charged: 1,
  },
  { why: "GET with a body", send: [request(["Content-Length: 2"], { body: "hi" }) + GOOD] },
  { why: "GET in chunks", send: [request(["Transfer-Encoding: chunked"], { body: "0\r\n\r\n" }) + GOOD] },
  {
    why: "HEAD with a body",
    send: [request(["Content-Length: 2"], { start: "HEAD /v1/dgi HTTP/1.1", body: "hi" })],
    want: ["400"],
  },
  {
    why: "both framings",
    send: [post(["Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n") + GOOD],
  },
  {
    why: "both framings, the other way round",
    send: [post(["Transfer-Encoding: chunked", "Content-Length: 2"], "0\r\n\r\n")],
  },
  { why: "a coding of its own", send: [post(["Transfer-Encoding: xchunked"])] },
  { why: "a coding of its own on GET", send: [request(["Transfer-Encoding: xchunked"]) + GOOD] },
  {
    why: "chunks twice",
    send: [post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n")],
  },
  { why: "two lengths", send: [post(["Content-Length: 2", "Content-Length: 2"], "hi")] },
  { why: "a length with a sign", send: [post(["Content-Length: +2"], "hi")] },
  { why: "an empty length", send: [post(["Content-Length:"], "hi")] },
  { why: "a length beyond counting", send: [post([`Content-Length: ${"9".repeat(30)}`])] },
  { why: "a folded line", send: [request(["a: b\r\n c"])] },
  {
    why: "a space before the colon",
    send: [request(["a : b", "Connection: close"])],
    want: [IS_OLD_PARSER ? "200" : BAD],
    charged: IS_OLD_PARSER ? 1 : 0,
  },
  { why: "NUL in a value", send: [request(["a: b\0c"])] },
  { why: "CR in a value", send: [request(["a: b\rc"])] },
  { why: "lines that end with LF alone", send: [GOOD.replaceAll("\r\n", "\n")] },
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
  },
  { why: "2,000 lines", send: [request(Array(2_000).fill("a:"))], want: [LARGE] },
  { why: "9 KB of one header", send: [request([`a: ${"a".repeat(9_000)}`]) + GOOD], want: [LARGE] },
  {
    why: "9 KB of URL",
    send: [request([], { start: `GET /v1/daos/${"a".repeat(9_000)} HTTP/1.1` })],
    want: [LARGE],
  },
];

/** One answer, 200, and one unit where a row does not say otherwise. */
const WELL_FORMED: readonly Partial<WireRow>[] = [
  { why: "one and close", send: [LAST] },
  { why: "empty lines before it", send: [`\r\n\r\n${LAST}`] },
  { why: "byte by byte", isByteByByte: true, send: [LAST] },
  { why: "two, pipelined", send: [GOOD + LAST], want: ["200", "200"], charged: 2 },
  {
    why: "two, the second in halves",
    send: [GOOD + LAST.slice(0, 30), LAST.slice(30)],
    want: ["200", "200"],
    charged: 2,
  },
  {
    why: "answers keep their order",
    send: [asked("GET /v1/x HTTP/1.1").replace("close", "keep-alive") + GOOD + LAST],
    want: [NONE, "200", "200"],
    charged: 3,
  },
  { why: "what follows a close is not asked", send: [LAST + GOOD] },
  { why: "an empty line after a close", send: [`${LAST}\r\n`] },
  { why: "garbage after a close", send: [`${LAST}garbage`] },
  { why: "HTTP/1.0 without a Host", send: [request([], { start: "GET /v1/dgi HTTP/1.0", host: [] })] },
  { why: "a Host of nothing", send: [request(["Connection: close"], { host: ["Host:"] })] },
  {
    why: "a query that is no escape, for the endpoint to judge",
    send: [asked("GET /v1/daos?a=%zz HTTP/1.1")],
    want: ["400 INVALID_PARAMETER"],
  },
  { why: "GET of length 0", send: [request(["Content-Length: 0", "Connection: close"])] },
  { why: "HTTP/1.0 ends the connection", send: [request([], { start: "GET /v1/dgi HTTP/1.0" }) + GOOD] },
  { why: "HEAD", send: [asked("HEAD /v1/dgi HTTP/1.1")] },
  { why: "absolute form", send: [asked("GET http://x/v1/dgi HTTP/1.1")] },
  { why: "absolute form, no such route", send: [asked("GET http://x/v1/dgi/ HTTP/1.1")], want: [NONE] },
  { why: "asterisk form", send: [asked("OPTIONS * HTTP/1.1")], want: [NONE], charged: 0 },
  { why: "asterisk form with GET", send: [asked("GET * HTTP/1.1")], want: [NONE], charged: 0 },
  {
    why: "22: QUERY",
    send: [asked("QUERY /v1/dgi HTTP/1.1")],
    want: [IS_OLD_PARSER ? BAD : METHOD],
    charged: IS_OLD_PARSER ? 0 : 1,
  },
  { why: "22: TRACE echoes nothing", send: [asked("TRACE /v1/dgi HTTP/1.1")], want: [METHOD] },
  { why: "22: PROPFIND", send: [asked("PROPFIND /v1/dgi HTTP/1.1")], want: [METHOD] },
  {
    why: "22: POST without a body keeps the connection",
    send: [post([]) + LAST],
    want: [METHOD, "200"],
    charged: 2,
  },
  {
    why: "22: a body ends the connection, and is no request",
    send: [post([`Content-Length: ${GOOD.length}`], GOOD)],
    want: [METHOD],
  },
  {
    why: "22: chunks that are none come too late to matter",
    send: [post(["Transfer-Encoding: chunked"], "zz\r\n")],
    want: [METHOD],
  },
  { why: "22: SOURCE of another protocol", send: [asked("SOURCE /v1/dgi ICE/1.0")], want: [METHOD] },
  { why: "24: OPTIONS", send: [asked("OPTIONS /v1/dgi HTTP/1.1")], want: ["204"], charged: 0 },
  { why: "an expectation of its own", send: [request(["Expect: tea", "Connection: close"])] },
  {
    why: "nobody is told to go on with a body",
    send: [post(["Expect: 100-continue", "Content-Length: 2"])],
    want: [METHOD],
  },
  { why: "nor without one", send: [request(["Expect: 100-continue", "Connection: close"])] },
  {
    why: "no websocket",
    send: [request(["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"])],
  },
  { why: "no h2c, and nothing behind it", send: [request(["Upgrade: h2c", "Connection: Upgrade"]) + GOOD] },
  {
    why: "2: two keys",
    send: [request(["X-API-Key: KEY", "Connection: close"])],
    want: ["401 INVALID_API_KEY"],
    charged: 0,
  },
  { why: "a name twice that does no harm", send: [request(["Accept: a", "Accept: b", "Connection: close"])] },
  {
    why: "16: an id of 7,900 characters",
    send: [asked(`GET /v1/daos/${"a".repeat(7_900)} HTTP/1.1`)],
    want: [NONE],
  },
  { why: "a hundred lines", send: [request([...Array(97).fill("a: b"), "Connection: close"])] },
  {
    why: "21: QUERY outside /v1",
    send: [asked("QUERY /healthz HTTP/1.1")],
    want: [IS_OLD_PARSER ? BAD : NONE],
    charged: 0,
  },
  {
    why: "21: POST outside /v1, with a body that somebody might parse",
    send: [
      request(["Content-Type: application/json", "Content-Length: 5"], {
        start: "POST /readyz HTTP/1.1",
        body: "{bad}",
      }),
    ],
    want: [NONE],
    charged: 0,
  },
  {
    why: "13: a parameter after a hash",
    send: [asked("GET /v1/daos#sort HTTP/1.1")],
    want: ["400 INVALID_PARAMETER"],
  },
  { why: "21: a fragment", send: [asked("GET /v1/dgi# HTTP/1.1")] },
];

describe("requests that are malformed: in the envelope, once, uncharged, and then closed", () => {
  it.each(MALFORMED)("$why", (row) => checkWireRow(proxy, { send: [], want: [BAD], charged: 0, ...row }));
});

describe("requests that are well-formed", () => {
  it.each(WELL_FORMED)("$why", (row) => checkWireRow(proxy, { send: [], want: ["200"], charged: 1, ...row }));
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
