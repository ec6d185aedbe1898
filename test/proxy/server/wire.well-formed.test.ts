import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { publishFixture } from "../../support/published-set.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  asked,
  BAD,
  checkWireRow,
  GOOD,
  IS_OLD_PARSER,
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

const WELL_FORMED: readonly WireRow[] = [
  { why: "one and close", send: [LAST], want: ["200"], charged: 1 },
  { why: "empty lines before it", send: [`\r\n\r\n${LAST}`], want: ["200"], charged: 1 },
  { why: "byte by byte", isByteByByte: true, send: [LAST], want: ["200"], charged: 1 },
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
  { why: "what follows a close is not asked", send: [LAST + GOOD], want: ["200"], charged: 1 },
  { why: "an empty line after a close", send: [`${LAST}\r\n`], want: ["200"], charged: 1 },
  { why: "garbage after a close", send: [`${LAST}garbage`], want: ["200"], charged: 1 },
  {
    why: "HTTP/1.0 without a Host",
    send: [request([], { start: "GET /v1/dgi HTTP/1.0", host: [] })],
    want: ["200"],
    charged: 1,
  },
  {
    why: "a Host of nothing",
    send: [request(["Connection: close"], { host: ["Host:"] })],
    want: ["200"],
    charged: 1,
  },
  {
    why: "a query that is no escape, for the endpoint to judge",
    send: [asked("GET /v1/daos?a=%zz HTTP/1.1")],
    want: ["400 INVALID_PARAMETER"],
    charged: 1,
  },
  {
    why: "GET of length 0",
    send: [request(["Content-Length: 0", "Connection: close"])],
    want: ["200"],
    charged: 1,
  },
  {
    why: "HTTP/1.0 ends the connection",
    send: [request([], { start: "GET /v1/dgi HTTP/1.0" }) + GOOD],
    want: ["200"],
    charged: 1,
  },
  { why: "HEAD", send: [asked("HEAD /v1/dgi HTTP/1.1")], want: ["200"], charged: 1 },
  { why: "absolute form", send: [asked("GET http://x/v1/dgi HTTP/1.1")], want: ["200"], charged: 1 },
  {
    why: "absolute form, no such route",
    send: [asked("GET http://x/v1/dgi/ HTTP/1.1")],
    want: [NONE],
    charged: 1,
  },
  { why: "asterisk form", send: [asked("OPTIONS * HTTP/1.1")], want: [NONE], charged: 0 },
  { why: "asterisk form with GET", send: [asked("GET * HTTP/1.1")], want: [NONE], charged: 0 },
  {
    why: "22: QUERY",
    send: [asked("QUERY /v1/dgi HTTP/1.1")],
    want: [IS_OLD_PARSER ? BAD : METHOD],
    charged: IS_OLD_PARSER ? 0 : 1,
  },
  { why: "22: TRACE echoes nothing", send: [asked("TRACE /v1/dgi HTTP/1.1")], want: [METHOD], charged: 1 },
  { why: "22: PROPFIND", send: [asked("PROPFIND /v1/dgi HTTP/1.1")], want: [METHOD], charged: 1 },
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
    charged: 1,
  },
  {
    why: "22: chunks that are none come too late to matter",
    send: [post(["Transfer-Encoding: chunked"], "zz\r\n")],
    want: [METHOD],
    charged: 1,
  },
  {
    why: "22: SOURCE of another protocol",
    send: [asked("SOURCE /v1/dgi ICE/1.0")],
    want: [METHOD],
    charged: 1,
  },
  { why: "24: OPTIONS", send: [asked("OPTIONS /v1/dgi HTTP/1.1")], want: ["204"], charged: 0 },
  {
    why: "an expectation of its own",
    send: [request(["Expect: tea", "Connection: close"])],
    want: ["200"],
    charged: 1,
  },
  {
    why: "nobody is told to go on with a body",
    send: [post(["Expect: 100-continue", "Content-Length: 2"])],
    want: [METHOD],
    charged: 1,
  },
  {
    why: "nor without one",
    send: [request(["Expect: 100-continue", "Connection: close"])],
    want: ["200"],
    charged: 1,
  },
  {
    why: "no websocket",
    send: [request(["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"])],
    want: ["200"],
    charged: 1,
  },
  {
    why: "no h2c, and nothing behind it",
    send: [request(["Upgrade: h2c", "Connection: Upgrade"]) + GOOD],
    want: ["200"],
    charged: 1,
  },
  {
    why: "2: two keys",
    send: [request(["X-API-Key: KEY", "Connection: close"])],
    want: ["401 INVALID_API_KEY"],
    charged: 0,
  },
  {
    why: "a name twice that does no harm",
    send: [request(["Accept: a", "Accept: b", "Connection: close"])],
    want: ["200"],
    charged: 1,
  },
  {
    why: "16: an id of 7,900 characters",
    send: [asked(`GET /v1/daos/${"a".repeat(7_900)} HTTP/1.1`)],
    want: [NONE],
    charged: 1,
  },
  {
    why: "a hundred lines",
    send: [request([...Array(97).fill("a: b"), "Connection: close"])],
    want: ["200"],
    charged: 1,
  },
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
    charged: 1,
  },
  { why: "21: a fragment", send: [asked("GET /v1/dgi# HTTP/1.1")], want: ["200"], charged: 1 },
];

describe("requests that are well-formed", () => {
  it.each(WELL_FORMED)("$why", (row) => checkWireRow(proxy, row));
});
