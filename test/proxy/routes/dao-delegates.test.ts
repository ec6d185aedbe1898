import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerOf } from "../../../proxy/request/endpoint.ts";
import { daoDelegates } from "../../../proxy/routes/dao-delegates.ts";
import { encodeCanonical } from "../../../snapshots/format/canonical-json.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DelegateEnvelope } from "../../../snapshots/format/envelope.ts";
import { WEIGHT_TIERS } from "../../../snapshots/format/value-sets.ts";
import type { ReadyListing } from "../../../snapshots/store/read/snapshot-reader.ts";
import { publishedSet } from "../../support/published-set.ts";
import { fakeReader } from "../support/fake-reader.ts";

const LISTING = publishedSet().listings[0]?.latest as DelegateListing;
const META = { methodology_version: "1.0.0", as_of: "2026-03-31T23:59:59.999Z" };
const READY: ReadyListing = {
  meta: META,
  dao: LISTING.dao,
  fetchedAt: LISTING.fetched_at,
  totalDelegates: LISTING.total_delegates,
  summaryJson: JSON.stringify(LISTING.summary),
  rows: LISTING.delegates.map((row) => ({ weightTier: row.weight_tier, json: JSON.stringify(row) })),
};
const snapshot = fakeReader(1, {
  latestListing: (spaceId) => (spaceId === "tidewater.example" ? READY : undefined),
  datedListing: (_spaceId, date) => (date === "2026-03-30" ? { ...READY, totalDelegates: 1 } : undefined),
});

function find(query: string, pathId = "tidewater.example") {
  return answerOf(daoDelegates, { tier: "pro", pathId, query: new URLSearchParams(query), snapshot });
}

function bodyOf(query: string) {
  const answer = find(query);
  return typeof answer === "object" && "encode" in answer
    ? answer.encode
    : expect.fail(`no body for ${query}`);
}

describe("daoDelegates", () => {
  it("gives the canonical bytes of the envelope, whatever is cut", () => {
    const cut = fc.record({
      tier: fc.option(fc.constantFrom(...WEIGHT_TIERS), { nil: undefined }),
      limit: fc.constantFrom(10, 20, 50, 100),
    });
    fc.assert(
      fc.property(cut, ({ tier, limit }) => {
        const rows = LISTING.delegates.filter((row) => !tier || row.weight_tier === tier);
        const data = { ...LISTING, delegates: rows.slice(0, limit) };
        const want = encodeCanonical(DelegateEnvelope, { data, meta: META });
        const query = `limit=${limit}${tier === undefined ? "" : `&tier=${tier}`}`;
        expect(bodyOf(query)("identity").bytes.toString()).toBe(want.toString());
      }),
    );
  });

  it("packs what it says, once and each with its own ETag", () => {
    const encode = bodyOf("limit=100");
    const plain = encode("identity").bytes;
    expect(brotliDecompressSync(encode("br").bytes)).toEqual(plain);
    expect(gunzipSync(encode("gzip").bytes)).toEqual(plain);
    expect(encode("br")).toBe(encode("br"));
    const etags = (["identity", "br", "gzip"] as const).map((encoding) => encode(encoding).etag);
    expect(new Set(etags).size).toBe(3);
    for (const etag of etags) expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it("keeps today and past days apart", () => {
    const total = (query: string) =>
      JSON.parse(bodyOf(query)("identity").bytes.toString()).data.total_delegates;
    expect([total(""), total("date=2026-03-30"), total("")]).toEqual([302, 1, 302]);
  });

  it.each([
    { why: "no such space", query: "", pathId: "nobody" },
    { why: "no such day", query: "date=2026-03-29", pathId: "tidewater.example" },
    { why: "an id of a wrong shape", query: "", pathId: "../tidewater.example" },
  ])("finds nothing: $why", ({ query, pathId }) => {
    expect(find(query, pathId)).toBe("delegates-unknown");
  });
});
