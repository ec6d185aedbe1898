import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { createFastPath, type Decisions, type FastPathParts } from "../../../proxy/fast-path/fast-path.ts";
import type { Admitted, Refused } from "../../../proxy/request/access.ts";
import type { FinishedRequest } from "../../../proxy/request/finished-request.ts";

const ETAG = '"e"';
const TARGET = "/v1/daos";
const STANDING = { limit: 100, remaining: 7, resetAtMs: 1_795_305_600_000, secondsToReset: 60 };
const REFUSED: Refused = { kind: "refused", problem: "key-invalid" };
const reader = {} as ReturnType<FastPathParts["optOuts"]["shown"]>;

/** What went on around one request. */
interface Seen {
  left: number;
  released: number;
  routed: (Admitted | Refused | undefined)[];
  readonly finished: FinishedRequest[];
}

/** A server with nothing but the fast path, whose surroundings are given; the router answers 299. */
async function stand(change: Partial<FastPathParts> = {}, answers = new Map([[TARGET, "{}\n"]])) {
  const seen: Seen = { left: 0, released: 0, routed: [], finished: [] };
  const admitted: Admitted = {
    kind: "admitted",
    keyId: "key_a",
    tier: "pro",
    standing: STANDING,
    refund: async () => STANDING,
    leave: () => {
      seen.left += 1;
    },
  };
  let clockMs = 1_000;
  let finish: () => void = () => {};
  const isFinished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const parts: FastPathParts = {
    access: async () => admitted,
    snapshots: {
      acquire: () => ({
        reader,
        release: () => {
          seen.released += 1;
        },
      }),
    },
    optOuts: { shown: () => reader },
    memory: {
      find: (_shown, target) => {
        const text = answers.get(target);
        const bytes = Buffer.from(text ?? "");
        if (text === undefined) return undefined;
        const encode = () => {
          if (text === "cannot be packed") throw new Error(text);
          return { bytes, etag: ETAG };
        };
        return {
          route: "/v1/template",
          answer: { kind: "body", encode, mayBeKept: true, snapshotVersion: "v" },
        };
      },
      remember: () => {},
    },
    corsOrigins: new Set(),
    isStopping: () => false,
    newRequestId: () => "id-1",
    observe: (finished) => {
      seen.finished.push(finished);
      finish();
    },
    durationMs: () => {
      clockMs += 5;
      return clockMs;
    },
    routeOf: (target) => (target === TARGET ? "/v1/its-route" : undefined),
    ...change,
  };
  const decisions: Decisions = new WeakMap();
  const handler = createFastPath(parts, decisions, (request, response) => {
    seen.routed.push(decisions.get(request));
    response.writeHead(299).end();
  });
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { seen, admitted, isFinished, port, close: () => server.close() };
}

async function asked(
  change?: Partial<FastPathParts>,
  answers?: Map<string, string>,
  headers = {},
  target = TARGET,
) {
  const standing = await stand(change, answers);
  const response = await fetch(`http://127.0.0.1:${standing.port}${target}`, {
    headers: { "accept-encoding": "identity", ...headers },
  });
  const body = await response.text();
  // Whoever is not given on is told of when the answer is out; the router tells of its own.
  if (standing.seen.routed.length === 0) await standing.isFinished;
  standing.close();
  return { ...standing, status: response.status, headers: response.headers, body };
}

describe("the fast path", () => {
  it.each([
    { why: "nothing is held", headers: {}, status: 200, body: "{}\n" },
    { why: "this body is held", headers: { "if-none-match": ETAG }, status: 304, body: "" },
  ])("answers $status alone where $why, and tells of it once", async ({ headers, status, body }) => {
    const { seen, ...answer } = await asked({}, undefined, headers);
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(answer.headers.get("vary")).toBe("x-api-key, accept-encoding");
    expect([seen.left, seen.released, seen.routed]).toEqual([1, 1, []]);
    expect(seen.finished).toEqual([
      {
        requestId: "id-1",
        method: "GET",
        route: "/v1/template",
        status,
        keyId: "key_a",
        tier: "pro",
        problem: undefined,
        ms: 5,
        isAborted: false,
      },
    ]);
  });

  it("says that answers differ by origin where pages of others may call", async () => {
    const { headers } = await asked({ corsOrigins: new Set(["https://a.example"]) });
    expect(headers.get("vary")).toBe("x-api-key, accept-encoding, origin");
  });

  it.each([
    { why: "nothing was remembered", answers: new Map() },
    { why: "the body cannot be packed", answers: new Map([[TARGET, "cannot be packed"]]) },
    {
      why: "the version cannot be shown",
      change: {
        optOuts: {
          shown: () => {
            throw new Error("damaged");
          },
        },
      },
    },
    { why: "there is no version", change: { snapshots: { acquire: () => undefined } }, released: 0 },
    { why: "it is stopping", change: { isStopping: () => true }, released: 0 },
  ])(
    "gives on to the router, with what was decided, where $why",
    async ({ change, answers, released = 1 }) => {
      const { seen, admitted, status } = await asked(change, answers);
      expect(status).toBe(299);
      expect([seen.left, seen.released, seen.finished]).toEqual([0, released, []]);
      expect(seen.routed).toEqual([admitted]);
    },
  );

  it("gives who is refused on, and leaves it to the router to say so", async () => {
    const { seen, status } = await asked({ access: async () => REFUSED });
    expect([status, seen.routed, seen.finished]).toEqual([299, [REFUSED], []]);
    expect([seen.left, seen.released]).toEqual([0, 0]);
  });

  it("lets the router ask where nothing could be decided", async () => {
    const { seen, status } = await asked({ access: async () => Promise.reject(new Error("no store")) });
    expect([status, seen.routed, seen.finished]).toEqual([299, [undefined], []]);
  });

  it("asks nobody about a target that is not plain", async () => {
    let questions = 0;
    const access = async () => {
      questions += 1;
      return REFUSED;
    };
    const { status } = await asked({ access }, undefined, {}, "/v1/da%6Fs");
    expect([status, questions]).toEqual([299, 0]);
  });
});

describe("a caller who hangs up while it is decided", () => {
  it.each([
    { why: "one route", target: TARGET, route: "/v1/its-route", outcome: "admitted" as const },
    { why: "no route", target: "/v1/nothing", route: "unmatched", outcome: "admitted" as const },
    { why: "one route, and is refused", target: TARGET, route: "/v1/its-route", outcome: "refused" as const },
    {
      why: "one route, and nothing is decided",
      target: TARGET,
      route: "/v1/its-route",
      outcome: "failed" as const,
    },
  ])("is told of once, by the template: $why", async ({ target, route, outcome }) => {
    let begin: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let decide: () => void = () => {};
    const isDecided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    let admission: Admitted | undefined;
    const standing = await stand({
      access: async () => {
        begin();
        await isDecided;
        if (outcome === "failed") throw new Error("no store");
        return outcome === "admitted" && admission !== undefined ? admission : REFUSED;
      },
    });
    admission = standing.admitted;
    const socket = connect(standing.port, "127.0.0.1");
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await hasBegun;
    socket.destroy();
    await standing.isFinished;
    decide();
    await new Promise((resolve) => setImmediate(resolve));
    standing.close();
    const { seen } = standing;
    expect(seen.finished.map((each) => [each.route, each.isAborted, each.keyId])).toEqual([
      [route, true, undefined],
    ]);
    expect([seen.left, seen.routed]).toEqual([outcome === "admitted" ? 1 : 0, []]);
  });
});
