import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { DelegateItem, DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import type { Imprint } from "../../../../snapshots/format/imprint.ts";
import { shortAddress } from "../../../../snapshots/format/text.ts";
import type { DenyList } from "../../../../snapshots/optouts/deny-list.ts";
import { guardReader } from "../../../../snapshots/store/read/guard-reader.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { encodeValue, parseDocument } from "../../../../snapshots/store/read/parse-document.ts";
import {
  readGraph,
  readPublishedDocuments,
  readVersion,
} from "../../../../snapshots/store/read/read-documents.ts";
import type { SnapshotReader } from "../../../../snapshots/store/read/snapshot-reader.ts";
import { publishSnapshot } from "../../../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { everyKindSet } from "../../../faults/every-kind-set.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
  runReport,
  snapshotPlan,
  walletOf,
} from "../../../support/published-set.ts";
import { namingSet } from "../redact-stage.ts";
import {
  currentDirectory,
  publishedRoot,
  replaceFile,
  sealAgain,
  sharedRoot,
  temporaryRoot,
} from "../temporary-root.ts";

describe("read graph", () => {
  const set = withGraph(publishedSet());
  const graph = set.graphs[0]!;
  const PATH = "graph/orchard.json";
  const { root, remove } = sharedRoot();

  beforeAll(() => publishFixture(root, { set }));
  afterAll(remove);

  /** What is read of a version that holds this graph, every hash agreeing; the version is put back. */
  function readOf(forged: DelegationGraph): DelegationGraph | undefined {
    const file = join(currentDirectory(root), PATH);
    const before = readFileSync(file);
    replaceFile(file, `${JSON.stringify(forged)}\n`);
    const sealed = sealAgain(root, PATH);
    try {
      return readGraph(locateVersion(root), "orchard");
    } finally {
      sealed.undo();
      replaceFile(file, before);
    }
  }

  describe("readGraph", () => {
    it("reads what was published, and nothing where there is none", () => {
      const located = locateVersion(root);
      expect(readGraph(located, "orchard")).toEqual(graph);
      expect(readGraph(located, "harbor-lights")).toBeUndefined();
      expect(readGraph(located, "../graph/orchard")).toBeUndefined();
    });

    it.each<{ why: string; change: Partial<DelegationGraph>; says: string }>([
      {
        why: "it is that of another DAO",
        change: { space_id: "harbor-lights" },
        says: "is the document of another ID",
      },
      {
        why: "all power is none, and parts of it are not",
        change: { totals: { ...graph.totals, votes: "0" } },
        says: "votes of delegates do not add up to totals.votes",
      },
      {
        why: "two delegates have one rank",
        change: { delegates: graph.delegates.map((delegate) => ({ ...delegate, rank: 1 })) },
        says: "delegates are not sorted by rank",
      },
      {
        why: "delegations do not add up",
        change: { delegations: graph.delegations.slice(1) },
        says: "votes of delegators do not add up to traced_votes",
      },
    ])("believes none where $why, though its hash is right", ({ change, says }) => {
      expect(() => readOf({ ...graph, ...change })).toThrow(
        expect.objectContaining({ code: "SNAPSHOT_INVALID", path: PATH, message: `${PATH}: ${says}` }),
      );
      expect(readOf(graph), "the same way, untouched").toEqual(graph);
    });
  });
});

describe("readPublishedDocuments", () => {
  it("gives the list and the report, and of the details how complete they are", async () => {
    const root = temporaryRoot();
    const { version, manifest } = await publishFixture(root);
    const set = publishedSet();
    const { completenessOfSpace, unscored, ...documents } = readPublishedDocuments(root);
    expect(documents).toEqual({
      version,
      manifest,
      daos: set.daos,
      rankings: new Map(set.rankings.map((place) => [place.space_id, place])),
      spaceIds: set.daos.map((dao) => dao.space_id),
      run: runReport(set, FIXTURE_AS_OF_MS + 3_600_001),
    });
    expect(unscored()).toEqual(set.unscored);
    expect([...completenessOfSpace()].toSorted()).toEqual(
      set.details.map((dao) => [dao.space_id, dao.data_completeness]).toSorted(),
    );
    expect(readPublishedDocuments(root, version).daos).toEqual(set.daos);
  });

  it("refuses a list that is not what the manifest says", async () => {
    const root = await publishedRoot();
    replaceFile(join(currentDirectory(root), "daos.json"), "[]\n");
    expect(() => readPublishedDocuments(root)).toThrow(/^daos\.json: has 3 bytes, not the \d+ expected$/);
  });

  it("reads a detail only when it is asked how complete they are, and refuses one that is damaged", async () => {
    const root = await publishedRoot();
    const [dao] = publishedSet().details;
    replaceFile(join(currentDirectory(root), `daos/${dao?.space_id}.json`), "{}\n");
    const documents = readPublishedDocuments(root);
    expect(() => documents.completenessOfSpace()).toThrow(/^daos\/.+: has 3 bytes, not the \d+ expected$/);
  });
});

it("readVersion gives back what was published, but for the whole rankings", async () => {
  const root = temporaryRoot();
  const corrections = [{ date: "2026-04-02", wrong: "A vote counted twice.", changed: "It counts once." }];
  const published = { ...everyKindSet(), corrections };
  await publishFixture(root, { set: published });
  const listings = published.listings.map((listing) => ({ ...listing, all: [] }));
  expect(readVersion(root).set).toEqual({ ...published, listings });
});

it("readVersion gives what the publisher says of a version, and nothing else of its data package", async () => {
  const root = temporaryRoot();
  const imprint: Imprint = { licenses: [{ name: "CC-BY-4.0" }], invented: true };
  const plan = snapshotPlan(publishedSet(), FIXTURE_AS_OF_MS + 1, { imprint });
  await publishSnapshot(plan, createSnapshotDisk(root));
  expect(readVersion(root).imprint).toEqual(imprint);
});

const ITEM: DelegateItem = {
  rank: 1,
  address: walletOf(1),
  display_name: "0x0000…0001",
  votes_human: 12.5,
  votes_share_pct: 100,
  delegators_count: 3,
  weight_tier: "T1",
};
const PATH = "delegates/orchard/all.csv";

describe("a line of a whole ranking", () => {
  it.each([
    { why: "a bare address", name: undefined },
    { why: "a plain name", name: "lantern.example" },
    { why: "commas and quotes", name: 'a "b", c' },
    { why: "other scripts", name: "Ωmega 二 🏮" },
    { why: "a formula", name: "=1+1" },
    { why: "a formula in quotes", name: '=HYPERLINK("x","y")' },
    { why: "a formula after a semicolon", name: "a;=1+1" },
    { why: "what looks like an escaped formula", name: "'=1+1" },
    { why: "a sign", name: "@cmd" },
    { why: "a minus", name: "-1" },
    { why: "a formula in wide letters", name: "＝1＋1" },
    { why: "a wide sign", name: "＠cmd" },
    { why: "an apostrophe of its own", name: "'tis" },
  ])("is the delegate it was made of: $why", ({ name }) => {
    const item = name === undefined ? ITEM : { ...ITEM, ens: name, display_name: name };
    expect(parseDocument("wholeListing", PATH, encodeValue("wholeListing", [item]))).toEqual([item]);
  });

  it.each([
    { why: "nothing", line: "\n1" },
    { why: "too few fields", line: "1,0x" },
    { why: "an open quote", line: '1,"0x' },
    { why: "a rank that is none", line: `one,${walletOf(1)},,0x0000…0001,12.5,100,3,T1` },
  ])("is refused, named by its file: $why", ({ line }) => {
    const bytes = Buffer.from(`${encodeValue("wholeListing", [ITEM])}${line}\n`);
    expect(() => parseDocument("wholeListing", PATH, bytes)).toThrow(
      `${PATH}: contains a line that is no row of its table`,
    );
  });
});

const UNKNOWN_ID = "ent_99999999999999999999999999";

const denying = (...ids: string[]): DenyList => ({ count: ids.length, has: (id) => ids.includes(id) });

async function withFixture(check: (reader: SnapshotReader) => void): Promise<void> {
  const root = temporaryRoot();
  await publishFixture(root, { set: namingSet(0) });
  const reader = await openSnapshot(root);
  try {
    check(reader);
  } finally {
    reader.close();
  }
}

it("answers for an opted-out entity and its wallets what it answers for unknown ones", () =>
  withFixture((reader) => {
    const shown = guardReader(reader, denying(FIXTURE_ENTITY_ID));
    expect(reader.document("entity", FIXTURE_ENTITY_ID)).toBeDefined();
    expect(shown.document("entity", FIXTURE_ENTITY_ID)).toEqual(shown.document("entity", UNKNOWN_ID));
    expect(reader.entityIdOfWallet(walletOf(1))).toBe(FIXTURE_ENTITY_ID);
    expect(shown.entityIdOfWallet(walletOf(1))).toEqual(shown.entityIdOfWallet(walletOf(0xfade)));
  }));

it("answers for every other entity as before", () =>
  withFixture((reader) => {
    const shown = guardReader(reader, denying(FIXTURE_ENTITY_ID));
    const others = reader.entityIds().filter((id) => id !== FIXTURE_ENTITY_ID);
    expect(others.length).toBeGreaterThan(0);
    for (const id of others) expect(shown.document("entity", id)).toEqual(reader.document("entity", id));
  }));

it("shows the wallets of an opted-out entity as bare addresses in every listing, and every other row as before", () =>
  withFixture((reader) => {
    const shown = guardReader(reader, denying(FIXTURE_ENTITY_ID));
    const date = dayOf(FIXTURE_AS_OF_MS - DAY_MS);
    const listings = [
      [reader.latestListing("tidewater.example"), shown.latestListing("tidewater.example")],
      [reader.datedListing("tidewater.example", date), shown.datedListing("tidewater.example", date)],
    ];
    for (const [before, after] of listings) {
      expect(after).toMatchObject({ ...before, rows: expect.any(Array) });
      const changed = after?.rows.filter((row, index) => row.json !== before?.rows[index]?.json) ?? [];
      const items = changed.map(({ json }): DelegateItem => JSON.parse(json));
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThan(before?.rows.length ?? 0);
      for (const { address, ens, display_name: name } of items) {
        expect(reader.entityIdOfWallet(address)).toBe(FIXTURE_ENTITY_ID);
        expect([ens, name]).toEqual([undefined, shortAddress(address)]);
      }
    }
    expect(shown.latestListing("nowhere")).toBeUndefined();
    expect(shown.datedListing("tidewater.example", "2001-01-01")).toBeUndefined();
  }));

it("is the reader itself where the version names nobody on the list", () =>
  withFixture((reader) => expect(guardReader(reader, denying(UNKNOWN_ID))).toBe(reader)));
