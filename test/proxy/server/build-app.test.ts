import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../proxy/observe/create-log.ts";
import type { Admitted } from "../../../proxy/request/admit.ts";
import { type AppParts, buildApp } from "../../../proxy/server/build-app.ts";
import { fakeReader } from "../support/fake-reader.ts";
import { plainEndpoint } from "../support/plain-endpoint.ts";
import { parseRaw } from "../support/raw-request.ts";

const QUOTA = { limit: 5, remaining: 4, resetAtMs: 86_400_000, secondsToReset: 9 };
const endpoint = (fails: Error | undefined) =>
  plainEndpoint("/v1/thing", () => {
    if (fails !== undefined) throw fails;
    const bytes = Buffer.from("{}\n");
    return {
      encode: () => ({ bytes, etag: '"e"' }),
      bytes: bytes.length,
      mayBeKept: true,
      snapshotVersion: "v",
    };
  });

/** An app on fakes that count what is taken and given back. */
function setUp(options: { fails?: Error; hasSnapshot?: boolean; admit?: () => Promise<void> } = {}) {
  const counts = { left: 0, refunds: 0 };
  const admission: Admitted = {
    kind: "admitted",
    keyId: "key_1",
    account: "acme",
    tier: "free",
    quota: QUOTA,
    refund: async () => {
      counts.refunds += 1;
      return { ...QUOTA, remaining: 5 };
    },
    leave: () => {
      counts.left += 1;
    },
  };
  const parts: AppParts = {
    admit: async () => {
      await options.admit?.();
      return admission;
    },
    snapshots: {
      shown: () => (options.hasSnapshot === false ? undefined : fakeReader(1)),
    },
    corsOrigins: new Set(),
    stopping: new AbortController().signal,
    readiness: () => ({ httpStatus: 200, body: { status: "ready" } }),
    nowMs: () => 0,
    tickMs: () => 0,
    newRequestId: () => "id",
    log: createLog({ write: () => undefined }, "silent"),
    observers: [],
    endpoints: [endpoint(options.fails)],
  };
  return { app: buildApp(parts).app, counts };
}

describe("what a request takes, it gives back", () => {
  it.each([
    { why: "200", url: "/v1/thing", status: 200, want: { left: 1, refunds: 0 } },
    {
      why: "304",
      url: "/v1/thing",
      headers: { "if-none-match": '"e"' },
      status: 304,
      want: { left: 1, refunds: 1 },
    },
    { why: "400", url: "/v1/thing?x", status: 400, want: { left: 1, refunds: 0 } },
    { why: "404", url: "/v1/x", status: 404, want: { left: 1, refunds: 0 } },
    {
      why: "500",
      url: "/v1/thing",
      fails: new Error("broken"),
      status: 500,
      want: { left: 1, refunds: 1 },
    },
    {
      why: "no file could be opened any more: it passes, so it is no 500",
      url: "/v1/thing",
      fails: new Error("broken", { cause: Object.assign(new Error("x"), { code: "EMFILE" }) }),
      status: 503,
      want: { left: 1, refunds: 1 },
    },
    {
      why: "the snapshot went away after the charge",
      url: "/v1/thing",
      hasSnapshot: false,
      status: 503,
      want: { left: 1, refunds: 1 },
    },
  ])("$why", async ({ url, headers = {}, status, want, ...options }) => {
    const { app, counts } = setUp(options);
    const answer = await app.inject({ url, headers });
    await new Promise(setImmediate);
    expect(answer.statusCode).toBe(status);
    expect(counts).toEqual(want);
    expect(answer.headers["x-ratelimit-remaining"]).toBe(want.refunds === 1 ? "5" : "4");
    await app.close();
  });

  it("frees the place of a caller that hangs up while its unit is written", async () => {
    let finish = () => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { app, counts } = setUp({
      admit: () => {
        begin();
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    const closed = new Promise((resolve) => {
      app.server.on("request", (_request, response) => response.once("close", resolve));
    });
    const address = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect({ host: "127.0.0.1", port: Number(address.port) });
    socket.write("GET /v1/thing HTTP/1.1\r\nHost: x\r\n\r\n");
    await begun;
    // With a mere end it might still want its answer.
    socket.resetAndDestroy();
    await closed;
    expect(counts.left).toBe(0);
    finish();
    await app.close();
    expect(counts.left).toBe(1);
  });
});

describe("a request that no route takes", () => {
  it.each([
    { target: "/v1", isCharged: true },
    { target: "/v1?x", isCharged: true },
    { target: "/v1/", isCharged: true },
    { target: "/v1/x", isCharged: true },
    { target: "/v1//thing", isCharged: true },
    { target: "/%76%31/x", isCharged: true },
    { target: "http://host/v1/x", isCharged: true },
    { target: "/v1x", isCharged: false },
    { target: "/V1/thing", isCharged: false },
    { target: "//v1/thing", isCharged: false },
    { target: "*", isCharged: false },
  ])("needs a key below /v1 alone: $target", async ({ target, isCharged }) => {
    const { app, counts } = setUp();
    const address = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect({ host: "127.0.0.1", port: Number(address.port) });
    socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket.setEncoding("latin1")) text += chunk;
    expect(parseRaw(text).status).toBe(404);
    expect(counts.left).toBe(isCharged ? 1 : 0);
    await app.close();
  });
});

describe("parseRaw (the tests' own reader)", () => {
  it("reads status, headers and body", () => {
    const answer = parseRaw("HTTP/1.1 204 No Content\r\nA: b:c\r\n\r\nrest");
    expect(answer).toMatchObject({ status: 204, headers: { a: "b:c" }, body: "rest" });
  });
});
