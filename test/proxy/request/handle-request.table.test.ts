import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UnscoredDao } from "../../../snapshots/format/dao.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import { ACCESS_TIERS, type AccessTier } from "../../../snapshots/format/value-sets.ts";
import { contractRows } from "../../support/contract-table.ts";
import {
  areParametersGood,
  type Operation,
  openApiViolations,
  operationAt,
} from "../../support/openapi-validator.ts";
import { FIXTURE_ENTITY_ID, publishedSet, walletOf } from "../../support/published-set.ts";
import { faultsOf } from "../support/faults-of-answer.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { comparable } from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture();
let proxy: ListeningProxy;

beforeAll(async () => {
  proxy = await createListeningProxy({ folder, published });
});
afterAll(() => proxy.close());

const DELEGATES = "/v1/daos/tidewater.example/delegates";
const DETAIL = "/v1/daos/tidewater.example";
const ENTITY = `/v1/entities/${FIXTURE_ENTITY_ID}`;
const WALLET = walletOf(0xfeed);

const ROWS = contractRows({
  dao: "tidewater.example",
  day: "2026-03-30",
  withoutDelegates: "harbor-lights",
  withoutRisk: "harbor-lights",
  unscored: "quiet-reef",
  entityId: FIXTURE_ENTITY_ID,
  wallet: WALLET,
});

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
    // Given twice there is no one value to judge: that is for everybody's 400.
    if (
      tier === "free" &&
      query.getAll(parameter.name).length === 1 &&
      /^[0-9]+$/.test(text) &&
      Number(text) > maximum
    )
      return [403];
  }
  if (operation.responses["200"] === undefined) return [404];
  return areParametersGood(operation, query) ? [200, 404] : [400];
}

describe("every row of the contract, over a socket, as the document says (F14)", () => {
  const cases = ROWS.flatMap((row) =>
    ACCESS_TIERS.map((tier) => ({ ...row, tier, want: tier === "free" ? row.free : row.pro })),
  );
  it.each(cases)("$why: $url ($tier): $want", async ({ url, method, tier, want }) => {
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
    const [path = "", query = ""] = url.split("?");
    const operation = operationAt(path);
    if (operation === undefined || status === 405) return;
    expect(promisedStatuses(operation, tier, new URLSearchParams(query))).toContain(status);
  });
});

describe("what a 200 holds", () => {
  const pro = (url: string) => proxy.ask(url, { key: proxy.keys.pro });
  it("orders the list by rank, keeps overall ranks under a category, and counts what it shows (31, 32)", async () => {
    const all = JSON.parse((await pro("/v1/daos")).body);
    const defi = JSON.parse((await pro("/v1/daos?category=defi")).body);
    expect(all.data.map((dao: { rank: number }) => dao.rank)).toEqual([1, 2, 3]);
    expect(defi.data.map((dao: { rank: number }) => dao.rank)).toEqual([1, 3]);
    expect([all.meta.total, defi.meta.total]).toEqual([3, 2]);
  });

  it("counts the tracked DAOs without a score, whole and by category, and says why one has none", async () => {
    const metas = await Promise.all(
      ["", "?category=social", "?category=defi"].map(
        async (query) => JSON.parse((await pro(`/v1/daos${query}`)).body).meta,
      ),
    );
    expect(metas.map(({ unscored }) => unscored)).toEqual([1, 1, 0]);
    const [{ reason }] = publishedSet().unscored as [UnscoredDao];
    for (const url of ["/v1/daos/quiet-reef", "/v1/daos/quiet-reef/risk"]) {
      const answer = await pro(url);
      expect(JSON.parse(answer.body).error.message).toBe(
        `This DAO is tracked, but has no score. ${reason.message}`,
      );
      expect(answer.headers).toMatchObject({ "cache-control": "private, no-store" });
    }
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
      urls: ["/v1/daos/unknown", "/v1/daos/UPPER", "/v1/daos/..%2fx"],
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
});
