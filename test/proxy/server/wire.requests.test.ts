import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestIds } from "../../../proxy/server/wire.ts";
import { exchange } from "../support/exchange.ts";
import { codeOf, faultsOf } from "../support/faults-of-answer.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { readAnswers } from "../support/read-answers.ts";

const { folder, published } = folderWithFixture();
let proxy: ListeningProxy;

beforeAll(async () => {
  proxy = await createListeningProxy({ folder, published });
});
afterAll(() => proxy.close());

/** A request on `/v1/dgi` with a key, and what a row changes about it. */
function request(
  lines: readonly string[] = [],
  {
    start = "GET /v1/dgi HTTP/1.1",
    host = ["Host: x"],
    body = "",
  }: { start?: string; host?: readonly string[]; body?: string } = {},
): string {
  return `${[start, ...host, "x-api-key: KEY", ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** The parser of the first releases of Node 20.19 refuses QUERY as no method, and drops a space before a colon. */
const IS_OLD_PARSER = !METHODS.includes("QUERY");

/** One that leaves the connection open, and one that does not. */
const GOOD = request();
const LAST = request(["Connection: close"]);
/** Status and code of what a row wants. */
const BAD = "400 INVALID_REQUEST";
const LARGE = "431 INVALID_REQUEST";
const METHOD = "405 METHOD_NOT_ALLOWED";
const NONE = "404 NOT_FOUND";
const PARAMETER = "400 INVALID_PARAMETER";
const CHUNKED = "Transfer-Encoding: chunked";
const LAST_CHUNK = "0\r\n\r\n";
/** A POST on the same path, and any other start line with the rest of it. */
const post = (lines: readonly string[], body = "") =>
  request(lines, { start: "POST /v1/dgi HTTP/1.1", body });
const asked = (start: string) => request(["Connection: close"], { start });
/** Another start line alone. */
const withStart = (start: string) => request([], { start });

/**
 * What is sent, where KEY stands for a key, in one packet or several; the status and code of every answer of the
 * connection, in their order; and how many units are charged.
 */
type WireRow = readonly [why: string, send: string | readonly string[], want?: string, charged?: number];

/** Sends what a row says, and looks at every answer, at what was charged, and at how the connection ended. */
async function checkRow(send: string | readonly string[], want: string, charged: number): Promise<void> {
  const texts = [send].flat().map((piece) => piece.replaceAll("KEY", proxy.keys.enterprise));
  const methods = texts[0]?.startsWith("HEAD") ? ["HEAD"] : [];
  const before = proxy.usedBy("enterprise");
  const { bytes, end } = await exchange(proxy.port, texts);
  const { answers, fault } = readAnswers(bytes, methods);
  expect(fault).toBeUndefined();
  const told = answers.map((answer) => [answer.status, codeOf(answer.bytes)].filter(Boolean).join(" "));
  expect(told.join(", ")).toBe(want);
  expect(answers.flatMap((answer) => faultsOf(answer, methods[0]))).toEqual([]);
  expect(proxy.usedBy("enterprise") - before).toBe(charged);
  // What is charged tells how much is left, and nothing else does.
  const counted = answers.filter(({ headers }) => headers["x-ratelimit-limit"] !== undefined);
  expect(counted).toHaveLength(charged);
  expect(answers.at(-1)?.headers["connection"]).toBe("close");
  expect(end).toBe("end");
}

/** One answer, 400, and nothing charged where a row does not say otherwise. */
const MALFORMED: readonly WireRow[] = [
  ["no HTTP", "GARBAGE\r\n\r\n"],
  ["a handshake of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["an escape that is none", withStart("GET /v1/daos/%zz HTTP/1.1") + GOOD],
  ["an escape cut off", withStart("GET /v1/daos/%f HTTP/1.1")],
  ["an escape of broken UTF-8", withStart("GET /v1/daos/%ff HTTP/1.1")],
  ["no Host, and nothing behind it", request([], { host: [] }) + GOOD],
  ["two Hosts", request(["host: y"]) + GOOD],
  ["two Hosts in HTTP/1.0", request(["host: y"], { start: "GET /v1/dgi HTTP/1.0" })],
  ["a body in chunks by HTTP/1.0", post([CHUNKED], LAST_CHUNK).replace("HTTP/1.1", "HTTP/1.0")],
  ["GET of length 00", request(["Content-Length: 00"])],
  ["a method nobody knows", withStart("BREW /v1/dgi HTTP/1.1")],
  ["a method in other case", withStart("get /v1/dgi HTTP/1.1")],
  ["a method of RTSP", withStart("DESCRIBE /v1/dgi RTSP/1.0")],
  ["HTTP/2.0", withStart("GET /v1/dgi HTTP/2.0")],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/1.2", withStart("GET /v1/dgi HTTP/1.2")],
  ["HTTP/0.9 with a version", withStart("GET /v1/dgi HTTP/0.9")],
  ["HTTP/0.9 without one", "GET /v1/dgi\r\n\r\n"],
  ["a space in the target", withStart("GET /v1/dgi x HTTP/1.1")],
  ["CONNECT", `CONNECT example:443 HTTP/1.1\r\nHost: example\r\n\r\n${GOOD}`, METHOD],
  ["CONNECT to a path", withStart("CONNECT /v1/dgi HTTP/1.1"), METHOD],
  ["CONNECT behind a good one", `${GOOD}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`, `200, ${METHOD}`, 1],
  ["GET with a body", request(["Content-Length: 2"], { body: "hi" }) + GOOD],
  ["GET in chunks", request([CHUNKED], { body: LAST_CHUNK }) + GOOD],
  ["HEAD with a body", request(["Content-Length: 2"], { start: "HEAD /v1/dgi HTTP/1.1", body: "hi" }), "400"],
  ["both framings", post(["Content-Length: 2", CHUNKED], LAST_CHUNK) + GOOD],
  ["both framings, the other way round", post([CHUNKED, "Content-Length: 2"], LAST_CHUNK)],
  ["a coding of its own", post(["Transfer-Encoding: xchunked"])],
  ["a coding of its own on GET", request(["Transfer-Encoding: xchunked"]) + GOOD],
  ["chunks twice", post([CHUNKED, CHUNKED], LAST_CHUNK)],
  ["two lengths", post(["Content-Length: 2", "Content-Length: 2"], "hi")],
  ["a length with a sign", post(["Content-Length: +2"], "hi")],
  ["an empty length", post(["Content-Length:"], "hi")],
  ["a length beyond counting", post([`Content-Length: ${"9".repeat(30)}`])],
  ["a folded line", request(["a: b\r\n c"])],
  [
    "a space before the colon",
    request(["a : b", "Connection: close"]),
    IS_OLD_PARSER ? "200" : BAD,
    IS_OLD_PARSER ? 1 : 0,
  ],
  ["NUL in a value", request(["a: b\0c"])],
  ["CR in a value", request(["a: b\rc"])],
  ["lines that end with LF alone", GOOD.replaceAll("\r\n", "\n")],
  ["garbage behind a good one", `${GOOD}GARBAGE\r\n\r\n`, `200, ${BAD}`, 1],
  ["garbage behind three", `${GOOD.repeat(3)}\0${GOOD}`, `200, 200, 200, ${BAD}`, 3],
  ["no Host behind a good one", GOOD + request([], { host: [] }) + GOOD, `200, ${BAD}`, 1],
  ["garbage after an answer", [GOOD, "GARBAGE\r\n\r\n"], `200, ${BAD}`, 1],
  [
    "101 lines, the key last",
    `GET /v1/dgi HTTP/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(99)}x-api-key: KEY\r\n\r\n`,
    LARGE,
  ],
  ["2,000 lines", request(Array(2_000).fill("a:")), LARGE],
  ["9 KB of one header", request([`a: ${"a".repeat(9_000)}`]) + GOOD, LARGE],
  ["9 KB of URL", withStart(`GET /v1/daos/${"a".repeat(9_000)} HTTP/1.1`), LARGE],
];

/** One answer, 200, and one unit where a row does not say otherwise. */
const WELL_FORMED: readonly WireRow[] = [
  ["one and close", LAST],
  ["empty lines before it", `\r\n\r\n${LAST}`],
  ["two, pipelined", GOOD + LAST, "200, 200", 2],
  ["two, the second in halves", [GOOD + LAST.slice(0, 30), LAST.slice(30)], "200, 200", 2],
  ["answers keep their order", withStart("GET /v1/x HTTP/1.1") + GOOD + LAST, `${NONE}, 200, 200`, 3],
  ["what follows a close is not asked", LAST + GOOD],
  ["an empty line after a close", `${LAST}\r\n`],
  ["garbage after a close", `${LAST}garbage`],
  ["HTTP/1.0 without a Host", request([], { start: "GET /v1/dgi HTTP/1.0", host: [] })],
  ["a Host of nothing", request(["Connection: close"], { host: ["Host:"] })],
  ["a query that is no escape, for the endpoint to judge", asked("GET /v1/daos?a=%zz HTTP/1.1"), PARAMETER],
  ["GET of length 0", request(["Content-Length: 0", "Connection: close"])],
  ["HTTP/1.0 ends the connection", withStart("GET /v1/dgi HTTP/1.0") + GOOD],
  ["HEAD", asked("HEAD /v1/dgi HTTP/1.1")],
  ["absolute form", asked("GET http://x/v1/dgi HTTP/1.1")],
  ["absolute form, no such route", asked("GET http://x/v1/dgi/ HTTP/1.1"), NONE],
  ["asterisk form", asked("OPTIONS * HTTP/1.1"), NONE, 0],
  ["asterisk form with GET", asked("GET * HTTP/1.1"), NONE, 0],
  ["22: QUERY", asked("QUERY /v1/dgi HTTP/1.1"), IS_OLD_PARSER ? BAD : METHOD, IS_OLD_PARSER ? 0 : 1],
  ["22: TRACE echoes nothing", asked("TRACE /v1/dgi HTTP/1.1"), METHOD],
  ["22: PROPFIND", asked("PROPFIND /v1/dgi HTTP/1.1"), METHOD],
  ["22: POST without a body keeps the connection", post([]) + LAST, `${METHOD}, 200`, 2],
  [
    "22: a body ends the connection, and is no request",
    post([`Content-Length: ${GOOD.length}`], GOOD),
    METHOD,
  ],
  ["22: chunks that are none come too late to matter", post([CHUNKED], "zz\r\n"), METHOD],
  ["22: SOURCE of another protocol", asked("SOURCE /v1/dgi ICE/1.0"), METHOD],
  ["24: OPTIONS", asked("OPTIONS /v1/dgi HTTP/1.1"), "204", 0],
  ["an expectation of its own", request(["Expect: tea", "Connection: close"])],
  ["nobody is told to go on with a body", post(["Expect: 100-continue", "Content-Length: 2"]), METHOD],
  ["nor without one", request(["Expect: 100-continue", "Connection: close"])],
  ["no websocket", request(["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"])],
  ["no h2c, and nothing behind it", request(["Upgrade: h2c", "Connection: Upgrade"]) + GOOD],
  ["2: two keys", request(["X-API-Key: KEY", "Connection: close"]), "401 INVALID_API_KEY", 0],
  ["a name twice that does no harm", request(["Accept: a", "Accept: b", "Connection: close"])],
  ["16: an id of 7,900 characters", asked(`GET /v1/daos/${"a".repeat(7_900)} HTTP/1.1`), NONE],
  ["a hundred lines", request([...Array(97).fill("a: b"), "Connection: close"])],
  ["21: QUERY outside /v1", asked("QUERY /healthz HTTP/1.1"), IS_OLD_PARSER ? BAD : NONE, 0],
  [
    "21: POST outside /v1, with a body that somebody might parse",
    post(["Content-Type: application/json", "Content-Length: 5"], "{bad}").replace("/v1/dgi", "/readyz"),
    NONE,
    0,
  ],
  ["13: a parameter after a hash", asked("GET /v1/daos#sort HTTP/1.1"), PARAMETER],
  ["21: a fragment", asked("GET /v1/dgi# HTTP/1.1")],
];

describe("requests that are malformed: in the envelope, once, uncharged, and then closed", () => {
  it.each(MALFORMED.map(([why, ...row]) => ({ why, row })))(
    "$why",
    ({ row: [send, want = BAD, charged = 0] }) => checkRow(send, want, charged),
  );
});

describe("requests that are well-formed", () => {
  it("byte by byte", () => checkRow([...LAST.replace("KEY", proxy.keys.enterprise)], "200", 1));

  it.each(WELL_FORMED.map(([why, ...row]) => ({ why, row })))(
    "$why",
    ({ row: [send, want = "200", charged = 1] }) => checkRow(send, want, charged),
  );
});

it("makes ids of 96 random bits in hex, each of its own bytes, which are drawn for many at once", () => {
  let [next, draws] = [0, 0];
  const newId = createRequestIds((count) => {
    draws += 1;
    return Uint8Array.from({ length: count }, () => {
      next += 1;
      return next % 251;
    });
  });
  const ids = Array.from({ length: 512 }, newId);
  const bytes = Array.from({ length: 512 * 12 }, (_, index) => (index + 1) % 251);
  expect(ids.join("")).toBe(Buffer.from(bytes).toString("hex"));
  for (const id of ids) expect(id).toHaveLength(24);
  expect(draws).toBe(2);
});
