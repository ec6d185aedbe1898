import { describe, expect, it } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import {
  type Answering,
  closeAfterEach,
  type LoopbackServer,
  openClient,
  openServer,
  postOnce,
  sendJson,
} from "./loopback-server.ts";
import { createVirtualTime } from "./virtual-time.ts";

closeAfterEach();

const HTML = "<html>no</html>";
const CHALLENGE = { status: 403, text: "<!DOCTYPE html><title>Just a moment...</title>" };
const BUSY = '{"errors":["busy"]}';
const page = (status: number): Step => ({ status, text: HTML });

/** An answer: a number is a status with a JSON body. */
type Step = number | { readonly status: number; readonly text: string } | Answering;

/** Answers one after the other, the last one again and again. */
const script =
  (steps: readonly Step[]): Answering =>
  (response, index, arrived) => {
    const step = steps[Math.min(index, steps.length - 1)]!;
    if (typeof step === "function") return step(response, index, arrived);
    if (typeof step === "number") sendJson(response, step, { status: step });
    else response.writeHead(step.status).end(step.text);
  };

const HALF: Answering = (response) => void response.writeHead(200).write("{");
const BROKEN_OFF: Answering = (response) => void response.socket?.destroy();
const FLOOD: Answering = (response) => sendJson(response, 200, "x".repeat(2_000));

/** How a source reads that something failed. */
const failureOf = (body: unknown) => {
  const said = JSON.stringify(body);
  if (!said.includes("errors")) return undefined;
  return { passing: said.includes("busy") ? 'says "busy"' : undefined };
};
const reading = { failureOf };
const less = { canAskForLess: true };

describe("a request", () => {
  /** `ends`: the status of the answer, or what the error says after the origin. */
  it.each<[why: string, steps: readonly Step[], ends: number | string, requests: number, request?: object]>([
    ["another success", [201], 201, 1],
    ["a bad query that the hub explains", [400], 400, 1],
    ["an invalid key", [401], 401, 1],
    ["a forbidden thing", [403], 403, 1],
    ["too much asked for", [413], 413, 1],
    ["too much asked for, in a page", [page(413)], 413, 1],
    ["success after a timeout of the server", [408, 200], 200, 2],
    ["success after the rate limit", [429, 200], 200, 2],
    ["success after a 500", [500, 500, 200], 200, 3],
    ["success at the last attempt", [502, 503, 504, 502, 503, 200], 200, 6],
    ["success after a page", [page(200), 200], 200, 2],
    ["success after the page of a firewall", [CHALLENGE, CHALLENGE, 200], 200, 3],
    ["success after nothing", [{ status: 204, text: "" }, 200], 200, 2],
    ["a refusal after a fault", [502, 400], 400, 2],
    ["kinds of faults are counted apart", [502, 502, 500, 500, 200], 200, 5],

    ["a page with 400", [page(400)], "answered 400", 1],
    ["nothing with 404", [{ status: 404, text: "" }], "answered 404", 1],
    ["no page with 403", [{ status: 403, text: "no" }], "answered 403", 1],
    ["a page that stays", [page(200)], "answered 200 with a web page", 6],
    ["a firewall that stays", [CHALLENGE], "answered 403 with a web page", 6],
    [
      "nothing with success, twice",
      [{ status: 200, text: "" }],
      "answered 200 with something that is not JSON",
      2,
    ],
    [
      "half a JSON",
      [{ status: 200, text: '{"data":[1,' }],
      "answered 200 with something that is not JSON",
      2,
    ],
    ["a 500, which a bad variable gets", [500], "answered 500", 3],
    ["a 408 that stays", [408], "answered 408", 6],
    ["a 429 that stays", [429], "answered 429", 6],
    ["a 501 that stays", [501], "answered 501", 6],
    ["a 503 that stays", [503], "answered 503", 6],
    ["a 599 that stays", [599], "answered 599", 6],

    ["a 500 that the source says to pass", [{ status: 500, text: BUSY }, 200], 200, 2, reading],
    ["a 200 that the source says to pass", [{ status: 200, text: BUSY }, 200], 200, 2, reading],
    ["a 500 that will not pass, which it judges", [{ status: 500, text: '{"errors":[]}' }], 500, 1, reading],
    ["a 400, which cannot pass", [{ status: 400, text: BUSY }], 400, 1, reading],
    ["a 500 that says nothing to the source", [500, 200], 200, 2, reading],
    ["a 500 without JSON to a source that reads", [page(500), 200], 200, 2, reading],
    ["a 500 without JSON that stays", [page(500)], "answered 500", 3, reading],
    ["what the source says to pass, and stays", [{ status: 500, text: BUSY }], 'says "busy"', 12, reading],

    ["of which less can be asked: a 500", [page(500)], 413, 2, less],
    ["of which less can be asked: the 502 of a proxy", [page(502)], 413, 2, less],
    ["of which less can be asked: a 503 with JSON", [503], 413, 2, less],
    ["of which less can be asked: a 408", [page(408)], 413, 2, less],
    ["of which less can be asked: no answer", [() => {}], 413, 2, less],
    ["of which less can be asked: half an answer", [HALF], 413, 2, less],
    ["of which less can be asked: a connection broken off", [BROKEN_OFF], 413, 2, less],
    ["of which less can be asked: too many bytes", [FLOOD], 413, 1, less],
    ["of which less can be asked, and that passes at the second try", [page(503), 200], 200, 2, less],
    ["a rate limit, which asks for patience and not for less", [page(429)], "answered 429", 6, less],
    [
      "a firewall, which asks for patience and not for less",
      [CHALLENGE],
      "answered 403 with a web page",
      6,
      less,
    ],
    ["a refusal, which is not about its size", [page(401)], "answered 401", 1, less],
  ])("%s", async (_why, steps, ends, requests, request) => {
    const isSlow = steps.some((step) => typeof step === "function");
    const settings = isSlow ? { attemptTimeoutMs: 250, responseBytesMax: 1_000 } : {};
    const body = { query: "{a}" };
    const { answered, error, server, client } = await postOnce(script(steps), {
      settings,
      request: { body, ...request },
    });
    if (typeof ends === "number") {
      const given = ends === 413 ? undefined : expect.anything();
      expect(answered).toEqual({ status: ends, body: steps.at(-1) === ends ? { status: ends } : given });
    } else {
      const after = requests === 1 ? "" : ` (given up after ${requests} attempts)`;
      expect(error).toMatchObject({ code: "SOURCE_FAILED", message: `${server.origin} ${ends}${after}` });
    }
    expect(
      server.arrived.map((one) => one.body),
      "every attempt sends the same",
    ).toEqual(Array.from({ length: requests }, () => JSON.stringify(body)));
    expect(client.counters()).toMatchObject({ requests, retries: requests - 1 });
  });

  it("is a 500 no oftener than all attempts together", async () => {
    const { error, server } = await postOnce(script([500]), { settings: { attemptsMax: 2 } });
    expect(error?.message).toBe(`${server.origin} answered 500 (given up after 2 attempts)`);
  });

  it("counts requests, retries, unpacked bytes and rate limits", async () => {
    const { client, server } = await postOnce(script([429, 500, { status: 200, text: "[1,2]" }]));
    // Of the 500 the body is read too: it may say what failed.
    const before = client.counters();
    expect(before).toEqual({ requests: 3, retries: 2, bytes: 14 + 5, rateLimited: 1 });
    await client.postJson({ url: server.origin, body: {} });
    expect(before.requests).toBe(3);
    expect(client.counters()).toEqual({ requests: 4, retries: 2, bytes: 14 + 10, rateLimited: 1 });
  });
});

describe("an outage", () => {
  /** A server that is out of order while its switch says so, and a client that is not paced. */
  async function open(options: Parameters<typeof openClient>[0] = {}) {
    const time = createVirtualTime();
    const isOut = { now: false };
    const next: number[] = [];
    const server = await openServer((response) =>
      sendJson(response, next.shift() ?? (isOut.now ? 503 : 200), {}),
    );
    const { client } = openClient({ ...time, settings: { requestsPerMinute: 60_000_000 }, ...options });
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
    const passing = () => {
      left -= 1;
      return left >= 0 ? { passing: "is busy" } : undefined;
    };
    return client.postJson({ url: server.origin, body: {}, failureOf: passing });
  }

  it.each([
    { chance: 0, leastMs: 90_000, mostMs: 95_000 },
    { chance: 0.999, leastMs: 175_000, mostMs: 185_000 },
  ])("of a minute and a half is waited for, and of three minutes not: chance $chance", async (row) => {
    const time = createVirtualTime(0, row.chance);
    const { isOut, ask } = await open(time);
    await ask();
    isOut.now = true;
    expect(await ask()).toEqual(["failed", 12]);
    expect(time.nowMs()).toBeGreaterThan(row.leastMs);
    expect(time.nowMs()).toBeLessThan(row.mostMs);
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
    const time = createVirtualTime();
    let another: (() => Promise<unknown>) | undefined;
    const sleep = async (waitMs: number, signal: AbortSignal) => {
      const ask = waitMs > 1 ? another : undefined;
      if (ask !== undefined) another = undefined;
      await ask?.();
      await time.sleep(waitMs, signal);
    };
    const { client, server, attempts } = await open({ ...time, sleep });
    another = () => client.postJson({ url: server.origin, body: {} });
    // One of them is the other request.
    expect(await attempts(() => askOdd(client, server, Infinity))).toEqual(["failed", 13]);
    expect(await attempts(() => askOdd(client, server, 3))).toEqual(["answered", 4]);
  });
});
