import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccount, setAccount } from "../../../proxy/keys/accounts.ts";
import { createKey, revokeKey } from "../../../proxy/keys/issue-keys.ts";
import { makeKey } from "../../../proxy/keys/key-format.ts";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { FIXTURE_ENTITY_ID } from "../../support/published-set.ts";
import { faultsOf } from "../support/faults-of-answer.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { comparable, NOON_MS, PEPPER } from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture();
const ENTITY = `/v1/entities/${FIXTURE_ENTITY_ID}`;
let proxy: ListeningProxy;
const WELL = { isServing: true, isFull: false, isKeyStoreDown: false, isQuotaDown: false };
const world = { ...WELL };

beforeAll(async () => {
  proxy = await createListeningProxy({
    folder,
    published,
    isServing: () => world.isServing,
    inFlight: (real) => ({ ...real, enter: (account) => !world.isFull && real.enter(account) }),
    lookup: (real) => (key) => {
      if (world.isKeyStoreDown) throw new Error("keys.db is away");
      return real(key);
    },
    quota: (real) => ({
      ...real,
      charge: (request) =>
        world.isQuotaDown ? Promise.reject(new Error("quota.db is away")) : real.charge(request),
    }),
  });
});
afterAll(() => proxy.close());
beforeEach(() => {
  Object.assign(world, WELL);
  proxy.clock.nowMs += DAY_MS;
});

/** A new key of an account, which must be there. */
const newKey = (account: string, expiresAtMs: number | null = null) =>
  createKey(
    { table: proxy.store, pepper: PEPPER, nowMs: proxy.clock.nowMs, randomBytes },
    { account, terms: {}, environment: "live", expiresAtMs },
  );

/** Uses up today's units of the Free account. */
function exhaustFree(): void {
  const day = new Date(proxy.clock.nowMs).toISOString().slice(0, 10);
  const ledger = openQuotaLedger(proxy.quotaPath);
  ledger.commit([{ account: "free", day, limit: 100, units: 100 }], []);
  ledger.close();
}

describe("each check stands before the next one", () => {
  const SAME = { "if-none-match": "*" };
  const MANY = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, "1"]));
  const [BODY, CODED] = [{ "content-length": "2" }, { "transfer-encoding": "gzip" }];
  /** `as` is a key's tier, `spent` (Free, without a unit left), `unknown`, or nobody; `full` adds that no place is left. */
  it.each([
    { why: "OPTIONS before the key", ask: "OPTIONS /v1/daos", want: "204" },
    { why: "transport before the key", ask: "GET /v1/daos", headers: BODY, want: "400 INVALID_REQUEST" },
    { why: "transport before OPTIONS", ask: "OPTIONS /v1/daos", headers: CODED, want: "400 INVALID_REQUEST" },
    {
      why: "too many header lines before the key",
      ask: "GET /v1/daos",
      as: "pro",
      headers: MANY,
      want: "431 INVALID_REQUEST",
    },
    {
      why: "a bad escape before the key",
      ask: "GET /v1/daos/%zz",
      as: "unknown",
      want: "400 INVALID_REQUEST",
    },
    {
      why: "transport before the quota",
      ask: "GET /v1/daos",
      as: "spent",
      headers: BODY,
      want: "400 INVALID_REQUEST",
    },
    { why: "OPTIONS before quota and cap", ask: "OPTIONS /v1/daos", as: "spent full", want: "204" },
    { why: "key before 304", ask: "GET /v1/daos", headers: SAME, want: "401 MISSING_API_KEY" },
    {
      why: "validity before 304",
      ask: "GET /v1/daos?x=1",
      as: "pro",
      headers: SAME,
      want: "400 INVALID_PARAMETER",
    },
    { why: "existence before 304", ask: "GET /v1/daos/x", as: "pro", headers: SAME, want: "404 NOT_FOUND" },
    { why: "key before route", ask: "GET /v1/unknown", want: "401 MISSING_API_KEY" },
    { why: "key before method", ask: "POST /v1/daos", want: "401 MISSING_API_KEY" },
    { why: "key before parameters", ask: "GET /v1/daos?x=1", want: "401 MISSING_API_KEY" },
    { why: "key before the graph", ask: "GET /v1/daos/x/graph", want: "401 MISSING_API_KEY" },
    { why: "key before the cap", ask: "GET /v1/daos", as: "unknown full", want: "401 INVALID_API_KEY" },
    { why: "cap before quota", ask: "GET /v1/daos", as: "spent full", want: "503 SERVICE_UNAVAILABLE" },
    { why: "quota before route", ask: "GET /v1/unknown", as: "spent", want: "429 RATE_LIMIT_EXCEEDED" },
    { why: "quota before method", ask: "POST /v1/daos", as: "spent", want: "429 RATE_LIMIT_EXCEEDED" },
    { why: "quota before tier", ask: "GET /v1/daos/x", as: "spent", want: "429 RATE_LIMIT_EXCEEDED" },
    { why: "method before route", ask: "POST /v1/unknown", as: "free", want: "405 METHOD_NOT_ALLOWED" },
    { why: "method before tier", ask: "POST /v1/daos/x", as: "free", want: "405 METHOD_NOT_ALLOWED" },
    { why: "route before tier", ask: "GET /v1/daos/x/unknown", as: "free", want: "404 NOT_FOUND" },
    {
      why: "tier before parameter validity",
      ask: "GET /v1/entities?wallet=x",
      as: "free",
      want: "403 TIER_INSUFFICIENT",
    },
    { why: "tier before existence", ask: "GET /v1/daos/x", as: "free", want: "403 TIER_INSUFFICIENT" },
    {
      why: "parameter tier before validity",
      ask: "GET /v1/daos/orchard/delegates?limit=20&tier=x",
      as: "free",
      want: "403 TIER_INSUFFICIENT",
    },
    {
      why: "parameter tier before existence",
      ask: "GET /v1/daos/x/delegates?limit=20",
      as: "free",
      want: "403 TIER_INSUFFICIENT",
    },
    {
      why: "validity before existence",
      ask: "GET /v1/daos/x/delegates?limit=7",
      as: "pro",
      want: "400 INVALID_PARAMETER",
    },
  ])("$why", async ({ ask, as = "", headers = {}, want }) => {
    const [who, ...state] = as.split(" ");
    world.isFull = state.includes("full");
    if (who === "spent") exhaustFree();
    const key = { pro: proxy.keys.pro, free: proxy.keys.free, spent: proxy.keys.free, unknown: "gvk_live_x" };
    const [method = "", url = ""] = ask.split(" ");
    const answer = await proxy.ask(url, { method, headers, key: key[who as keyof typeof key] });
    expect([answer.status, answer.code].filter(Boolean).join(" ")).toBe(want);
    expect(faultsOf(answer)).toEqual([]);
  });
});

it("answers the same bytes (rows 1 and 2) to unknown, malformed, mistyped, revoked and expired keys", async () => {
  const [revoked, expired] = [newKey("pro"), newKey("pro", proxy.clock.nowMs)];
  revokeKey(proxy.store, revoked.record.keyId, proxy.clock.nowMs);
  const good = proxy.keys.pro;
  const keys = [
    makeKey("live", randomBytes),
    "x",
    "a".repeat(4000),
    `${good.slice(0, -1)}${good.endsWith("a") ? "b" : "a"}`,
    `${good}, ${good}`,
    revoked.key,
    expired.key,
  ];
  const answers = [];
  for (const key of keys) answers.push(await proxy.ask("/v1/daos", { key }));
  for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0] ?? answer));
  expect([answers[0]?.status, answers[0]?.code]).toEqual([401, "INVALID_API_KEY"]);
  expect(faultsOf(answers[0] ?? expect.fail("no answer"))).toEqual([]);
  expect(answers[0]?.headers).not.toHaveProperty("x-ratelimit-limit");
});

describe("what it costs (rows 3 to 8, 28)", () => {
  it("gives the last unit, then 429 with the seconds to midnight, and charges no further", async () => {
    const day = Math.floor(proxy.clock.nowMs / DAY_MS) * DAY_MS;
    proxy.clock.nowMs = day + DAY_MS - 1500;
    const before = proxy.usedBy("free");
    for (let turn = 0; turn < 99; turn += 1) await proxy.ask("/v1/dgi", { key: proxy.keys.free });
    const last = await proxy.ask("/v1/dgi", { key: proxy.keys.free });
    const over = await proxy.ask("/v1/dgi", { key: proxy.keys.free });
    expect([last.status, last.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
    expect([over.status, over.code, over.headers["retry-after"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", "2"]);
    expect(over.headers["ratelimit"]).toBe('"daily";r=0;t=2');
    expect(over.headers["x-ratelimit-reset"]).toBe(String((day + DAY_MS) / 1000));
    expect(proxy.usedBy("free") - before).toBe(100);
    proxy.clock.nowMs = day + DAY_MS;
    const next = await proxy.ask("/v1/dgi", { key: proxy.keys.free });
    expect([next.status, next.headers["x-ratelimit-remaining"]]).toEqual([200, "99"]);
  });

  it.each([
    { why: "no key", key: undefined, status: 401 },
    { why: "a wrong key", key: "x", status: 401 },
    {
      why: "the key store is down",
      harm: { isKeyStoreDown: true },
      key: "pro",
      status: 503,
      retryAfter: "2",
    },
    { why: "the quota store is down", harm: { isQuotaDown: true }, key: "pro", status: 503, retryAfter: "2" },
    { why: "no snapshot", harm: { isServing: false }, key: "pro", status: 503, retryAfter: "5" },
    { why: "too busy", harm: { isFull: true }, key: "pro", status: 503, retryAfter: "1" },
    { why: "OPTIONS", method: "OPTIONS", key: "pro", status: 204 },
  ])("costs nothing: $why", async (row) => {
    Object.assign(world, row.harm);
    const before = proxy.usedBy("pro");
    const answer = await proxy.ask("/v1/daos", {
      key: row.key === "pro" ? proxy.keys.pro : row.key,
      ...(row.method === undefined ? {} : { method: row.method }),
    });
    expect(answer.status).toBe(row.status);
    if (row.status === 503) expect(answer.code).toBe("SERVICE_UNAVAILABLE");
    expect(answer.headers["retry-after"]).toBe(row.retryAfter);
    expect(proxy.usedBy("pro")).toBe(before);
  });

  it.each([
    { why: "a 304", headers: { "if-none-match": "*" }, status: 304, cost: 0 },
    { why: "a 304 to HEAD", method: "HEAD", headers: { "if-none-match": "*" }, status: 304, cost: 0 },
    { why: "an ETag of other bytes", headers: { "if-none-match": '"0"' }, status: 200, cost: 1 },
    { why: "HEAD", method: "HEAD", headers: {}, status: 200, cost: 1 },
    { why: "an entity under any ETag", url: ENTITY, headers: { "if-none-match": "*" }, status: 200, cost: 1 },
  ])("$why costs $cost, and its headers say so", async ({ url = "/v1/daos", cost, status, ...options }) => {
    const before = proxy.usedBy("pro");
    const answer = await proxy.ask(url, { key: proxy.keys.pro, ...options });
    expect(answer.status).toBe(status);
    expect(proxy.usedBy("pro") - before).toBe(cost);
    expect(answer.headers["x-ratelimit-remaining"]).toBe(String(10_000 - cost));
  });

  it("gives the last unit back after a 304, and refuses even what is unchanged once no unit is left", async () => {
    createAccount(proxy.store, "last", { tier: "enterprise", dailyLimit: 1 }, NOON_MS);
    const { key } = newKey("last");
    const ask = async (headers: Record<string, string>) =>
      (await proxy.ask("/v1/daos", { key, headers })).status;
    const same = { "if-none-match": "*" };
    expect([await ask(same), await ask(same), await ask({}), await ask(same)]).toEqual([304, 304, 200, 429]);
  });

  it("counts keys of one account together, and a tier change at once on the same count (7)", async () => {
    createAccount(proxy.store, "shared", { tier: "pro" }, NOON_MS);
    const [one, two] = [newKey("shared").key, newKey("shared").key];
    const ask = async (url: string, key: string) => {
      const { status, headers } = await proxy.ask(url, { key });
      return [status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]];
    };
    const set = (terms: Parameters<typeof setAccount>[2]) => {
      setAccount(proxy.store, "shared", terms);
      proxy.clock.nowMs += 1000;
    };
    expect(await ask("/v1/dgi", one)).toEqual([200, "10000", "9999"]);
    expect(await ask("/v1/dgi", two)).toEqual([200, "10000", "9998"]);
    set({ tier: "free" });
    expect(await ask("/v1/daos/orchard", one)).toEqual([403, "100", "97"]);
    set({ tier: "enterprise", dailyLimit: 5 });
    expect(await ask("/v1/daos/orchard", two)).toEqual([200, "5", "1"]);
    set({ dailyLimit: 2 });
    expect(await ask("/v1/daos/orchard", two)).toEqual([429, "2", "0"]);
  });

  it("follows a revocation within a second", async () => {
    const issued = newKey("pro");
    expect((await proxy.ask("/v1/dgi", { key: issued.key })).status).toBe(200);
    revokeKey(proxy.store, issued.record.keyId, proxy.clock.nowMs);
    proxy.clock.nowMs += 999;
    expect((await proxy.ask("/v1/dgi", { key: issued.key })).status).toBe(401);
  });
});

describe("who may keep its connection", () => {
  it.each([
    { why: "an answer", key: "pro", url: "/v1/daos", status: 200, connection: "keep-alive" },
    { why: "what is not found", key: "pro", url: "/v1/daos/x", status: 404, connection: "keep-alive" },
    { why: "no key", key: undefined, url: "/v1/daos", status: 401, connection: "close" },
    { why: "no unit left", key: "free", url: "/v1/daos", status: 429, connection: "close" },
  ] as const)("$why: $connection", async ({ key, url, status, connection }) => {
    if (status === 429) exhaustFree();
    const line = key === undefined ? "" : `x-api-key: ${proxy.keys[key]}\r\n`;
    const ask = `GET ${url} HTTP/1.1\r\nHost: x\r\n${line}`;
    const answers = await proxy.send([`${ask}\r\n${ask}Connection: close\r\n\r\n`]);
    const kept = connection === "keep-alive" ? ["keep-alive", "close"] : ["close"];
    expect(answers.map((answer) => answer.headers["connection"])).toEqual(kept);
    expect(answers[0]?.status).toBe(status);
  });
});
