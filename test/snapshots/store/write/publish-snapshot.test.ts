import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { encodeCanonical, sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { DaoDetail } from "../../../../snapshots/format/dao.ts";
import { DelegateListing } from "../../../../snapshots/format/delegates.ts";
import { FILE_BYTES_MAX, FORMAT_VERSION, WHOLE_FILE_BYTES_MAX } from "../../../../snapshots/format/limits.ts";
import { Manifest, type RunReport } from "../../../../snapshots/format/manifest.ts";
import type { DatedListing, PublishedSet } from "../../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { publishSnapshot } from "../../../../snapshots/store/write/publish-snapshot.ts";
import { publishVersion } from "../../../../snapshots/store/write/publish-version.ts";
import type { RenderedPart } from "../../../../snapshots/store/write/render-part.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FILES_OF_THE_RUN } from "../../../support/published-files.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
  renderedParts,
  runReport,
  snapshotPlan,
} from "../../../support/published-set.ts";
import {
  bytesByPath,
  currentDirectory,
  publishedRoot,
  replaceFile,
  temporaryRoot,
} from "../temporary-root.ts";

/** Every file that must be the same for the same data. */
function untimed(directory: string): Map<string, string> {
  return new Map([...bytesByPath(directory)].filter(([path]) => !FILES_OF_THE_RUN.includes(path)));
}

describe("publishVersion", () => {
  it.each([
    { path: "daos.json", bytes: WHOLE_FILE_BYTES_MAX, isTaken: true },
    { path: "daos.json", bytes: WHOLE_FILE_BYTES_MAX + 1, isTaken: false },
    { path: "index.sqlite", bytes: WHOLE_FILE_BYTES_MAX + 1, isTaken: true },
    { path: "index.sqlite", bytes: FILE_BYTES_MAX + 1, isTaken: false },
  ])("writes $path of $bytes bytes: $isTaken, as readers do", async ({ path, bytes, isTaken }) => {
    const root = temporaryRoot();
    const entry = {
      path,
      bytes,
      sha256: "0".repeat(64),
      records: 1,
      media_type: "application/json",
    } as const;
    const about = { methodology_version: "1.0.0", as_of: publishedSet().asOf, sources: [], redacted: false };
    const draft = { about: { ...about, replaces: null }, files: [{ entry, bytes: Buffer.alloc(0) }] };
    const publication = { runId: "00000000000000ab", createdAtMs: FIXTURE_AS_OF_MS };
    const end = publishVersion(publication, () => draft, createSnapshotDisk(root));
    // What gets past the first look is refused all the same, as its bytes are not these.
    const words = isTaken ? /does not read back/ : /is larger than readers accept/;
    await expect(end).rejects.toThrow(words);
  });
});

/** The set with these dated listings of its first DAO. */
const withDated = (set: PublishedSet, dated: readonly DatedListing[]): PublishedSet => ({
  ...set,
  listings: [{ ...set.listings[0]!, dated }, set.listings[1]!],
});

const lineOf = (day: DatedListing | undefined): string =>
  encodeCanonical(DelegateListing, day!.listing).toString("utf8");

describe("publishSnapshot", () => {
  it("makes the root, one version, and a pointer to it that verifies deeply", async () => {
    const root = temporaryRoot();
    const { version, sequence, filesLinked, warnings } = await publishFixture(root);
    expect(readdirSync(root).toSorted()).toEqual([version, "current.json", "publish.lock"]);
    expect({ sequence, filesLinked, warnings }).toEqual({ sequence: 1, filesLinked: 0, warnings: [] });
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
    expect(statSync(root).mode & 0o777).toBe(0o755);
  });

  it("lays the files out where an analyst looks for them", async () => {
    const root = await publishedRoot();
    expect([...bytesByPath(currentDirectory(root)).keys()].toSorted()).toEqual([
      "daos.json",
      "daos/harbor-lights.json",
      "daos/orchard.json",
      "daos/tidewater.example.json",
      "datapackage.json",
      "delegates/orchard/all.csv",
      "delegates/orchard/latest.json",
      "delegates/tidewater.example/2026-03.ndjson",
      "delegates/tidewater.example/all.csv",
      "delegates/tidewater.example/days.csv",
      "delegates/tidewater.example/latest.json",
      "dgi-history.json",
      "dgi.json",
      `entities/${FIXTURE_ENTITY_ID}.json`,
      "history/harbor-lights.json",
      "history/orchard.json",
      "history/tidewater.example.json",
      "index.sqlite",
      "manifest.json",
      "rankings.json",
      "risk/orchard.json",
      "risk/tidewater.example.json",
      "run.json",
      "unscored.json",
    ]);
  });

  it("writes what the API puts in data, canonically", async () => {
    const root = await publishedRoot();
    const [detail] = publishedSet().details;
    const bytes = readFileSync(join(currentDirectory(root), "daos/tidewater.example.json"));
    expect(bytes.equals(encodeCanonical(DaoDetail, detail!))).toBe(true);
  });

  it("names the version after the time of the run and the manifest's own hash", async () => {
    const root = temporaryRoot();
    const createdAtMs = Date.parse("2026-04-02T03:04:05.678Z");
    const { version, manifest } = await publishFixture(root, { createdAtMs });
    const bytes = readFileSync(join(root, version, "manifest.json"));
    expect(version).toBe(`20260402T030405Z-${sha256Hex(bytes).slice(0, 8)}`);
    expect(Manifest.parse(JSON.parse(bytes.toString()))).toEqual(manifest);
    expect(readPointer(root)).toEqual({
      format: FORMAT_VERSION,
      sequence: 1,
      version,
      manifest: { sha256: sha256Hex(bytes), bytes: bytes.length },
      published_at: "2026-04-02T03:04:05.678Z",
    });
    const paths = manifest.files.map((file) => file.path);
    expect(paths).toEqual(paths.toSorted());
    expect(paths).not.toContain("manifest.json");
    expect(manifest.created_at).toBe("2026-04-02T03:04:05.678Z");
  });

  it("counts the records of lists and tables, and one for a document", async () => {
    const { manifest } = await publishFixture(temporaryRoot());
    const records = new Map(manifest.files.map((file) => [file.path, [file.records, file.media_type]]));
    expect(records.get("daos.json")).toEqual([3, "application/json"]);
    expect(records.get("unscored.json")).toEqual([1, "application/json"]);
    expect(records.get("delegates/tidewater.example/all.csv")).toEqual([302, "text/csv"]);
    expect(records.get("delegates/tidewater.example/latest.json")).toEqual([1, "application/json"]);
    // 5 lists, 3 details, 2 risks, 1 DGI, 3 periods, 1 entity, 1 DAO without a score
    expect(records.get("index.sqlite")).toEqual([16, "application/vnd.sqlite3"]);
  });

  it("writes parts that another thread handed over", async () => {
    const root = temporaryRoot();
    const plan = snapshotPlan(publishedSet(), FIXTURE_AS_OF_MS + 3_600_001);
    await publishSnapshot(
      { ...plan, parts: structuredClone([...renderedParts(publishedSet())]) },
      createSnapshotDisk(root),
    );
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it("gives the same bytes for the same content, wherever and whenever", async () => {
    const [one, two] = [temporaryRoot(), temporaryRoot()];
    await publishFixture(one);
    await publishFixture(two, { createdAtMs: FIXTURE_AS_OF_MS + 90 * DAY_MS });
    expect(untimed(currentDirectory(two))).toEqual(untimed(currentDirectory(one)));
  });

  it("links what did not change, and leaves the old version whole", async () => {
    const root = temporaryRoot();
    const first = await publishFixture(root);
    const second = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect(second.sequence).toBe(2);
    expect(second.manifest.previous).toEqual({
      version: first.version,
      sha256: sha256Hex(readFileSync(join(root, first.version, "manifest.json"))),
    });
    expect(second.filesWritten).toBe(3);
    for (const { path } of second.manifest.files) {
      const inodes = [first, second].map(({ version }) => statSync(join(root, version, path)).ino);
      expect([path, inodes[0] === inodes[1]]).toEqual([path, !FILES_OF_THE_RUN.includes(path)]);
    }
    for (const { version } of [first, second]) {
      expect((await verifySnapshot(root, { version, deep: true })).problems).toEqual([]);
    }
  });

  it("links the months that have ended when the day moved on, and writes the open one anew", async () => {
    const root = temporaryRoot();
    const first = await publishFixture(root);
    const today = publishedSet();
    const set = publishedSet(FIXTURE_AS_OF_MS + DAY_MS);
    const dated = [...today.listings[0]!.dated, ...set.listings[0]!.dated.slice(-1)];
    const second = await publishFixture(root, { set: withDated(set, dated) });
    const monthOf = (version: string, month: string) =>
      join(root, version, `delegates/tidewater.example/${month}.ndjson`);
    const inode = (version: string) => statSync(monthOf(version, "2026-03")).ino;
    expect(inode(second.version)).toBe(inode(first.version));
    expect(readFileSync(monthOf(second.version, "2026-04"), "utf8")).toBe(lineOf(dated.at(-1)));
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it("writes a line a day, what the API puts in data, and none for a day without a listing", async () => {
    const root = temporaryRoot();
    const [first, , last] = publishedSet().listings[0]!.dated;
    const { manifest } = await publishFixture(root, { set: withDated(publishedSet(), [first!, last!]) });
    const path = "delegates/tidewater.example/2026-03.ndjson";
    const text = readFileSync(join(currentDirectory(root), path), "utf8");
    expect(text).toBe(`${lineOf(first)}${lineOf(last)}`);
    expect(manifest.files.find((file) => file.path === path)).toMatchObject({
      records: 2,
      media_type: "application/x-ndjson",
    });
  });

  it("replaces the line of a day that is published again, and leaves those beside it", async () => {
    const root = await publishedRoot();
    const [first, second, third] = publishedSet().listings[0]!.dated;
    const listing = { ...second!.listing, fetched_at: "2026-03-31T23:00:00.000Z" };
    const dated = [first!, { ...second!, listing }, third!];
    await publishFixture(root, {
      set: withDated(publishedSet(), dated),
      createdAtMs: FIXTURE_AS_OF_MS + DAY_MS,
    });
    const file = join(currentDirectory(root), "delegates/tidewater.example/2026-03.ndjson");
    expect(readFileSync(file, "utf8")).toBe(dated.map(lineOf).join(""));
    const reader = await openSnapshot(root);
    expect(dated.map(({ date }) => reader.datedListing("tidewater.example", date)?.fetchedAt)).toEqual(
      dated.map((day) => day.listing.fetched_at),
    );
    reader.close();
  });

  it("does not link a file that has rotted, and publishes it whole", async () => {
    const root = await publishedRoot();
    replaceFile(join(currentDirectory(root), "daos/orchard.json"), "{}\n");
    const second = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect(second.filesWritten).toBe(4);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  const counts = { ...runReport(publishedSet(), FIXTURE_AS_OF_MS).counts, daos_scored: 4 };
  it.each<{ why: string; change: Partial<RunReport>; message: RegExp }>([
    {
      why: "of another moment",
      change: { as_of: "2026-03-30T23:59:59.999Z" },
      message: /run\.json: as_of/,
    },
    { why: "that counts otherwise", change: { counts }, message: /counts\.daos_scored/ },
    { why: "of another shape", change: { rejected_total: -1 }, message: /run\.json: rejected_total/ },
  ])("refuses a run report $why, and leaves everything as it was", async ({ change, message }) => {
    const root = await publishedRoot();
    const before = bytesByPath(root);
    const createdAtMs = FIXTURE_AS_OF_MS + DAY_MS;
    const report = () => ({ ...runReport(publishedSet(), createdAtMs), ...change });
    const plan = snapshotPlan(publishedSet(), createdAtMs, { report });
    const refusal = publishSnapshot(plan, createSnapshotDisk(root));
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.toMatchObject({ code: "DOCUMENT_INVALID" });
    expect(bytesByPath(root)).toEqual(before);
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
    expect((await publishFixture(root, { createdAtMs })).sequence, "the lock is free").toBe(2);
  });

  const refusal = new Error("whoever makes the parts says why");
  const all = renderedParts(publishedSet());
  it.each<{ why: string; parts: () => Iterable<RenderedPart> | AsyncIterable<RenderedPart> }>([
    {
      why: "the first part",
      // biome-ignore lint/correctness/useYield: it throws before there is anything to give.
      parts: function* () {
        throw refusal;
      },
    },
    {
      why: "a part between two",
      parts: function* () {
        yield* all.slice(0, 2);
        throw refusal;
      },
    },
    {
      why: "the last part, after a while",
      parts: async function* () {
        yield* all.slice(0, -1);
        await new Promise(setImmediate);
        throw refusal;
      },
    },
    {
      why: "what comes after the last part",
      parts: async function* () {
        yield* all;
        throw refusal;
      },
    },
  ])("publishes nothing where $why cannot be made, and says so by the very error", async ({ parts }) => {
    const root = await publishedRoot();
    const before = bytesByPath(root);
    let isReported = false;
    const createdAtMs = FIXTURE_AS_OF_MS + DAY_MS;
    const plan = snapshotPlan(publishedSet(), createdAtMs, {
      parts: parts(),
      report: () => {
        isReported = true;
        return runReport(publishedSet(), createdAtMs);
      },
    });
    const end = await publishSnapshot(plan, createSnapshotDisk(root)).catch((error: unknown) => error);
    expect(end).toBe(refusal);
    expect(isReported).toBe(false);
    expect(bytesByPath(root)).toEqual(before);
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
    expect((await publishFixture(root, { createdAtMs })).sequence, "the lock is free").toBe(2);
  });

  it("takes a part only once the one before is on its way to the disk, and ends who makes them where the disk fails", async () => {
    const root = temporaryRoot();
    let taken = 0;
    let isEnded = false;
    async function* parts() {
      try {
        for (let index = 0; ; index += 1) {
          taken += 1;
          yield all[index % all.length]!;
        }
      } finally {
        isEnded = true;
      }
    }
    const plan = snapshotPlan(publishedSet(), FIXTURE_AS_OF_MS, { parts: parts() });
    // The first part comes again, and no file is made twice: without an end nobody could hold all of them.
    await expect(publishSnapshot(plan, createSnapshotDisk(root))).rejects.toBeDefined();
    expect(isEnded).toBe(true);
    expect(taken).toBeLessThanOrEqual(all.length + 2);
    expect(readdirSync(root)).toEqual(["publish.lock"]);
  });

  it("publishes whole over a damaged index, from which nothing can be taken packed", async () => {
    const root = await publishedRoot();
    const before = untimed(currentDirectory(root));
    replaceFile(join(currentDirectory(root), "index.sqlite"), "no database");
    const second = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect(second.sequence).toBe(2);
    expect(untimed(currentDirectory(root))).toEqual(before);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it("publishes over a damaged manifest, taking the sequence from the pointer", async () => {
    const root = await publishedRoot();
    replaceFile(join(currentDirectory(root), "manifest.json"), "{}\n");
    const second = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect([second.sequence, second.filesLinked]).toEqual([2, 0]);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it.each([
    { why: "a damaged pointer", damage: (pointer: string) => replaceFile(pointer, "{") },
    { why: "a lost pointer", damage: (pointer: string) => rmSync(pointer) },
  ])("guesses nothing and deletes nothing after $why", async ({ damage }) => {
    const root = await publishedRoot();
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    damage(join(root, "current.json"));
    const names = readdirSync(root);
    await expect(publishFixture(root)).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
      path: "current.json",
    });
    expect(readdirSync(root)).toEqual(names);
  });

  it("clears staging and versions newer than the pointer, and nothing else", async () => {
    const root = await publishedRoot();
    const pointer = readFileSync(join(root, "current.json"));
    const abandoned = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    replaceFile(join(root, "current.json"), pointer);
    mkdirSync(join(root, ".staging-0123/daos"), { recursive: true });
    writeFileSync(join(root, ".staging-0123.json"), "{");
    writeFileSync(join(root, "notes.txt"), "of the operator");
    const next = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 2 * DAY_MS });
    expect(next.sequence).toBe(2);
    const names = readdirSync(root);
    expect(names).not.toContain(abandoned.version);
    expect(names.filter((name) => name.startsWith("."))).toEqual([]);
    expect(names).toContain("notes.txt");
    expect(names).toHaveLength(5);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it("clears the version of a first publish that never got its pointer", async () => {
    const root = temporaryRoot();
    const first = await publishFixture(root);
    rmSync(join(root, "current.json"));
    const next = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    expect(next.sequence).toBe(1);
    expect(readdirSync(root)).not.toContain(first.version);
  });

  it("deletes versions past their age once enough newer ones stand", async () => {
    const root = temporaryRoot();
    const versions: string[] = [];
    for (const day of [0, 1, 2, 402]) {
      const published = await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 1 + day * DAY_MS });
      versions.push(published.version);
      expect(published.removed).toEqual(day === 402 ? versions.slice(0, 1) : []);
    }
    expect(readdirSync(root).filter((name) => name.startsWith("2"))).toEqual(versions.slice(1).toSorted());
  });

  it("publishes a version without DAOs, DGI, entities or listings", async () => {
    const root = temporaryRoot();
    const set = {
      ...publishedSet(),
      daos: [],
      rankings: [],
      details: [],
      risks: [],
      listings: [],
      dgi: undefined,
      dgiHistory: undefined,
      entities: [],
      histories: [],
      unscored: [],
    };
    await publishFixture(root, { set });
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
    expect([...bytesByPath(currentDirectory(root)).keys()]).not.toContain("dgi.json");
  });

  it("says in no file where it was made", async () => {
    const root = await publishedRoot();
    const directory = currentDirectory(root);
    for (const path of bytesByPath(directory).keys()) {
      expect([path, readFileSync(join(directory, path)).includes("govdata-store-")]).toEqual([path, false]);
    }
  });
});
