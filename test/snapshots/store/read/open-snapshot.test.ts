import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { encodeCanonical, sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { DelegateItem, lineSpans } from "../../../../snapshots/format/delegates.ts";
import { type DocumentKind, ENVELOPES } from "../../../../snapshots/format/envelope.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
  walletOf,
} from "../../../support/published-set.ts";
import { currentDirectory, publishedRoot, replaceFile, temporaryRoot } from "../temporary-root.ts";

const META = { methodology_version: "1.0.0", as_of: "2026-03-31T23:59:59.999Z" };

async function published() {
  const root = await publishedRoot();
  return { root, reader: await openSnapshot(root) };
}

describe("openSnapshot: documents", () => {
  const set = publishedSet();
  const list = (data: typeof set.daos, unscored = 0) => ({
    data,
    meta: { ...META, total: data.length, unscored, updated_at: set.asOf, by_space_id: {} },
  });
  const { gvs_30d_dates, ...detail } = set.details[1]!;
  const history = (count: number) => set.dgiHistory!.values.slice(-count);
  const rows: { why: string; kind: DocumentKind; id: string; want: unknown }[] = [
    { why: "the whole list", kind: "daos", id: "all", want: list(set.daos, 1) },
    {
      why: "one category keeps overall ranks",
      kind: "daos",
      id: "defi",
      want: list([set.daos[0]!, set.daos[2]!]),
    },
    { why: "an empty category is an empty list", kind: "daos", id: "infrastructure", want: list([]) },
    { why: "a category of the unscored only", kind: "daos", id: "social", want: list([], 1) },
    { why: "a detail", kind: "dao", id: "orchard", want: { data: detail, meta: { ...META, gvs_30d_dates } } },
    {
      why: "why a DAO has no score",
      kind: "unscored",
      id: "quiet-reef",
      want: { data: set.unscored[0]?.reason, meta: META },
    },
    { why: "a risk assessment", kind: "risk", id: "orchard", want: { data: set.risks[1], meta: META } },
    { why: "the DGI", kind: "dgi", id: "current", want: { data: set.dgi, meta: META } },
    { why: "an entity", kind: "entity", id: FIXTURE_ENTITY_ID, want: { data: set.entities[0], meta: META } },
    {
      why: "30 days of history are the last 30 calendar days",
      kind: "dgi-history",
      id: "30d",
      want: { data: { period: "30d", values: history(30) }, meta: META },
    },
    {
      why: "a longer period holds what there is",
      kind: "dgi-history",
      id: "90d",
      want: { data: { period: "90d", values: history(40) }, meta: META },
    },
    {
      why: "the longest is the file itself",
      kind: "dgi-history",
      id: "365d",
      want: { data: set.dgiHistory, meta: META },
    },
  ];

  it.each(rows)("$kind $id: $why", async ({ kind, id, want }) => {
    const { reader } = await published();
    const document = reader.document(kind, id);
    const shape: (typeof ENVELOPES)[DocumentKind] = ENVELOPES[kind];
    const canonical = encodeCanonical(shape, want as never);
    expect(document?.identity.bytes.toString()).toBe(canonical.toString());
    expect(gunzipSync(document!.gzip.bytes).equals(canonical)).toBe(true);
    expect(brotliDecompressSync(document!.brotli.bytes).equals(canonical)).toBe(true);
    for (const { bytes, etag } of [document!.identity, document!.gzip, document!.brotli]) {
      expect(etag).toBe(`"${sha256Hex(bytes).slice(0, 32)}"`);
    }
    reader.close();
  });

  it.each([
    { why: "an unscored DAO", kind: "dao", id: "quiet-reef" },
    { why: "a DAO without a risk document", kind: "risk", id: "harbor-lights" },
    { why: "an id that is a path", kind: "dao", id: "../daos" },
    { why: "an id that is SQL", kind: "dao", id: "' OR 1=1 --" },
    { why: "an unknown category", kind: "daos", id: "games" },
    { why: "an empty id", kind: "dgi", id: "" },
  ] as const)("has no $kind $id: $why", async ({ kind, id }) => {
    const { reader } = await published();
    expect(reader.document(kind, id)).toBeUndefined();
    reader.close();
  });

  it("has no DGI documents where there is no DGI", async () => {
    const root = temporaryRoot();
    await publishFixture(root, { set: { ...publishedSet(), dgi: undefined, dgiHistory: undefined } });
    const reader = await openSnapshot(root);
    expect([reader.document("dgi", "current"), reader.document("dgi-history", "30d")]).toEqual([
      undefined,
      undefined,
    ]);
    reader.close();
  });

  it("finds an entity by each of its wallets, in lower case", async () => {
    const { reader } = await published();
    expect(reader.entityIdOfWallet(walletOf(1))).toBe(FIXTURE_ENTITY_ID);
    expect(reader.entityIdOfWallet(walletOf(0xfeed))).toBe(FIXTURE_ENTITY_ID);
    expect(reader.entityIdOfWallet(walletOf(2))).toBeUndefined();
    reader.close();
  });
});

describe("openSnapshot: delegate listings", () => {
  it("holds the latest listing row by row, ready to be cut", async () => {
    const { reader } = await published();
    const { latest } = publishedSet().listings[0]!;
    const listing = reader.latestListing("tidewater.example");
    expect(listing).toEqual({
      meta: META,
      dao: "tidewater.example",
      fetchedAt: latest.fetched_at,
      totalDelegates: 302,
      summaryJson: JSON.stringify(latest.summary),
      rows: latest.delegates.map((item) => ({
        weightTier: item.weight_tier,
        json: JSON.stringify(DelegateItem.parse(item)),
      })),
    });
    expect(listing?.rows).toHaveLength(212);
    reader.close();
  });

  it("reads a dated listing from its file, as of the end of its day", async () => {
    const { reader } = await published();
    const listing = reader.datedListing("tidewater.example", "2026-03-29");
    expect(listing?.meta).toEqual({ ...META, as_of: "2026-03-29T23:59:59.999Z" });
    expect(listing?.totalDelegates).toBe(300);
    expect(listing?.rows[0]).toEqual({
      weightTier: "T1",
      json: expect.stringContaining('{"rank":1,') as string,
    });
    reader.close();
  });

  it.each([
    { why: "a day without a list", space: "tidewater.example", date: "2026-03-28" },
    { why: "a DAO without dated lists", space: "orchard", date: "2026-03-29" },
    { why: "a date that is a path", space: "tidewater.example", date: "../latest" },
    { why: "an unknown DAO", space: "nobody", date: "2026-03-29" },
  ])("has none for $why", async ({ space, date }) => {
    const { reader } = await published();
    expect(reader.datedListing(space, date)).toBeUndefined();
    expect(reader.latestListing("harbor-lights")).toBeUndefined();
    reader.close();
  });

  const [, second, last] = ["2026-03-29", "2026-03-30", "2026-03-31"] as const;
  it.each([
    {
      why: "changed",
      bytes: (before: Buffer, end: number) => Buffer.from(before).fill("9", end - 40, end - 39),
      unread: [second],
    },
    {
      why: "moved along",
      bytes: (before: Buffer, end: number) =>
        Buffer.concat([before.subarray(0, end - 1), Buffer.from(" "), before.subarray(end - 1)]),
      unread: [second, last],
    },
    {
      why: "cut",
      bytes: (before: Buffer, end: number) => before.subarray(0, end - 1),
      unread: [second, last],
    },
  ])(
    "refuses dated listings that were $why after opening, and serves the rest",
    async ({ bytes, unread }) => {
      const { root, reader } = await published();
      const path = join(currentDirectory(root), "delegates/tidewater.example/2026-03.ndjson");
      const before = readFileSync(path);
      const { offset, bytes: length } = lineSpans(before)[1]!;
      replaceFile(path, bytes(before, offset + length));
      for (const date of unread) {
        const read = () => reader.datedListing("tidewater.example", date);
        expect(read).toThrow(expect.objectContaining({ code: "SNAPSHOT_INVALID" }) as Error);
        expect(read).not.toThrow(/govdata-store-/);
        expect(read(), "and then there is none").toBeUndefined();
      }
      expect(reader.datedListing("tidewater.example", "2026-03-29")).toBeDefined();
      expect(reader.datedListing("tidewater.example", last) === undefined).toBe(unread.includes(last));
      reader.close();
    },
  );
});

describe("openSnapshot: versions", () => {
  it("holds its version to the end, whatever is published meanwhile", async () => {
    const { root, reader } = await published();
    const second = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect(reader.sequence).toBe(1);
    expect(reader.document("dgi", "current")).toBeDefined();
    expect(reader.datedListing("tidewater.example", "2026-03-30")).toBeDefined();
    const newer = await openSnapshot(root);
    expect([newer.version, newer.sequence]).toEqual([second.version, 2]);
    newer.close();
    reader.close();
    expect(() => reader.document("dgi", "current")).toThrow();
  });

  it("opens an older version by name", async () => {
    const { root, reader } = await published();
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    const older = await openSnapshot(root, { version: reader.version });
    expect(older.sequence).toBe(1);
    older.close();
    reader.close();
  });

  it.each([
    { why: "the same sequence", sequenceMin: 2, code: undefined },
    { why: "a lower one", sequenceMin: 1, code: undefined },
    { why: "one more than there is", sequenceMin: 3, code: "SNAPSHOT_ROLLED_BACK" },
  ])("knows a rollback: seen before was $why", async ({ sequenceMin, code }) => {
    const { root, reader } = await published();
    reader.close();
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    const outcome = await openSnapshot(root, { sequenceMin }).catch((error: unknown) => error);
    expect(outcome).toMatchObject(code === undefined ? { sequence: 2 } : { code });
    if ("close" in (outcome as object)) (outcome as { close: () => void }).close();
  });

  it.each([
    { why: "nothing was ever published", version: undefined },
    { why: "a version that is not there", version: "20200101T000000Z-00000000" },
    { why: "a version that is a path", version: "../20200101T000000Z-00000000" },
    { why: "an absolute path", version: "/etc" },
  ])("says SNAPSHOT_MISSING: $why", async ({ version }) => {
    const root = temporaryRoot();
    if (version !== undefined) await publishFixture(root);
    const opening = openSnapshot(root, version === undefined ? {} : { version });
    await expect(opening).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
    await expect(opening).rejects.not.toThrow(/govdata-store-|etc/);
  });

  it("refuses a version whose folder is gone", async () => {
    const { root, reader } = await published();
    reader.close();
    rmSync(currentDirectory(root), { recursive: true });
    await expect(openSnapshot(root)).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
  });
});
