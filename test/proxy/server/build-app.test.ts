import { describe, expect, it } from "vitest";
import { createLog } from "../../../proxy/observe/create-log.ts";
import type { Admitted } from "../../../proxy/request/admit.ts";
import { type AppParts, buildApp } from "../../../proxy/server/build-app.ts";
import { fakeReader } from "../support/fake-reader.ts";
import { plainEndpoint } from "../support/plain-endpoint.ts";

const QUOTA = { limit: 5, remaining: 4, resetAtMs: 86_400_000, secondsToReset: 9 };
const endpoint = (fails: Error | undefined) =>
  plainEndpoint("/v1/thing", () => {
    if (fails !== undefined) throw fails;
    const bytes = Buffer.from("{}\n");
    return { encode: () => ({ bytes, etag: '"e"' }), bytes: 3, mayBeKept: true, snapshotVersion: "v" };
  });

/** An app on fakes that count what is taken and given back. */
function setUp(options: { fails?: Error; hasSnapshot?: boolean } = {}) {
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
    admit: async () => admission,
    snapshots: { shown: () => (options.hasSnapshot === false ? undefined : fakeReader(1)) },
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
  const NO_FILE = new Error("broken", { cause: Object.assign(new Error("x"), { code: "EMFILE" }) });
  it.each([
    { why: "200", status: 200, refunds: 0 },
    { why: "304", headers: { "if-none-match": '"e"' }, status: 304, refunds: 1 },
    { why: "404", url: "/v1/x", status: 404, refunds: 0 },
    { why: "500", fails: new Error("broken"), status: 500, refunds: 1 },
    { why: "no file can be opened: it passes, so it is no 500", fails: NO_FILE, status: 503, refunds: 1 },
    { why: "the snapshot went away after the charge", hasSnapshot: false, status: 503, refunds: 1 },
  ])("$why", async ({ url = "/v1/thing", headers = {}, status, refunds, ...options }) => {
    const { app, counts } = setUp(options);
    const answer = await app.inject({ url, headers });
    await new Promise(setImmediate);
    expect(answer.statusCode).toBe(status);
    expect(counts).toEqual({ left: 1, refunds });
    expect(answer.headers["x-ratelimit-remaining"]).toBe(refunds === 1 ? "5" : "4");
    await app.close();
  });
});
