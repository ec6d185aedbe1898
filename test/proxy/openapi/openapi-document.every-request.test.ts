import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiPath } from "../../../proxy/openapi/operations.ts";
import { PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import { createAnswers } from "../../../proxy/request/write-answer.ts";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { ACCESS_TIERS, type AccessTier } from "../../../snapshots/format/value-sets.ts";
import {
  areParametersGood,
  type Operation,
  openApiViolations,
  operationAt,
} from "../../support/openapi-validator.ts";
import { FIXTURE_ENTITY_ID, publishFixture, walletOf } from "../../support/published-set.ts";
import { rawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createTestProxy, type TestProxy, type TestProxyOptions } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const published = join(folder, "published");
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
  await publishFixture(published);
  proxy = await start();
});
afterAll(async () => {
  for (const each of proxies) await each.close();
});

type Asked = Parameters<TestProxy["ask"]>[1] & { readonly method?: string };

/** Asks, and finds nothing in the answer that the document does not say. */
async function ask(target: string, request: Asked = {}, of: TestProxy = proxy) {
  const answer = await of.ask(target, request);
  const { status, headers, bytes: body } = answer;
  const violations = openApiViolations({ method: request.method ?? "GET", target, status, headers, body });
  expect(violations).toEqual([]);
  return answer;
}

const DELEGATES_OF = ["tidewater.example", "harbor-lights"];

/** Ids by the names of path parameters: known, unknown and of a wrong shape. */
const PATH_IDS: Readonly<Record<string, readonly string[]>> = {
  space_id: [...DELEGATES_OF, "quiet-reef", "unknown", "UPPER", "..%2f..%2fx", "a%00b"],
  entity_id: [FIXTURE_ENTITY_ID, `ent_${"0".repeat(26)}`, "ent_short"],
};

/** Values by the names of query parameters; `undefined` is not sent, a list is sent several times. */
const VALUES: Readonly<Record<string, readonly (string | readonly string[] | undefined)[]>> = {
  limit: [
    undefined,
    "20",
    "0",
    "10",
    "50",
    "100",
    "9",
    "11",
    "1000",
    "1e1",
    " 10",
    "010",
    "+10",
    "10.0",
    "-10",
    "",
  ],
  tier: [undefined, "T1", "T4", "T3", "t1", ""],
  date: [
    undefined,
    "2026-03-30",
    "2026-02-30",
    "2020-01-01",
    "2999-12-31",
    "2026-3-1",
    "2026-03-30T00:00:00Z",
    "",
  ],
  category: [
    undefined,
    "defi",
    "infrastructure",
    "public_goods",
    "social",
    "DeFi",
    "games",
    "",
    ["defi", "defi"],
  ],
  period: [undefined, "30d", "90d", "365d", "7d", "30D", "", ["30d", "90d"]],
  wallet: [
    undefined,
    walletOf(0xfeed),
    `0x${walletOf(0xfeed).slice(2).toUpperCase()}`,
    walletOf(0xbeef),
    "0x12",
    "",
    [walletOf(0xfeed), walletOf(0xfeed)],
  ],
};

/** Every value of each parameter beside the first three of the others, which are: none, a good one, a bad one. */
function queriesOf(names: readonly string[]): readonly URLSearchParams[] {
  const BESIDE = 3;
  const queries = (names.length === 0 ? [""] : names).flatMap((varied) =>
    names.reduce<readonly URLSearchParams[]>(
      (sofar, name) =>
        sofar.flatMap((query) =>
          (VALUES[name] ?? []).slice(0, name === varied ? undefined : BESIDE).map((value) => {
            const next = new URLSearchParams(query);
            for (const each of value === undefined ? [] : [value].flat()) next.append(name, each);
            return next;
          }),
        ),
      [new URLSearchParams()],
    ),
  );
  return [...new Map(queries.map((query) => [String(query), query])).values()];
}

function targetsOf(url: string, names: readonly string[]): readonly string[] {
  const [, id] = /:(\w+)/.exec(url) ?? [];
  const paths = id === undefined ? [url] : (PATH_IDS[id] ?? []).map((value) => url.replace(`:${id}`, value));
  const queries = queriesOf(names);
  const [first = "", ...others] = paths;
  const withQuery = (path: string, query: URLSearchParams) => (query.size === 0 ? path : `${path}?${query}`);
  return [
    ...queries.map((query) => withQuery(first, query)),
    ...others.flatMap((path) => [path, ...queries.slice(1, 4).map((query) => withQuery(path, query))]),
    `${first}?unknown=1`,
  ];
}

/** What the document says that a caller of this tier gets, as far as it can know without data. */
function promisedStatuses(operation: Operation, tier: AccessTier, query: URLSearchParams): readonly number[] {
  const tiers: readonly (string | undefined)[] = ACCESS_TIERS;
  const isBelow = (needed: string | undefined) => tiers.indexOf(tier) < tiers.indexOf(needed);
  if (isBelow(operation["x-lowest-tier"])) return [403];
  for (const parameter of operation.parameters ?? []) {
    const text = query.get(parameter.name);
    if (text === null) continue;
    if (isBelow(parameter["x-lowest-tier"])) return [403];
    const maximum = parameter["x-free-maximum"] ?? Number.POSITIVE_INFINITY;
    if (tier === "free" && /^[0-9]+$/.test(text) && Number(text) > maximum) return [403];
  }
  if (operation.responses["200"] === undefined) return [404];
  return areParametersGood(operation, query) ? [200, 404] : [400];
}

describe("every endpoint × tier × parameter value is answered as the document says (F14)", () => {
  const cases = ENDPOINTS.flatMap(({ url, parameters }) =>
    ACCESS_TIERS.map((tier) => ({ url, tier, parameters: parameters ?? {} })),
  );

  it.each(cases)("$url as $tier", async ({ url, tier, parameters }) => {
    const names = Object.keys(parameters);
    for (const name of names) expect(VALUES[name]?.length, name).toBeGreaterThan(3);
    const operation = operationAt(openApiPath(url).replaceAll(/[{}]/g, ""));
    if (operation === undefined) throw new Error("the document does not have it");
    const statuses = new Set<number>();
    for (const [number, target] of targetsOf(url, names).entries()) {
      const method = number % 5 === 4 ? "HEAD" : "GET";
      const answer = await ask(target, { key: proxy.keys[tier], method });
      const query = new URLSearchParams(target.split("?")[1] ?? "");
      expect(promisedStatuses(operation, tier, query), `${target} ${answer.status}`).toContain(answer.status);
      statuses.add(answer.status);
    }
    const isOpen = operation["x-lowest-tier"] === "free" || tier !== "free";
    expect(statuses.has(200)).toBe(isOpen && operation.responses["200"] !== undefined);
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
    ...["/v1", "/v1/", "/v1/daos/", "/v1/votes", "/v1/daos/a/b/c"].map((target) => ({
      why: "a path that is none",
      target,
      method: "GET",
      status: 404,
    })),
    ...["/", "/docs/", "/docs/nothing.js", "/metrics", "/openapi.yaml"].map((target) => ({
      why: "nor outside /v1",
      target,
      method: "GET",
      status: 404,
    })),
    { why: "another method outside /v1", target: "/healthz", method: "POST", status: 404 },
    ...["/healthz", "/readyz", "/openapi.json", "/docs"].flatMap((target) =>
      ["GET", "HEAD"].map((method) => ({ why: "open to all", target, method, status: 200 })),
    ),
  ])("$method $target: $why", async ({ target, method, status }) => {
    expect((await ask(target, { method, key: proxy.keys.pro })).status).toBe(status);
    if (!target.startsWith("/v1") || method === "OPTIONS")
      expect((await ask(target, { method })).status).toBe(status);
    else
      for (const key of [undefined, "wrong"]) expect((await ask(target, { method, key })).status).toBe(401);
  });

  it.each(["/v1/daos", "/openapi.json", "/docs"])("%s in every encoding, and 304", async (target) => {
    for (const encoding of ["br", "gzip", "identity"]) {
      const headers = { "accept-encoding": encoding };
      const { headers: got } = await ask(target, { key: proxy.keys.pro, headers });
      const again = { ...headers, "if-none-match": got["etag"] ?? "" };
      expect((await ask(target, { key: proxy.keys.pro, headers: again })).status).toBe(304);
    }
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
    const used = await start({
      quota: (real) => ({ ...real, charge: async () => ({ isGranted: false, remaining: 0 }) }),
    });
    const failing = await start({ endpoints: [broken, ...rest] });
    const down = await start({
      quota: (real) => ({ ...real, charge: () => Promise.reject(new Error("down")) }),
    });
    const closed = await start({ closedBecause: () => "no-snapshot" });
    for (const [of, status] of [
      [used, 429],
      [failing, 500],
      [down, 503],
      [closed, 503],
    ] as const)
      expect((await ask("/v1/daos", { key: of.keys.pro }, of)).status).toBe(status);
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
    const requests = [
      { target: "/v1/daos", text: "GET /v1/daos HTTP/1.1\r\n\r\n", status: 400 },
      {
        target: "/v1/daos",
        text: `GET /v1/daos HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`,
        status: 431,
      },
    ];
    for (const { target, text, status } of requests) {
      const answer = await rawRequest(address, text);
      expect(answer.status).toBe(status);
      expect(openApiViolations({ method: "GET", target, ...answer })).toEqual([]);
    }
  });

  it.each((Object.keys(PROBLEMS) as Problem[]).filter((name) => [408, 431].includes(PROBLEMS[name].status)))(
    "%s, as it is written to a socket",
    (situation) => {
      const { status, lines, body } = createAnswers(new Set()).raw(situation, "0".repeat(24));
      const pairs = lines.flatMap((name, at) => (at % 2 === 0 ? [[name, lines[at + 1]]] : []));
      const answer = { status, headers: Object.fromEntries(pairs), body };
      expect(openApiViolations({ method: "GET", target: "/v1/dgi", ...answer })).toEqual([]);
    },
  );
});
