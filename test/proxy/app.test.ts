import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { type AppParts, buildApp } from "../../proxy/app.ts";
import { createLog } from "../../proxy/observe/create-log.ts";
import type { Admitted } from "../../proxy/request/access.ts";
import { defineEndpoint } from "../../proxy/routes/endpoint.ts";
import { createDelegateAnswers } from "../../proxy/snapshot/delegate-answers.ts";
import { fakeReader } from "./support/fake-reader.ts";
import { parseRaw } from "./support/raw-request.ts";

const STANDING = { limit: 5, remaining: 4, resetAtMs: 86_400_000, secondsToReset: 9 };
const endpoint = (fails: Error | undefined) =>
  defineEndpoint({
    url: "/v1/thing",
    lowestTier: "free",
    parameters: {},
    find: () => {
      if (fails !== undefined) throw fails;
      const bytes = Buffer.from("{}\n");
      return {
        kind: "body",
        encode: () => ({ bytes, etag: '"e"' }),
        mayBeKept: true,
        snapshotVersion: "v",
      };
    },
  });

/** An app on fakes that count what is taken and given back. */
function setUp(options: { fails?: Error; hasSnapshot?: boolean; admit?: () => Promise<void> } = {}) {
  const counts = { left: 0, refunds: 0, leased: 0, released: 0 };
  const admission: Admitted = {
    kind: "admitted",
    keyId: "key_1",
    tier: "free",
    standing: STANDING,
    refund: async () => {
      counts.refunds += 1;
      return { ...STANDING, remaining: 5 };
    },
    leave: () => {
      counts.left += 1;
    },
  };
  const parts: AppParts = {
    access: async () => {
      await options.admit?.();
      return admission;
    },
    snapshots: {
      acquire: () => {
        if (options.hasSnapshot === false) return undefined;
        counts.leased += 1;
        const release = () => {
          counts.released += 1;
        };
        return { reader: fakeReader(1), release };
      },
      status: () => ({ serving: undefined, problem: undefined }),
      poll: async () => {},
      close: () => {},
    },
    delegates: createDelegateAnswers(1000),
    optOuts: { shown: (reader) => reader, problem: () => undefined },
    corsOrigins: new Set(),
    isStopping: () => false,
    storeProblem: () => undefined,
    nowMs: () => 0,
    newRequestId: () => "id",
    maxAgeMs: undefined,
    log: createLog({ write: () => undefined }, "silent"),
    observe: () => undefined,
    endpoints: [endpoint(options.fails)],
  };
  return { app: buildApp(parts), counts };
}

describe("what a request takes, it gives back", () => {
  it.each([
    { why: "200", url: "/v1/thing", status: 200, want: { left: 1, refunds: 0, leased: 1, released: 1 } },
    { why: "400", url: "/v1/thing?x", status: 400, want: { left: 1, refunds: 0, leased: 1, released: 1 } },
    { why: "404", url: "/v1/x", status: 404, want: { left: 1, refunds: 0, leased: 0, released: 0 } },
    {
      why: "500",
      url: "/v1/thing",
      fails: new Error("broken"),
      status: 500,
      want: { left: 1, refunds: 1, leased: 1, released: 1 },
    },
    {
      why: "no file could be opened any more: it passes, so it is no 500",
      url: "/v1/thing",
      fails: new Error("broken", { cause: Object.assign(new Error("x"), { code: "EMFILE" }) }),
      status: 503,
      want: { left: 1, refunds: 1, leased: 1, released: 1 },
    },
    {
      why: "the snapshot went away after the charge",
      url: "/v1/thing",
      hasSnapshot: false,
      status: 503,
      want: { left: 1, refunds: 1, leased: 0, released: 0 },
    },
  ])("$why", async ({ url, status, want, ...options }) => {
    const { app, counts } = setUp(options);
    const answer = await app.inject({ url });
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

  it("guards a route that nobody thought of", async () => {
    const { app, counts } = setUp();
    app.route({ method: "GET", url: "/forgotten", handler: async () => "open" });
    await app.inject({ url: "/forgotten" });
    await new Promise(setImmediate);
    // It was admitted, so a key was asked for.
    expect(counts.left).toBe(1);
    await app.close();
  });
});

describe("parseRaw (the tests' own reader)", () => {
  it("reads status, headers and body", () => {
    const answer = parseRaw("HTTP/1.1 204 No Content\r\nA: b:c\r\n\r\nrest");
    expect(answer).toMatchObject({ status: 204, headers: { a: "b:c" }, body: "rest" });
  });
});
