import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { publishFixture } from "../../support/published-set.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { exchange } from "../wire/exchange.ts";
import { createListeningProxy, type ListeningProxy } from "../wire/listening-proxy.ts";

const folder = temporaryFolder();
const published = join(folder, "published");

/** A proxy that counts how often an endpoint worked an answer out. */
async function countingProxy(hasFastPath: boolean, corsOrigins: readonly string[]) {
  const counts = { worked: 0 };
  const endpoints = ENDPOINTS.map((endpoint) => ({
    ...endpoint,
    answer: (request: Parameters<typeof endpoint.answer>[0]) => {
      counts.worked += 1;
      return endpoint.answer(request);
    },
  }));
  const proxy = await createListeningProxy({ folder, published, hasFastPath, corsOrigins, endpoints });
  return { proxy, counts };
}

const TARGETS = [
  "/v1/daos",
  "/v1/daos?category=defi",
  "/v1/daos?category=nonsense",
  "/v1/daos/tidewater.example",
  "/v1/daos/tidewater.example/risk",
  "/v1/daos/tidewater.example/delegates",
  "/v1/daos/tidewater.example/delegates?limit=100&tier=T1",
  "/v1/daos/tidewater.example/delegates?date=2026-03-31",
  "/v1/daos/tidewater.example/graph",
  "/v1/daos/nobody.example",
  "/v1/dgi",
  "/v1/dgi/history?period=30d",
  "/v1/entities/ent_0000000000000000000lanterm",
  "http://localhost/v1/daos",
  "/v1/daos/",
];
const HEADER_SETS: readonly string[] = [
  "",
  "Accept-Encoding: gzip\r\n",
  "accept-encoding: br;q=0.5, gzip\r\n",
  "Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n",
  "If-None-Match: *\r\n",
  'If-None-Match: "not-it"\r\n',
  "If-None-Match: ETAG\r\n",
  'If-None-Match: W/ETAG, "other"\r\nAccept-Encoding: br\r\n',
  'If-None-Match: "x"\r\nIf-None-Match: *\r\n',
  "Origin: https://app.example.org\r\n",
  "Origin: https://elsewhere.example\r\n",
  "Content-Length: 0\r\n",
  "X-Forwarded-For: 203.0.113.9\r\nUser-Agent: a browser of no importance\r\n",
];

/** The bytes without the two lines that differ between any two answers. */
const comparable = (bytes: Buffer) =>
  bytes.toString("latin1").replace(/^(date|x-request-id): .*$/gim, "$1: …");

async function ask(proxy: ListeningProxy, method: string, target: string, headers: string): Promise<string> {
  const lines = `Host: localhost\r\nConnection: close\r\n${headers}`;
  const { bytes } = await exchange(proxy.port, [`${method} ${target} HTTP/1.1\r\n${lines}\r\n`]);
  return comparable(bytes);
}

describe.each([
  { why: "no origin may call from a page", corsOrigins: [], tiers: [...ACCESS_TIERS, "nobody"] as const },
  {
    why: "one origin may call from a page",
    corsOrigins: ["https://app.example.org"],
    tiers: ["pro"] as const,
  },
])("the fast path gives the very bytes of the router, where $why", ({ corsOrigins, tiers }) => {
  let fast: Awaited<ReturnType<typeof countingProxy>>;
  let slow: Awaited<ReturnType<typeof countingProxy>>;
  beforeAll(async () => {
    await publishFixture(published);
    fast = await countingProxy(true, corsOrigins);
    slow = await countingProxy(false, corsOrigins);
  });
  afterAll(async () => {
    await fast.proxy.close();
    await slow.proxy.close();
  });

  it.each(tiers)("for %s", async (tier) => {
    const keyOf = ({ keys }: ListeningProxy) => (tier === "nobody" ? "gvk_live_wrong" : keys[tier]);
    const both = async (method: string, target: string, headers: string) => {
      const of = ({ proxy }: typeof fast) =>
        ask(proxy, method, target, `x-api-key: ${keyOf(proxy)}\r\n${headers}`);
      return [await of(fast), await of(slow)] as const;
    };
    for (const target of TARGETS) {
      const [first] = await both("GET", target, "");
      const etag = /^etag: (.*)\r$/m.exec(first)?.[1] ?? '"none"';
      for (const headers of HEADER_SETS) {
        const [one, other] = await both("GET", target, headers.replaceAll("ETAG", etag));
        expect(one, `${target} ${headers}`).toBe(other);
      }
      for (const method of ["HEAD", "POST", "OPTIONS"]) {
        const [one, other] = await both(method, target, "");
        expect(one, `${method} ${target}`).toBe(other);
      }
    }
    // Free's day is over by then, with both in the same request.
    if (tier === "free") expect(fast.proxy.usedBy("free")).toBe(100);
    expect(fast.proxy.usedBy(tier)).toBe(slow.proxy.usedBy(tier));
  });

  it("and has worked out fewer answers: those of a GET once, and again only where something was odd", () => {
    expect(fast.counts.worked).toBeLessThan(slow.counts.worked * 0.7);
  });
});
