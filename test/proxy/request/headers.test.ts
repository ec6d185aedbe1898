import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { FIXTURE_ENTITY_ID } from "../../support/published-set.ts";
import { faultsOf } from "../support/faults-of-answer.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { plainEndpoint } from "../support/plain-endpoint.ts";
import { comparable } from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture();
const SECRET = "ent_secret of the exception";
let proxy: ListeningProxy;
let pages: ListeningProxy;

const failing = plainEndpoint("/v1/failing", () => {
  throw new Error(SECRET);
});

const failingLate = plainEndpoint("/v1/failing-late", (_values, { snapshot }) => ({
  encode: () => {
    throw new Error(SECRET);
  },
  bytes: 2,
  mayBeKept: true,
  snapshotVersion: snapshot.version,
}));

beforeAll(async () => {
  proxy = await createListeningProxy({ folder, published, endpoints: [...ENDPOINTS, failing, failingLate] });
  pages = await createListeningProxy({ folder, published, corsOrigins: ["https://app.example"] });
});
afterAll(async () => {
  await proxy.close();
  await pages.close();
});

const DELEGATES = "/v1/daos/tidewater.example/delegates";
const ENTITY = `/v1/entities/${FIXTURE_ENTITY_ID}`;

describe("headers of answers under /v1", () => {
  it("takes no request id from the caller, and gives no two alike", async () => {
    const headers = { "x-request-id": "mine", "request-id": "mine" };
    const ids = [];
    for (let turn = 0; turn < 2; turn += 1)
      ids.push((await proxy.ask("/v1/daos", { key: proxy.keys.pro, headers })).headers["x-request-id"]);
    expect(new Set([...ids, "mine"]).size).toBe(3);
  });

  it("tells the quota in both spellings", async () => {
    const answer = await proxy.ask("/v1/dgi", { key: proxy.keys.enterprise });
    expect(answer.headers).toMatchObject({
      "ratelimit-policy": '"daily";q=100000;w=86400',
      ratelimit: '"daily";r=99999;t=43200',
      "x-ratelimit-limit": "100000",
      "x-ratelimit-remaining": "99999",
      "x-ratelimit-reset": String(Date.parse("2026-04-02T00:00:00Z") / 1000),
    });
  });
});

describe("bodies in each encoding", () => {
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };
  it.each(["/v1/daos", "/v1/dgi/history", `${DELEGATES}?date=2026-03-30`, ENTITY])("%s", async (url) => {
    const etags = new Set<string>();
    const plain = await proxy.ask(url, { key: proxy.keys.pro });
    for (const encoding of ["br", "gzip", "identity"] as const) {
      const headers = { "accept-encoding": encoding };
      const answer = await proxy.ask(url, { key: proxy.keys.pro, headers });
      expect(answer.headers["content-encoding"]).toBe(encoding === "identity" ? undefined : encoding);
      expect(unpack[encoding](answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
      expect(answer.headers["cache-control"]).toBe(
        url === ENTITY ? "private, no-store" : "private, no-cache",
      );
      if (url === ENTITY) continue;
      const hash = createHash("sha256").update(answer.bytes).digest("hex").slice(0, 32);
      expect(answer.headers["etag"]).toBe(`"${hash}"`);
      etags.add(hash);
      const head = await proxy.ask(url, { key: proxy.keys.pro, headers, method: "HEAD" });
      expect(head.bytes.length).toBe(0);
      expect(comparable(head).headers).toEqual(comparable(answer).headers);
      const again = { ...headers, "if-none-match": `W/"${hash}", "other"` };
      const same = await proxy.ask(url, { key: proxy.keys.pro, headers: again });
      expect([same.status, same.bytes.length, same.headers["etag"]]).toEqual([304, 0, `"${hash}"`]);
      expect(same.headers).not.toHaveProperty("content-encoding");
    }
    if (url !== ENTITY) expect(etags.size).toBe(3);
  });
});

describe("our own failure (rows 5 and 27)", () => {
  it.each(["/v1/failing", "/v1/failing-late"])("%s: a constant body, and the unit goes back", async (url) => {
    const before = proxy.usedBy("pro");
    const answer = await proxy.ask(url, { key: proxy.keys.pro });
    expect(answer.body).toBe('{"error":{"code":"INTERNAL_ERROR","message":"Internal error."}}\n');
    expect(faultsOf(answer)).toEqual([]);
    expect(answer.headers["x-ratelimit-remaining"]).toBe(String(10_000 - before));
    expect(proxy.usedBy("pro")).toBe(before);
    const id = answer.headers["x-request-id"] ?? "";
    const line =
      proxy.logLines.find((logLine) => logLine.includes(id) && logLine.includes("request failed")) ?? "";
    expect(line).toContain("headers.test.ts");
    expect(proxy.logLines.join("")).not.toContain(SECRET);
  });
});

describe("the log", () => {
  it("writes one line a request: id, method, template, status, key id, ms, and nothing else of it", async () => {
    proxy.logLines.length = 0;
    const wallet = `0x${"ab".repeat(20)}`;
    const answer = await proxy.ask(`/v1/entities?wallet=${wallet}`, { key: proxy.keys.pro });
    await proxy.ask(`${ENTITY}`, { key: proxy.keys.pro });
    await proxy.ask("/v1/daos/orchard", { key: "a-wrong-key" });
    await proxy.ask("/v1/no-such-thing", { key: proxy.keys.pro });
    const lines = proxy.logLines.map((line) => JSON.parse(line));
    expect(lines.map((line) => [line.method, line.route, line.status])).toEqual([
      ["GET", "/v1/entities", 404],
      ["GET", "/v1/entities/:entity_id", 200],
      ["GET", "/v1/daos/:space_id", 401],
      ["GET", "unmatched", 404],
    ]);
    expect(lines[0].reqId).toBe(answer.headers["x-request-id"]);
    expect(lines[0].keyId).toMatch(/^key_[0-9A-Za-z]{12}$/);
    expect(lines[0].ms).toBeTypeOf("number");
    const text = proxy.logLines.join("");
    for (const secret of [
      proxy.keys.pro,
      wallet,
      FIXTURE_ENTITY_ID,
      "orchard",
      "a-wrong-key",
      "no-such-thing",
    ])
      expect(text).not.toContain(secret);
  });
});

describe("CORS (row 24)", () => {
  const origin = "https://app.example";
  it("answers a preflight of a listed origin, without key and uncharged", async () => {
    const answer = await pages.ask("/v1/daos", { method: "OPTIONS", headers: { origin } });
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(answer.headers).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-origin": origin,
      "access-control-allow-headers": "x-api-key, if-none-match",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-max-age": "600",
      vary: "x-api-key, accept-encoding, origin",
    });
  });

  it.each([
    { why: "another origin", to: "pages", headers: { origin: "https://evil.example" } },
    { why: "no origin", to: "pages", headers: {} },
    { why: "null", to: "pages", headers: { origin: "null" } },
    { why: "a server without listed origins", to: "proxy", headers: { origin } },
  ])("says nothing of CORS to $why", async ({ to, headers }) => {
    const target = to === "pages" ? pages : proxy;
    for (const method of ["OPTIONS", "GET"]) {
      const answer = await target.ask("/v1/daos", { method, headers, key: target.keys.pro });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(answer.status).toBeLessThan(300);
    }
  });

  it("shows the quota headers to a listed origin, on errors as well", async () => {
    for (const key of [pages.keys.pro, "wrong"]) {
      const answer = await pages.ask("/v1/daos", { headers: { origin }, key });
      expect(answer.headers["access-control-allow-origin"]).toBe(origin);
      expect(answer.headers["access-control-expose-headers"]).toBe(
        "RateLimit-Policy, RateLimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, X-Request-Id, X-Snapshot-Version",
      );
    }
  });
});

describe("outside /v1 (rows 21 and 30)", () => {
  it("leads whoever opens the server to the reference, with or without a key", async () => {
    for (const key of [undefined, proxy.keys.free]) {
      const answer = await proxy.ask("/", key === undefined ? {} : { key });
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      for (const word of ["/docs", "/openapi.json", "x-api-key"]) expect(answer.body).toContain(word);
      expect(answer.headers).not.toHaveProperty("x-ratelimit-limit");
    }
  });

  it.each(["/v2/daos", "/V1/daos", "/daos", "//v1/daos", "/v1daos", "/metrics", "/healthz/"])(
    "%s is a plain 404 in the envelope, without a key",
    async (url) => {
      const answer = await proxy.ask(url);
      expect([answer.status, answer.code]).toEqual([404, "NOT_FOUND"]);
    },
  );

  it("does not let an escaped /v1 past the key", async () => {
    for (const url of ["/%761/daos", "/v%31/daos", "/v1/%64aos"]) {
      expect((await proxy.ask(url)).code).toBe("MISSING_API_KEY");
      expect((await proxy.ask(url, { key: proxy.keys.pro })).status).toBe(200);
    }
  });

  it("is alive but not ready without a snapshot, and says 503 under /v1", async () => {
    expect(JSON.parse((await proxy.ask("/readyz")).body)).toMatchObject({ status: "ready", sequence: 1 });
    const empty = await createListeningProxy({ folder });
    expect((await empty.ask("/healthz")).status).toBe(200);
    const ready = await empty.ask("/readyz");
    expect([ready.status, JSON.parse(ready.body).reason]).toEqual([503, "SNAPSHOT_MISSING"]);
    const answer = await empty.ask("/v1/daos", { key: empty.keys.pro });
    expect([answer.status, answer.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(empty.usedBy("pro")).toBe(0);
    await empty.close();
  });
});
