import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDelegateAnswers } from "../../../proxy/snapshot/delegate-answers.ts";
import { encodeCanonical } from "../../../snapshots/format/canonical-json.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DelegateEnvelope } from "../../../snapshots/format/envelope.ts";
import { WEIGHT_TIERS, type WeightTier } from "../../../snapshots/format/value-sets.ts";
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

function setUp(cacheBytes = 1_000_000) {
  const read: string[] = [];
  const reader = fakeReader(1, {
    latestListing: (spaceId) => {
      read.push(spaceId);
      return spaceId === "tidewater.example" ? READY : undefined;
    },
    datedListing: (spaceId, date) => {
      read.push(`${spaceId} ${date}`);
      return date === "2026-03-30" ? { ...READY, totalDelegates: 1 } : undefined;
    },
  });
  const answers = createDelegateAnswers(cacheBytes);
  const find = (
    cut: { spaceId?: string; date?: string; weightTier?: WeightTier; limit?: number },
    from = reader,
  ) =>
    answers.find(from, {
      spaceId: cut.spaceId ?? "tidewater.example",
      date: cut.date,
      weightTier: cut.weightTier,
      limit: cut.limit ?? 10,
    });
  return { read, reader, find };
}

describe("createDelegateAnswers", () => {
  it("gives the canonical bytes of the envelope, whatever is cut", () => {
    const { find } = setUp();
    const cut = fc.record({
      weightTier: fc.option(fc.constantFrom(...WEIGHT_TIERS), { nil: undefined }),
      limit: fc.constantFrom(10, 20, 50, 100),
    });
    fc.assert(
      fc.property(cut, ({ weightTier, limit }) => {
        const rows = LISTING.delegates.filter((row) => !weightTier || row.weight_tier === weightTier);
        const data = { ...LISTING, delegates: rows.slice(0, limit) };
        const want = encodeCanonical(DelegateEnvelope, { data, meta: META });
        const options = weightTier === undefined ? { limit } : { weightTier, limit };
        expect(find(options)?.("identity").bytes.toString()).toBe(want.toString());
      }),
    );
  });

  it("packs what it says, each with its own ETag", () => {
    const { find } = setUp();
    const encode = find({ limit: 100 });
    const plain = encode?.("identity").bytes;
    expect(brotliDecompressSync(encode?.("br").bytes as Buffer)).toEqual(plain);
    expect(gunzipSync(encode?.("gzip").bytes as Buffer)).toEqual(plain);
    const etags = (["identity", "br", "gzip"] as const).map((each) => encode?.(each).etag);
    expect(new Set(etags).size).toBe(3);
    for (const etag of etags) expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it.each([
    { why: "no such space", cut: { spaceId: "nobody" } },
    { why: "no such day", cut: { date: "2026-03-29" } },
  ])("finds nothing: $why", ({ cut }) => {
    expect(setUp().find(cut)).toBeUndefined();
  });

  it("reads a listing once per cut, and keeps cuts, days and versions apart", () => {
    const { find, read, reader } = setUp();
    const total = (cut: Parameters<typeof find>[0], from = reader) =>
      JSON.parse(find(cut, from)?.("identity").bytes.toString() ?? "{}").data?.total_delegates;
    expect([total({}), total({}), total({ date: "2026-03-30" })]).toEqual([302, 302, 1]);
    expect(read).toEqual(["tidewater.example", "tidewater.example 2026-03-30"]);
    const newer = fakeReader(2, { latestListing: () => ({ ...READY, totalDelegates: 7 }) });
    expect([total({}, newer), total({}), total({ limit: 20 })]).toEqual([7, 302, 302]);
  });

  it("forgets the cuts of a version once a newer one is asked for, and then no more", () => {
    const { find, read } = setUp();
    const newer = setUp();
    find({});
    expect(read).toHaveLength(1);
    find({}, newer.reader);
    // A request that is under way may still ask the old one.
    find({});
    find({});
    expect(read).toHaveLength(2);
    find({}, newer.reader);
    expect(newer.read).toHaveLength(1);
  });

  it("gives the same bytes again from memory, and right ones from a memory that is too small", () => {
    const { find } = setUp();
    expect(find({})?.("br").bytes).toBe(find({})?.("br").bytes);
    const small = setUp(600);
    const first = small.find({})?.("gzip").bytes;
    expect(small.find({})?.("gzip").bytes).toEqual(first);
    expect(small.read.length).toBe(2);
  });
});
