import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { repairPointer } from "../../../../snapshots/store/maintain/repair-pointer.ts";
import { rollbackVersion } from "../../../../snapshots/store/maintain/rollback-version.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPublishedDocuments, readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { makeFormatOne } from "../../../support/format-one.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
} from "../../../support/published-set.ts";
import { HIDDEN_LABEL, namingSet, WISH } from "../redact-stage.ts";
import { copyOf, currentDirectory, replaceFile, reseal, sharedRoot } from "../temporary-root.ts";

const SPACE = "tidewater.example";
const DAILY = `delegates/${SPACE}/2026-03-30.json`;
const shared = sharedRoot();

/** A root whose only version is of format 1. */
beforeAll(async () => {
  await publishFixture(shared.root);
  makeFormatOne(shared.root);
  return () => shared.remove();
});

const problemsOf = async (root: string, deep: boolean, version = readPointer(root).version) =>
  (await verifySnapshot(root, { deep, version })).problems.map(({ path, code }) => `${path} ${code}`);

const publishNext = (root: string) =>
  publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 25 * 3_600_000 });

describe("a version of format 1", () => {
  it("is read to compare with, but for its dated listings", () => {
    const { set } = readVersion(shared.root);
    expect(new Set(set.details)).toEqual(new Set(publishedSet().details));
    expect(set.listings.map(({ dated }) => dated)).toEqual([[], []]);
    expect(readPublishedDocuments(shared.root).daos).toEqual(publishedSet().daos);
  });

  it("is verified by its hashes, and not deeper", async () => {
    expect(await problemsOf(shared.root, false)).toEqual([]);
    expect(await problemsOf(shared.root, true)).toEqual(["manifest.json SNAPSHOT_FORMAT_UNKNOWN"]);
    const root = copyOf(shared.root);
    replaceFile(join(currentDirectory(root), DAILY), "{}\n");
    expect(await problemsOf(root, false)).toEqual([`${DAILY} FILE_WRONG_SIZE`]);
  });

  it("is not served", async () => {
    await expect(openSnapshot(shared.root)).rejects.toMatchObject({
      code: "SNAPSHOT_FORMAT_UNKNOWN",
      message: "manifest.json: is of format 1; this program reads format 2",
    });
  });

  it("is followed by one of format 2, which links what is the same in both", async () => {
    const root = copyOf(shared.root);
    const before = readPointer(root);
    const { version, manifest, filesLinked } = await publishNext(root);
    expect([manifest.format, readPointer(root).format, manifest.sequence]).toEqual([2, 2, 2]);
    expect(manifest.previous?.version).toBe(before.version);
    expect(filesLinked).toBeGreaterThan(10);
    const inode = (of: string) => statSync(join(root, of, "history/orchard.json")).ino;
    expect(inode(version)).toBe(inode(before.version));
    expect(await problemsOf(root, true)).toEqual([]);
    expect(manifest.files.some(({ path }) => path === DAILY)).toBe(false);
  });

  it("cannot be gone back to, and the refusal says what can be done", async () => {
    const root = copyOf(shared.root);
    const { version } = readPointer(root);
    await publishNext(root);
    const now = readPointer(root);
    const rollback = { version, runId: "0".repeat(16), createdAtMs: FIXTURE_AS_OF_MS + 26 * 3_600_000 };
    await expect(rollbackVersion(rollback, createSnapshotDisk(root))).rejects.toMatchObject({
      code: "SNAPSHOT_FORMAT_UNKNOWN",
      message: expect.stringMatching(/is of format 1.*--as-of/) as string,
    });
    expect(readPointer(root)).toEqual(now);
  });

  it("gets a pointer of its own format where that was lost", async () => {
    const root = copyOf(shared.root);
    const before = readPointer(root);
    replaceFile(join(root, "current.json"), "{}\n");
    await repairPointer(createSnapshotDisk(root), { runId: "0".repeat(16) });
    expect(readPointer(root)).toEqual(before);
    expect(before.format).toBe(1);
  });

  it("is refused where pointer and manifest are of two formats", () => {
    const root = copyOf(shared.root);
    replaceFile(
      join(root, "current.json"),
      readFileSync(join(root, "current.json"), "utf8").replace('"format":1', '"format":2'),
    );
    expect(() => locateVersion(root)).toThrow("is of another format than the pointer");
  });
});

describe("redacting versions of format 1", () => {
  /** The first names nobody and the second somebody; the third, of format 2, is current. */
  async function setUp(): Promise<string> {
    const root = copyOf(shared.root);
    await publishFixture(root, { set: namingSet(1) });
    makeFormatOne(root);
    return root;
  }

  const everything = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), "latin1"))
      .join("\n");

  it.each([{ isCurrent: true }, { isCurrent: false }])(
    "rewrites those that name somebody as format 2, the same days in months (current: $isCurrent)",
    async ({ isCurrent }) => {
      const root = await setUp();
      const { version } = readPointer(root);
      if (!isCurrent) await publishFixture(root, { set: namingSet(2) });
      const before = readFileSync(join(root, version, DAILY), "utf8");
      const { versions, unredacted } = await redactSnapshot(createSnapshotDisk(root), WISH);
      expect(unredacted).toEqual([]);
      const { replacedBy = "" } = versions.find((each) => each.version === version) ?? {};
      const { manifest } = locateVersion(root, { version: replacedBy });
      expect([manifest.format, manifest.redacted, manifest.replaces]).toEqual([2, true, version]);
      expect(await problemsOf(root, true, replacedBy)).toEqual([]);
      const reader = await openSnapshot(root, { version: replacedBy });
      const listing = reader.datedListing(SPACE, "2026-03-30");
      expect(listing?.totalDelegates).toBe(JSON.parse(before).total_delegates);
      expect(listing?.rows[1]?.json).toBe(JSON.stringify(JSON.parse(before).delegates[1]));
      reader.close();
      for (const name of [FIXTURE_ENTITY_ID, HIDDEN_LABEL]) expect(everything(root)).not.toContain(name);
    },
  );

  it("leaves those that name nobody as they are", async () => {
    const root = copyOf(shared.root);
    const before = readPointer(root);
    const { versions, unchanged } = await redactSnapshot(createSnapshotDisk(root), {
      ...WISH,
      isHidden: () => false,
      known: [],
    });
    expect([versions, unchanged, readPointer(root)]).toEqual([[], 1, before]);
  });

  it.each([
    {
      why: "does not say of which days its listings are",
      change: (root: string) =>
        reseal(root, ({ files }) => ({ files: files.filter(({ path }) => !path.endsWith("/days.csv")) })),
      says: /does not name delegates\/tidewater\.example\/days\.csv/,
    },
    {
      why: "says other days than it has listings of",
      change: (root: string) => {
        const file = join(currentDirectory(root), `delegates/${SPACE}/days.csv`);
        replaceFile(file, readFileSync(file, "utf8").replace("2026-03-30,", "2026-03-28,"));
        reseal(root);
      },
      says: /days\.csv: is not of the days that have a listing/,
    },
  ])("tells of one that $why, and leaves it", async ({ change, says }) => {
    const root = await setUp();
    change(root);
    const { version } = readPointer(root);
    const { unredacted } = await redactSnapshot(createSnapshotDisk(root), WISH);
    expect(unredacted).toMatchObject([{ version, message: expect.stringMatching(says) as string }]);
  });

  it("reaches a version whose evidence is of another method", async () => {
    const root = await setUp();
    const evidence = "evidence/orchard.json";
    reseal(root, ({ files }, directory) => {
      replaceFile(join(directory, evidence), '{"space_id":"orchard","of":"another method"}\n');
      const entry = { ...files[0]!, path: evidence, records: 1 };
      return { files: [...files, entry].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
    });
    const { versions, unredacted } = await redactSnapshot(createSnapshotDisk(root), WISH);
    expect(unredacted).toEqual([]);
    expect(versions.length).toBeGreaterThan(0);
  });
});
