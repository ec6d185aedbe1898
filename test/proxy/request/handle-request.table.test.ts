import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DelegateEnvelope, ENVELOPES, ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import type { AccessTier } from "../../../snapshots/format/value-sets.ts";
import { openApiViolations } from "../../support/openapi-validator.ts";
import { FIXTURE_ENTITY_ID, publishFixture, walletOf } from "../../support/published-set.ts";
import { faultsOf } from "../support/faults-of-answer.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { comparable } from "../support/test-proxy.ts";

const folder = temporaryFolder();
let proxy: ListeningProxy;

beforeAll(async () => {
  await publishFixture(join(folder, "published"));
  proxy = await createListeningProxy({ folder, published: join(folder, "published") });
});
afterAll(() => proxy.close());

const DELEGATES = "/v1/daos/tidewater.example/delegates";
const DETAIL = "/v1/daos/tidewater.example";
const ENTITY = `/v1/entities/${FIXTURE_ENTITY_ID}`;
const WALLET = walletOf(0xfeed);
const LONG = "9".repeat(400);

interface Row {
  readonly why: string;
  readonly url: string;
  readonly method?: string;
  /** Status and code by tier; 200 has no code. */
  readonly free: string;
  readonly pro: string;
}

const OK = "200";
const BAD = "400 INVALID_PARAMETER";
const TIER = "403 TIER_INSUFFICIENT";
const NONE = "404 NOT_FOUND";
const METHOD = "405 METHOD_NOT_ALLOWED";

/** proxy.md §2 by row number; Enterprise must answer as Pro everywhere. */
const ROWS: readonly Row[] = [
  { why: "the list is for everybody", url: "/v1/daos", free: OK, pro: OK },
  { why: "the list of one category", url: "/v1/daos?category=defi", free: OK, pro: OK },
  { why: "a category without DAOs is an empty list", url: "/v1/daos?category=social", free: OK, pro: OK },
  { why: "9: detail needs Pro", url: DETAIL, free: TIER, pro: OK },
  { why: "9: risk needs Pro", url: `${DETAIL}/risk`, free: TIER, pro: OK },
  { why: "9: tier before lookup", url: "/v1/daos/unknown", free: TIER, pro: NONE },
  { why: "9: tier before validation", url: `${DETAIL}?x=1`, free: TIER, pro: BAD },
  { why: "9: entity by id needs Pro", url: ENTITY, free: TIER, pro: OK },
  { why: "9: entity by wallet needs Pro", url: `/v1/entities?wallet=${WALLET}`, free: TIER, pro: OK },
  { why: "10: Free, 11", url: `${DELEGATES}?limit=11`, free: TIER, pro: BAD },
  { why: "10: Free, 20", url: `${DELEGATES}?limit=20`, free: TIER, pro: OK },
  { why: "10: Free, 50", url: `${DELEGATES}?limit=50`, free: TIER, pro: OK },
  { why: "10: Free, 100", url: `${DELEGATES}?limit=100`, free: TIER, pro: OK },
  { why: "10: Free, 1000", url: `${DELEGATES}?limit=1000`, free: TIER, pro: BAD },
  { why: "10: Free, a date", url: `${DELEGATES}?date=2026-03-30`, free: TIER, pro: OK },
  { why: "10: Free, a date of no form", url: `${DELEGATES}?date=soon`, free: TIER, pro: BAD },
  { why: "10: Free, an empty date", url: `${DELEGATES}?date=`, free: TIER, pro: BAD },
  { why: "11: limit 10 is allowed to all", url: `${DELEGATES}?limit=10`, free: OK, pro: OK },
  { why: "11: 0", url: `${DELEGATES}?limit=0`, free: BAD, pro: BAD },
  { why: "11: 1", url: `${DELEGATES}?limit=1`, free: BAD, pro: BAD },
  { why: "11: 9", url: `${DELEGATES}?limit=9`, free: BAD, pro: BAD },
  { why: "11: -1", url: `${DELEGATES}?limit=-1`, free: BAD, pro: BAD },
  { why: "11: exponent", url: `${DELEGATES}?limit=1e1`, free: BAD, pro: BAD },
  { why: "11: a space before", url: `${DELEGATES}?limit=%2010`, free: BAD, pro: BAD },
  { why: "11: hexadecimal", url: `${DELEGATES}?limit=0x0a`, free: BAD, pro: BAD },
  { why: "11: decimals", url: `${DELEGATES}?limit=10.0`, free: BAD, pro: BAD },
  { why: "11: a plus (escaped)", url: `${DELEGATES}?limit=%2B10`, free: BAD, pro: BAD },
  { why: "11: a plus (a space in a query)", url: `${DELEGATES}?limit=+10`, free: BAD, pro: BAD },
  { why: "11: a leading zero", url: `${DELEGATES}?limit=010`, free: BAD, pro: BAD },
  { why: "11: other digits", url: `${DELEGATES}?limit=%D9%A1%D9%A0`, free: BAD, pro: BAD },
  { why: "12: no limit", url: DELEGATES, free: OK, pro: OK },
  { why: "13: a bad category", url: "/v1/daos?category=DeFi", free: BAD, pro: BAD },
  { why: "13: an empty category", url: "/v1/daos?category=", free: BAD, pro: BAD },
  { why: "13: a category twice", url: "/v1/daos?category=defi&category=defi", free: BAD, pro: BAD },
  { why: "13: brackets", url: "/v1/daos?category[]=defi", free: BAD, pro: BAD },
  { why: "13: an unknown parameter", url: "/v1/daos?sort=gvs", free: BAD, pro: BAD },
  { why: "13: a parameter in other case", url: "/v1/daos?Category=defi", free: BAD, pro: BAD },
  { why: "13: a parameter of Object", url: "/v1/daos?__proto__=1", free: BAD, pro: BAD },
  { why: "13: a parameter without a name", url: "/v1/daos?=1", free: BAD, pro: BAD },
  { why: "13: a bad weight tier", url: `${DELEGATES}?tier=T4`, free: BAD, pro: BAD },
  { why: "13: a weight tier in other case", url: `${DELEGATES}?tier=t1`, free: BAD, pro: BAD },
  { why: "13: each weight tier", url: `${DELEGATES}?tier=T2`, free: OK, pro: OK },
  { why: "13: a bad period", url: "/v1/dgi/history?period=7d", free: BAD, pro: BAD },
  { why: "13: a parameter where none is taken", url: "/v1/dgi?period=30d", free: BAD, pro: BAD },
  { why: "13: an empty query is none", url: "/v1/dgi?", free: OK, pro: OK },
  { why: "14: a date that does not exist", url: `${DELEGATES}?date=2026-02-30`, free: TIER, pro: BAD },
  { why: "14: a date in another form", url: `${DELEGATES}?date=30.03.2026`, free: TIER, pro: BAD },
  { why: "14: a moment", url: `${DELEGATES}?date=2026-03-30T00:00:00Z`, free: TIER, pro: BAD },
  { why: "14: a day without data", url: `${DELEGATES}?date=2020-01-01`, free: TIER, pro: NONE },
  { why: "14: a day in the future", url: `${DELEGATES}?date=2999-12-31`, free: TIER, pro: NONE },
  { why: "15: delegates of an unknown space", url: "/v1/daos/unknown/delegates", free: NONE, pro: NONE },
  { why: "15: a DAO without delegates", url: "/v1/daos/harbor-lights/delegates", free: NONE, pro: NONE },
  { why: "16: an id of a wrong shape", url: "/v1/daos/UPPER", free: TIER, pro: NONE },
  { why: "16: an id that climbs", url: "/v1/daos/..%2f..%2fetc%2fpasswd", free: TIER, pro: NONE },
  { why: "16: an id with NUL", url: "/v1/daos/a%00b", free: TIER, pro: NONE },
  { why: "16: a very long id", url: `/v1/daos/${"a".repeat(5000)}`, free: TIER, pro: NONE },
  { why: "16: a DAO without a score", url: "/v1/daos/quiet-reef", free: TIER, pro: NONE },
  { why: "16: a DAO without a risk", url: "/v1/daos/harbor-lights/risk", free: TIER, pro: NONE },
  { why: "17: an unknown entity", url: `/v1/entities/ent_${"0".repeat(26)}`, free: TIER, pro: NONE },
  { why: "17: an unknown wallet", url: `/v1/entities?wallet=${walletOf(0xbeef)}`, free: TIER, pro: NONE },
  { why: "18: entities without a wallet", url: "/v1/entities", free: TIER, pro: BAD },
  { why: "19: a short wallet", url: `/v1/entities?wallet=${WALLET.slice(0, -1)}`, free: TIER, pro: BAD },
  { why: "19: an empty wallet", url: "/v1/entities?wallet=", free: TIER, pro: BAD },
  { why: "19: 0X", url: `/v1/entities?wallet=0X${WALLET.slice(2)}`, free: TIER, pro: BAD },
  { why: "19: any case", url: `/v1/entities?wallet=0x${WALLET.slice(2).toUpperCase()}`, free: TIER, pro: OK },
  { why: "19: a wallet twice", url: `/v1/entities?wallet=${WALLET}&wallet=${WALLET}`, free: TIER, pro: BAD },
  { why: "20: the graph of a known space", url: `${DETAIL}/graph`, free: TIER, pro: NONE },
  { why: "20: the graph of an unknown space", url: "/v1/daos/x/graph", free: TIER, pro: NONE },
  { why: "21: an unknown route", url: "/v1/unknown", free: NONE, pro: NONE },
  { why: "21: a trailing slash on the list", url: "/v1/daos/", free: NONE, pro: NONE },
  { why: "21: a trailing slash on a detail", url: `${DETAIL}/`, free: NONE, pro: NONE },
  { why: "21: an empty id", url: "/v1/daos//risk", free: NONE, pro: NONE },
  { why: "21: an empty entity id", url: "/v1/entities/", free: NONE, pro: NONE },
  { why: "21: other case", url: "/v1/DAOs", free: NONE, pro: NONE },
  { why: "21: two slashes", url: "/v1//daos", free: NONE, pro: NONE },
  { why: "21: the root of the API", url: "/v1", free: NONE, pro: NONE },
  { why: "22: POST on a route", url: "/v1/daos", method: "POST", free: METHOD, pro: METHOD },
  { why: "22: DELETE where tier would not do", url: DETAIL, method: "DELETE", free: METHOD, pro: METHOD },
  { why: "22: PUT on an unknown route", url: "/v1/unknown", method: "PUT", free: METHOD, pro: METHOD },
  { why: "22: PATCH", url: "/v1/dgi", method: "PATCH", free: METHOD, pro: METHOD },
  { why: "33: the index", url: "/v1/dgi", free: OK, pro: OK },
  { why: "33: its history", url: "/v1/dgi/history", free: OK, pro: OK },
  { why: "33: of 90 days", url: "/v1/dgi/history?period=90d", free: OK, pro: OK },
  { why: "33: of 365 days", url: "/v1/dgi/history?period=365d", free: OK, pro: OK },
  { why: "34: a limit of 400 digits", url: `${DELEGATES}?limit=${LONG}`, free: TIER, pro: BAD },
  { why: "34: a limit above 10 with zeros before", url: `${DELEGATES}?limit=0011`, free: TIER, pro: BAD },
  { why: "34: a limit twice", url: `${DELEGATES}?limit=20&limit=20`, free: BAD, pro: BAD },
  { why: "34: a date twice", url: `${DELEGATES}?date=2026-03-30&date=2026-03-30`, free: TIER, pro: BAD },
  {
    why: "34: a tier parameter beside a bad limit",
    url: `${DELEGATES}?limit=20&tier=X`,
    free: TIER,
    pro: BAD,
  },
];

describe("every situation of the table", () => {
  const cases = ROWS.flatMap((row) => [
    { ...row, tier: "free" as AccessTier, want: row.free },
    { ...row, tier: "pro" as AccessTier, want: row.pro },
    { ...row, tier: "enterprise" as AccessTier, want: row.pro },
  ]);
  it.each(cases)("$why ($tier): $want", async ({ url, method, tier, want }) => {
    const before = proxy.usedBy(tier);
    const answer = await proxy.ask(url, { key: proxy.keys[tier], ...(method ? { method } : {}) });
    expect([answer.status, answer.code].filter((part) => part !== undefined).join(" ")).toBe(want);
    expect(faultsOf(answer)).toEqual([]);
    // Row 4: every one of these costs 1. Free has 100 a day, so the day is moved on before it is used up.
    expect(proxy.usedBy(tier) - before).toBe(1);
    if (tier === "free" && (before + 1) % 90 === 0) proxy.clock.nowMs += 86_400_000;
    if (answer.status === 200) expect(answer.body.endsWith("}\n")).toBe(true);
    else expect(ErrorEnvelope.safeParse(JSON.parse(answer.body)).success).toBe(true);
    const { status, headers, bytes: body } = answer;
    expect(openApiViolations({ method: method ?? "GET", target: url, status, headers, body })).toEqual([]);
  });
});

describe("what a 200 holds", () => {
  const pro = (url: string) => proxy.ask(url, { key: proxy.keys.pro });
  it.each([
    { why: "the list", url: "/v1/daos", shape: ENVELOPES.daos },
    { why: "detail", url: DETAIL, shape: ENVELOPES.dao },
    { why: "risk", url: `${DETAIL}/risk`, shape: ENVELOPES.risk },
    { why: "delegates", url: DELEGATES, shape: DelegateEnvelope },
    { why: "delegates of a day", url: `${DELEGATES}?date=2026-03-30`, shape: DelegateEnvelope },
    { why: "the index", url: "/v1/dgi", shape: ENVELOPES.dgi },
    { why: "its history", url: "/v1/dgi/history", shape: ENVELOPES["dgi-history"] },
    { why: "an entity", url: ENTITY, shape: ENVELOPES.entity },
  ])("$why parses under its shape, with meta (row 31)", async ({ url, shape }) => {
    expect(shape.safeParse(JSON.parse((await pro(url)).body)).error).toBeUndefined();
  });

  it("orders the list by rank, keeps overall ranks under a category, and counts what it shows (31, 32)", async () => {
    const all = JSON.parse((await pro("/v1/daos")).body);
    const defi = JSON.parse((await pro("/v1/daos?category=defi")).body);
    expect(all.data.map((dao: { rank: number }) => dao.rank)).toEqual([1, 2, 3]);
    expect(defi.data.map((dao: { rank: number }) => dao.rank)).toEqual([1, 3]);
    expect([all.meta.total, defi.meta.total]).toEqual([3, 2]);
  });

  it.each([
    { why: "12: ten by default", query: "", ranks: [1, 10], count: 10 },
    { why: "the limit", query: "?limit=50", ranks: [1, 50], count: 50 },
    { why: "a tier smaller than the limit", query: "?tier=T1&limit=100", ranks: [1, 12], count: 12 },
    { why: "filtered first, then cut", query: "?tier=T3&limit=20", ranks: [143, 162], count: 20 },
    { why: "the most of the lightest tier", query: "?tier=T3&limit=100", ranks: [143, 242], count: 100 },
  ])("cuts delegates: $why", async ({ query, ranks, count }) => {
    const { data } = JSON.parse((await pro(`${DELEGATES}${query}`)).body);
    expect(data.delegates).toHaveLength(count);
    expect([data.delegates[0].rank, data.delegates.at(-1).rank]).toEqual(ranks);
    expect(data.total_delegates).toBe(302);
  });

  it("shows a day as of its end, and that day's list (31)", async () => {
    const { data, meta } = JSON.parse((await pro(`${DELEGATES}?date=2026-03-29`)).body);
    expect(meta.as_of).toBe("2026-03-29T23:59:59.999Z");
    expect(data.total_delegates).toBe(300);
  });

  it("writes wallets in lower case (35)", async () => {
    const { data } = JSON.parse((await pro(`/v1/entities?wallet=0x${WALLET.slice(2).toUpperCase()}`)).body);
    expect(data.wallets).toContain(WALLET);
    for (const url of [ENTITY, `${DELEGATES}?limit=100`, DETAIL]) {
      expect((await pro(url)).body).not.toMatch(/0x[0-9a-f]*[A-F]/);
    }
  });

  it.each([
    { why: "30 days by default", query: "", from: "2026-03-02", count: 30 },
    { why: "30 days", query: "?period=30d", from: "2026-03-02", count: 30 },
    { why: "90 days, of which the fixture has 40", query: "?period=90d", from: "2026-02-20", count: 40 },
    { why: "365 days, likewise", query: "?period=365d", from: "2026-02-20", count: 40 },
  ])(
    "shows the history of the days that have ended, ascending (33): $why",
    async ({ query, from, count }) => {
      const { data, meta } = JSON.parse((await pro(`/v1/dgi/history${query}`)).body);
      const days: readonly string[] = data.values.map((point: { readonly date: string }) => point.date);
      expect([days[0], days.at(-1), days.length]).toEqual([from, "2026-03-31", count]);
      expect(days).toEqual([...days].sort());
      expect(meta.as_of).toBe("2026-03-31T23:59:59.999Z");
    },
  );
});

describe("answers that must not differ by a byte", () => {
  it.each([
    {
      why: "17: unknown id, id of a wrong shape, unknown wallet",
      urls: [
        `/v1/entities/ent_${"0".repeat(26)}`,
        "/v1/entities/ent_short",
        `/v1/entities?wallet=${walletOf(0xbeef)}`,
      ],
    },
    {
      why: "16: an unknown id and ids of a wrong shape",
      urls: ["/v1/daos/unknown", "/v1/daos/UPPER", "/v1/daos/..%2fx", "/v1/daos/quiet-reef"],
    },
    {
      why: "15: no such space, none for this one, none of this day",
      urls: [
        "/v1/daos/unknown/delegates",
        "/v1/daos/harbor-lights/delegates",
        `${DELEGATES}?date=2020-01-01`,
      ],
    },
    {
      why: "20: the graph, whatever space or query",
      urls: [`${DETAIL}/graph`, "/v1/daos/x/graph", "/v1/daos/x/graph?limit=1"],
    },
    {
      why: "13: a limit is named but never echoed",
      urls: [`${DELEGATES}?limit=abc`, `${DELEGATES}?limit=7`],
    },
  ])("$why", async ({ urls }) => {
    const answers = [];
    for (const url of urls) answers.push(comparable(await proxy.ask(url, { key: proxy.keys.pro })));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.headers).not.toHaveProperty("etag");
    expect(answers[0]?.headers["cache-control"]).toBe("private, no-store");
  });

  it("says in which words: the graph, and the parameter at fault", async () => {
    const graph = await proxy.ask(`${DETAIL}/graph`, { key: proxy.keys.pro });
    expect(graph.body).toContain("This endpoint is not available yet.");
    const limit = await proxy.ask(`${DELEGATES}?limit=abc`, { key: proxy.keys.pro });
    expect(limit.body).toContain("limit");
    const tier = await proxy.ask(DETAIL, { key: proxy.keys.free });
    expect(tier.body).toContain("Pro");
  });
});
