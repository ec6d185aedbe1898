import { renameSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { openOptOutStore } from "../../../snapshots/optouts/opt-out-store.ts";
import { namingSet, STAYING_ID } from "../../snapshots/store/redact-stage.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../../support/published-set.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { comparable, createTestProxy, type TestProxy } from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture({ set: namingSet(0) });

const UNKNOWN_ID = `ent_${"9".repeat(26)}`;
const UNKNOWN_WALLET = `0x${"9".repeat(40)}`;
const DETAIL = "/v1/daos/tidewater.example";

function optOut(proxy: TestProxy, action: "add" | "remove"): void {
  const book = openOptOutStore(proxy.optOutsPath);
  if (action === "add") book.add(FIXTURE_ENTITY_ID, 1);
  else book.remove(FIXTURE_ENTITY_ID);
  book.close();
  // Within one second, by the tests' clock.
  proxy.clock.nowMs += 999;
}

async function withProxy(work: (proxy: TestProxy) => Promise<void>): Promise<void> {
  const proxy = await createTestProxy({ folder, published });
  try {
    await work(proxy);
  } finally {
    await proxy.close();
  }
}

const entitiesIn = (body: string): readonly string[] =>
  JSON.parse(body).data.top_entities.map((entity: { readonly entity_id: string }) => entity.entity_id);

describe("an entity that opts out while the proxy serves", () => {
  it("is gone within a second from its own answers, its wallets' and DAO details, and comes back", async () => {
    await withProxy(async (proxy) => {
      const key = proxy.keys.pro;
      const ask = (url: string, headers = {}) => proxy.ask(url, { key, headers });
      const urls = [
        `/v1/entities/${FIXTURE_ENTITY_ID}`,
        `/v1/entities?wallet=${walletOf(1)}`,
        `/v1/entities?wallet=${walletOf(0xfeed).toUpperCase().replace("0X", "0x")}`,
      ];
      for (const url of urls) expect((await ask(url)).status).toBe(200);
      const before = await ask(DETAIL);
      expect(entitiesIn(before.body)).toEqual([FIXTURE_ENTITY_ID, STAYING_ID]);

      optOut(proxy, "add");
      for (const url of urls) expect((await ask(url)).status).toBe(404);
      const after = await ask(DETAIL);
      expect(entitiesIn(after.body)).toEqual([STAYING_ID]);
      expect(JSON.parse(after.body)).toEqual({
        ...JSON.parse(before.body),
        data: {
          ...JSON.parse(before.body).data,
          top_entities: [expect.objectContaining({ entity_id: STAYING_ID })],
        },
      });
      expect(after.headers["etag"]).not.toBe(before.headers["etag"]);
      expect((await ask(DETAIL, { "if-none-match": before.headers["etag"] })).status).toBe(200);
      expect((await ask(DETAIL, { "if-none-match": after.headers["etag"] })).status).toBe(304);
      for (const encoding of ["gzip", "br"]) {
        const packed = await ask(DETAIL, { "accept-encoding": encoding });
        expect([packed.status, packed.headers["content-encoding"]]).toEqual([200, encoding]);
        expect(packed.headers["etag"]).not.toBe(after.headers["etag"]);
      }
      expect((await ask(`/v1/entities/${STAYING_ID}`)).status).toBe(200);
      expect((await ask(`/v1/entities?wallet=${walletOf(2)}`)).status).toBe(200);

      optOut(proxy, "remove");
      expect((await ask(urls[0] ?? "")).status).toBe(200);
      expect(comparable(await ask(DETAIL))).toEqual(comparable(before));
      expect(proxy.logLines.join("")).not.toMatch(/ent_|0x[0-9a-f]{40}|Lantern/);
    });
  });

  it("leaves the delegates of its DAOs as they were published: a name that went away would tell when", async () => {
    await withProxy(async (proxy) => {
      const delegates = `${DETAIL}/delegates`;
      const urls = [delegates, `${delegates}?date=2026-03-31`, `${delegates}?tier=T1&limit=100`];
      const ask = (url: string) => proxy.ask(url, { key: proxy.keys.pro });
      const before = [];
      for (const url of urls) before.push(comparable(await ask(url)));
      expect(before[0]?.body).toContain("delegate-1.example");
      optOut(proxy, "add");
      expect((await ask(`/v1/entities?wallet=${walletOf(1)}`)).status).toBe(404);
      for (const [index, url] of urls.entries()) expect(comparable(await ask(url))).toEqual(before[index]);
    });
  });

  it("answers like an entity that nobody ever heard of, in every tier, method and condition", async () => {
    await withProxy(async (proxy) => {
      optOut(proxy, "add");
      const pairs = [
        [`/v1/entities/${FIXTURE_ENTITY_ID}`, `/v1/entities/${UNKNOWN_ID}`],
        [`/v1/entities?wallet=${walletOf(1)}`, `/v1/entities?wallet=${UNKNOWN_WALLET}`],
        [`/v1/entities?wallet=${walletOf(0xfeed)}`, `/v1/entities?wallet=${UNKNOWN_WALLET}`],
        [`/v1/entities/${FIXTURE_ENTITY_ID}?x=1`, `/v1/entities/${UNKNOWN_ID}?x=1`],
        [`/v1/entities/${FIXTURE_ENTITY_ID.toUpperCase()}`, `/v1/entities/${UNKNOWN_ID.toUpperCase()}`],
        [`/v1/entities/${FIXTURE_ENTITY_ID}/`, `/v1/entities/${UNKNOWN_ID}/`],
      ] as const;
      const conditions: Readonly<Record<string, string>>[] = [
        {},
        { "if-none-match": "*" },
        { "if-none-match": '"0"', "accept-encoding": "br" },
        { "accept-encoding": "gzip" },
        { "if-modified-since": "Wed, 01 Apr 2026 00:00:00 GMT" },
      ];
      const keys = [undefined, "gvk_live_wrong", ...ACCESS_TIERS.map((tier) => proxy.keys[tier])];
      let compared = 0;
      for (const [hidden, unknown] of pairs) {
        for (const key of keys) {
          for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
            for (const headers of conditions) {
              const [one, other] = [
                await proxy.ask(hidden, { key, method, headers }),
                await proxy.ask(unknown, { key, method, headers }),
              ];
              expect(comparable(one), `${method} ${hidden}`).toEqual(comparable(other));
              expect(Object.keys(one.headers)).toEqual(Object.keys(other.headers));
              compared += 1;
            }
          }
        }
      }
      expect(compared).toBe(pairs.length * keys.length * 4 * conditions.length);
    });
  });
});

describe("a list that cannot be asked", () => {
  it("names nobody at all, serves everything else, and says so", async () => {
    await withProxy(async (proxy) => {
      const ask = (url: string) => proxy.ask(url, { key: proxy.keys.pro });
      const ready = await proxy.ask("/readyz");
      expect(JSON.parse(ready.body)).not.toHaveProperty("entities");
      renameSync(proxy.optOutsPath, `${proxy.optOutsPath}.away`);
      proxy.clock.nowMs += 999;
      const unknown = comparable(await ask(`/v1/entities/${UNKNOWN_ID}`));
      for (const id of [FIXTURE_ENTITY_ID, STAYING_ID]) {
        expect(comparable(await ask(`/v1/entities/${id}`))).toEqual(unknown);
      }
      expect(comparable(await ask(`/v1/entities?wallet=${walletOf(2)}`))).toEqual(unknown);
      const detail = await ask(DETAIL);
      expect([detail.status, entitiesIn(detail.body)]).toEqual([200, []]);
      expect((await ask("/v1/daos")).status).toBe(200);
      const degraded = await proxy.ask("/readyz");
      expect([degraded.status, JSON.parse(degraded.body)]).toEqual([
        200,
        { ...JSON.parse(ready.body), status: "degraded", reason: "OPT_OUTS_MISSING", entities: "withheld" },
      ]);
      renameSync(`${proxy.optOutsPath}.away`, proxy.optOutsPath);
      proxy.clock.nowMs += 999;
      expect((await ask(`/v1/entities/${STAYING_ID}`)).status).toBe(200);
      expect((await proxy.ask("/readyz")).body).toBe(ready.body);
    });
  });
});
