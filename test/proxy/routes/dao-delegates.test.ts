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
});

function bodyOf(query: string) {
  const pathId = "tidewater.example";
  const answer = answerOf(daoDelegates, { tier: "pro", pathId, query: new URLSearchParams(query), snapshot });
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

  it("compresses what it says once for each encoding", () => {
    const encode = bodyOf("limit=100");
    expect(encode("br")).toBe(encode("br"));
  });
});
