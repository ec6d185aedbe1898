import { createHash } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { FIXTURE_ENTITY_ID, publishFixture } from "../../support/published-set.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { plainEndpoint } from "../support/plain-endpoint.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { comparable } from "../support/test-proxy.ts";

const folder = temporaryFolder();
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
  const published = join(folder, "published");
  await publishFixture(published);
  proxy = await createListeningProxy({ folder, published, endpoints: [...ENDPOINTS, failing, failingLate] });
  pages = await createListeningProxy({ folder, published, corsOrigins: ["https://app.example"] });
});
afterAll(async () => {
  await proxy.close();
  await pages.close();
});

const DELEGATES = "/v1/daos/tidewater.example/delegates";
const ENTITY = `/v1/entities/${FIXTURE_ENTITY_ID}`;

describe("headers of every answer under /v1", () => {
  it.each([
    { why: "200", url: "/v1/daos", key: "pro", status: 200 },
    { why: "304", url: "/v1/daos", key: "pro", headers: { "if-none-match": "*" }, status: 304 },
    { why: "an entity", url: ENTITY, key: "pro", status: 200 },
    { why: "400", url: "/v1/daos?x=1", key: "pro", status: 400 },
    { why: "401", url: "/v1/daos", status: 401 },
    { why: "403", url: ENTITY, key: "free", status: 403 },
    { why: "404 of data", url: "/v1/daos/x", key: "pro", status: 404 },
    { why: "404 of a route", url: "/v1/x", key: "pro", status: 404 },
    { why: "405", url: "/v1/daos", key: "pro", method: "POST", status: 405 },
    { why: "500", url: "/v1/failing", key: "pro", status: 500 },
    { why: "500 after a body was promised", url: "/v1/failing-late", key: "pro", status: 500 },
    { why: "204", url: "/v1/daos", method: "OPTIONS", status: 204 },
    { why: "an escape that is none", url: "/v1/daos/%zz", key: "pro", status: 400 },
  ])("$why", async ({ url, key, method = "GET", headers = {}, status }) => {
    const answer = await proxy.ask(url, {
      key: key === undefined ? undefined : proxy.keys[key as "pro"],
      method,
      headers,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      vary: "x-api-key, accept-encoding",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
    });
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f]{24}$/);
    expect(answer.headers).not.toHaveProperty("server");
    expect(answer.headers).not.toHaveProperty("x-powered-by");
    const mayBeKept = (status === 200 || status === 304) && url !== ENTITY;
    expect(answer.headers["cache-control"]).toBe(mayBeKept ? "private, no-cache" : "private, no-store");
    expect(answer.headers["etag"] !== undefined).toBe(mayBeKept);
    const isCounted = key !== undefined && !url.includes("%zz");
    expect(answer.headers["x-ratelimit-limit"] !== undefined).toBe(isCounted);
    const isData = status === 200 || status === 304;
    expect(answer.headers["x-snapshot-version"] !== undefined).toBe(isData);
    if (status === 405) expect(answer.headers["allow"]).toBe("GET, HEAD, OPTIONS");
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  it("takes no request id from the caller, and gives no two alike", async () => {
    const headers = { "x-request-id": "mine", "request-id": "mine" };
    const [one, two] = [
      await proxy.ask("/v1/daos", { key: proxy.keys.pro, headers }),
      await proxy.ask("/v1/daos", { key: proxy.keys.pro, headers }),
    ];
    expect(one.headers["x-request-id"]).not.toBe("mine");
    expect(one.headers["x-request-id"]).not.toBe(two.headers["x-request-id"]);
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
  const urls = [
    "/v1/daos",
    "/v1/dgi/history",
    `${DELEGATES}?limit=100`,
    `${DELEGATES}?date=2026-03-30`,
    ENTITY,
  ];
  it.each(urls)("%s", async (url) => {
    const etags = new Set<string>();
    const plain = await proxy.ask(url, { key: proxy.keys.pro });
    for (const encoding of ["br", "gzip", "identity"] as const) {
      const headers = { "accept-encoding": encoding };
      const answer = await proxy.ask(url, { key: proxy.keys.pro, headers });
      expect(answer.headers["content-encoding"]).toBe(encoding === "identity" ? undefined : encoding);
      expect(unpack[encoding](answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
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

  it("never answers 304 for an entity", async () => {
    const headers = { "if-none-match": "*" };
    expect((await proxy.ask(ENTITY, { key: proxy.keys.pro, headers })).status).toBe(200);
  });
});

describe("our own failure (rows 5 and 27)", () => {
  it.each(["/v1/failing", "/v1/failing-late"])("%s: a constant body, and the unit goes back", async (url) => {
    const before = proxy.usedBy("pro");
    const answer = await proxy.ask(url, { key: proxy.keys.pro });
    expect(answer.body).toBe('{"error":{"code":"INTERNAL_ERROR","message":"Internal error."}}\n');
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
    ]) {
      expect(text).not.toContain(secret);
    }
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
  it.each([
    { why: "alive", url: "/healthz", status: 200, want: { status: "alive" } },
    { why: "ready", url: "/readyz", status: 200, want: { status: "ready", sequence: 1 } },
  ])("$why, without key and quota", async ({ url, status, want }) => {
    const answer = await proxy.ask(url);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject(want);
    expect(answer.headers).not.toHaveProperty("x-ratelimit-limit");
  });

  it("leads whoever opens the server to the reference, with or without a key", async () => {
    for (const key of [undefined, proxy.keys.free]) {
      const answer = await proxy.ask("/", key === undefined ? {} : { key });
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      for (const word of ["/docs", "/openapi.json", "x-api-key"]) expect(answer.body).toContain(word);
      expect(answer.headers).not.toHaveProperty("x-ratelimit-limit");
    }
  });

  it("gives a target without a path no text of its own", async () => {
    const status = await new Promise((resolve, reject) => {
      const asked = request({ port: proxy.port, host: "127.0.0.1", path: "*" }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject).end();
    });
    expect(status).toBe(404);
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
    const empty = await createListeningProxy({ folder });
    expect((await empty.ask("/healthz")).status).toBe(200);
    const ready = await empty.ask("/readyz");
    expect([ready.status, JSON.parse(ready.body).reason]).toEqual([503, "SNAPSHOT_MISSING"]);
    const answer = await empty.ask("/v1/daos", { key: empty.keys.pro });
    expect([answer.status, answer.code, answer.headers["retry-after"]]).toEqual([
      503,
      "SERVICE_UNAVAILABLE",
      "5",
    ]);
    expect(empty.usedBy("pro")).toBe(0);
    await empty.close();
  });
});

describe("the in-flight cap (row 28)", () => {
  it("refuses the one above it, uncharged, and frees the places afterwards", async () => {
    const held: (() => void)[] = [];
    let isHeld = true;
    const small = await createListeningProxy({
      folder,
      published: join(folder, "published"),
      inFlightMax: 2,
      quota: (real) => ({
        ...real,
        charge: async (request) => {
          if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
          return real.charge(request);
        },
      }),
    });
    const ask = () => small.ask("/v1/daos", { key: small.keys.pro });
    const inside = [ask(), ask()];
    while (held.length < 2) await new Promise(setImmediate);
    expect((await ask()).status).toBe(503);
    isHeld = false;
    for (const release of held) release();
    expect((await Promise.all(inside)).map((answer) => answer.status)).toEqual([200, 200]);
    expect(small.usedBy("pro")).toBe(2);
    const later = await Promise.all([ask(), ask()]);
    expect(later.map((answer) => answer.status)).toEqual([200, 200]);
    await small.close();
  });
});
