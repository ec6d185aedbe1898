import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DailyQuota } from "../../../proxy/quota/daily-quota.ts";
import { PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import { createResponses } from "../../../proxy/request/response.ts";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { contractRows } from "../../support/contract-table.ts";
import { openApiViolations } from "../../support/openapi-validator.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../../support/published-set.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { rawRequest } from "../support/raw-request.ts";
import {
  type AskOptions,
  createTestProxy,
  type TestProxy,
  type TestProxyOptions,
} from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture();
const proxies: TestProxy[] = [];
let proxy: TestProxy;

/** Nobody waits for a disk here: what a quota does is tested elsewhere. */
const UNLIMITED: Pick<TestProxyOptions, "quota"> = {
  quota: (real) => ({
    ...real,
    charge: async () => ({ isGranted: true, remaining: 7 }),
    refund: async () => {},
  }),
};

async function start(options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const started = await createTestProxy({ folder, published, ...UNLIMITED, ...options });
  proxies.push(started);
  return started;
}

beforeAll(async () => {
  proxy = await start();
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
});

/** Asks, and finds nothing in the answer that the document does not say. */
async function ask(target: string, request: AskOptions = {}, server: TestProxy = proxy) {
  const answer = await server.ask(target, request);
  const { status, headers, bytes: body } = answer;
  const violations = openApiViolations({ method: request.method ?? "GET", target, status, headers, body });
  expect(violations).toEqual([]);
  return answer;
}

const ROWS = contractRows({
  dao: "tidewater.example",
  day: "2026-03-30",
  withoutDelegates: "harbor-lights",
  withoutRisk: "harbor-lights",
  unscored: "quiet-reef",
  entityId: FIXTURE_ENTITY_ID,
  wallet: walletOf(0xfeed),
});

describe("the contract", () => {
  const askedOf = (url: string) => {
    const path = new RegExp(`^${url.replaceAll(/:\w+/g, "[^/?]+")}(\\?|$)`);
    return ROWS.filter((row) => row.method === undefined && path.test(row.url));
  };
  it.each(ENDPOINTS)("asks for $url: well, badly, and by each of its parameters", (endpoint) => {
    const rows = askedOf(endpoint.url);
    expect(rows.some(({ pro }) => pro === "200")).toBe(endpoint.answers !== undefined);
    expect(rows.every(({ free }) => free.startsWith("403"))).toBe(endpoint.lowestTier !== "free");
    for (const name of Object.keys(endpoint.parameters ?? {})) {
      const outcomes = rows.filter(({ url }) => url.includes(`${name}=`)).map(({ pro }) => pro);
      expect(outcomes, name).toContain("200");
      expect(outcomes, name).toContain("400 INVALID_PARAMETER");
    }
  });
});

describe("everything else is answered as the document says", () => {
  it.each([
    ...["POST", "PUT", "DELETE", "PATCH"].map((method) => ({
      why: method,
      target: "/v1/daos",
      method,
      status: 405,
    })),
    { why: "OPTIONS", target: "/v1/daos", method: "OPTIONS", status: 204 },
    ...["/v1", "/v1?x", "/v1/", "/v1/daos/", "/v1//daos", "/v1/votes", "/v1/daos/a/b/c"].map((target) => ({
      why: "a path that is none",
      target,
      method: "GET",
      status: 404,
    })),
    ...["/docs/", "/docs/nothing.js", "/metrics", "/openapi.yaml"].map((target) => ({
      why: "nor outside /v1",
      target,
      method: "GET",
      status: 404,
    })),
    { why: "another method outside /v1", target: "/healthz", method: "POST", status: 404 },
    ...["/", "/healthz", "/readyz", "/openapi.json", "/docs"].flatMap((target) =>
      ["GET", "HEAD"].map((method) => ({ why: "open to all", target, method, status: 200 })),
    ),
  ])("$method $target: $why", async ({ target, method, status }) => {
    expect((await ask(target, { method, key: proxy.keys.pro })).status).toBe(status);
    if (!target.startsWith("/v1") || method === "OPTIONS")
      expect((await ask(target, { method })).status).toBe(status);
    else
      for (const key of [undefined, "wrong"]) expect((await ask(target, { method, key })).status).toBe(401);
  });

  it("refusals for everybody: used up, closed, down, and our own failure", async () => {
    const [first, ...rest] = ENDPOINTS;
    if (first === undefined) throw new Error("there are endpoints");
    const broken = {
      ...first,
      find: () => {
        throw new Error("on purpose");
      },
    };
    const charging = (charge: DailyQuota["charge"]) => ({
      quota: (real: DailyQuota) => ({ ...real, charge }),
    });
    const cases: readonly (readonly [number, Partial<TestProxyOptions>])[] = [
      [429, charging(async () => ({ isGranted: false, remaining: 0 }))],
      [500, { endpoints: [broken, ...rest] }],
      [503, charging(() => Promise.reject(new Error("down")))],
      [503, { isServing: () => false }],
    ];
    for (const [status, options] of cases) {
      const server = await start(options);
      expect((await ask("/v1/daos", { key: server.keys.pro }, server)).status).toBe(status);
    }
    const empty = await createTestProxy({ folder });
    proxies.push(empty);
    expect((await ask("/readyz", {}, empty)).status).toBe(503);
  });

  it("pages of other origins", async () => {
    const listed = await start({ corsOrigins: ["https://app.example"] });
    for (const origin of ["https://app.example", "https://other.example"])
      for (const method of ["GET", "OPTIONS"])
        for (const target of ["/v1/daos", "/openapi.json", "/healthz"]) {
          if (method === "OPTIONS" && !target.startsWith("/v1")) continue;
          await ask(target, { key: listed.keys.pro, method, headers: { origin } }, listed);
        }
  });

  it("what cannot be read, over a socket", async () => {
    const wire = await start();
    const address = await wire.app.listen({ host: "127.0.0.1", port: 0 });
    const answer = await rawRequest(address, "GET /v1/daos HTTP/1.1\r\n\r\n");
    expect(answer.status).toBe(400);
    expect(openApiViolations({ method: "GET", target: "/v1/daos", ...answer })).toEqual([]);
  });

  it.each((Object.keys(PROBLEMS) as Problem[]).filter((name) => [408, 431].includes(PROBLEMS[name].status)))(
    "%s, as it is written to a socket",
    (situation) => {
      const { status, lines, body } = createResponses(new Set()).raw(situation, "0".repeat(24));
      const pairs = lines.flatMap((name, index) => (index % 2 === 0 ? [[name, lines[index + 1]]] : []));
      const answer = { status, headers: Object.fromEntries(pairs), body };
      expect(openApiViolations({ method: "GET", target: "/v1/dgi", ...answer })).toEqual([]);
    },
  );
});
