import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { measureDiskUse, pruneVersions } from "../../../../snapshots/store/maintain/prune-versions.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer, versionNames } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { copyOf, sharedRoot, temporaryRoot } from "../temporary-root.ts";

describe("prune versions", async () => {
  const MINUTE_MS = 60_000;
  const DAYS = [0, 1, 2, 3, 4] as const;

  const { root: original, remove } = sharedRoot();
  afterAll(remove);
  for (const day of DAYS) {
    await publishFixture(original, {
      set: publishedSet(FIXTURE_AS_OF_MS + day * DAY_MS),
      createdAtMs: FIXTURE_AS_OF_MS + 1 + day * DAY_MS,
    });
  }
  const names = versionNames(readdirSync(original));
  const LAST_MS = FIXTURE_AS_OF_MS + 1 + 4 * DAY_MS;

  const pruned = (root: string, options: { keptAgeMs: number; nowMs?: number; isDryRun?: boolean }) =>
    pruneVersions(createSnapshotDisk(root), { nowMs: LAST_MS, isDryRun: false, ...options });

  describe("pruneVersions", () => {
    it.each([
      { why: "nothing is old enough", keptAgeMs: 4 * DAY_MS, nowMs: LAST_MS, gone: 0 },
      { why: "one is a second too old", keptAgeMs: 4 * DAY_MS - 1000, nowMs: LAST_MS, gone: 1 },
      { why: "the newest three stay, however old", keptAgeMs: 0, nowMs: LAST_MS + 900 * DAY_MS, gone: 2 },
      { why: "the clock went back: all are young", keptAgeMs: 0, nowMs: LAST_MS - 90 * DAY_MS, gone: 0 },
      {
        why: "14 minutes are too young, whatever is asked for",
        keptAgeMs: 0,
        nowMs: LAST_MS - 4 * DAY_MS + 14 * MINUTE_MS,
        gone: 0,
      },
      { why: "15 minutes are not", keptAgeMs: 0, nowMs: LAST_MS - 4 * DAY_MS + 15 * MINUTE_MS, gone: 1 },
    ])("$why", async ({ keptAgeMs, nowMs, gone }) => {
      const { removed, kept } = await pruned(original, { keptAgeMs, nowMs, isDryRun: true });
      expect(removed).toEqual(names.slice(0, gone));
      expect(kept).toEqual(names.slice(gone));
    });

    it("deletes exactly what the dry run says, gives back as many bytes, and leaves the rest whole", async () => {
      const root = copyOf(original);
      const said = await pruned(root, { keptAgeMs: 0, isDryRun: true });
      expect(versionNames(readdirSync(root)), "nothing is gone yet").toEqual(names);
      const before = measureDiskUse(root).totalBytes;
      expect(await pruned(root, { keptAgeMs: 0 })).toEqual(said);
      expect(versionNames(readdirSync(root))).toEqual(said.kept);
      expect(before - measureDiskUse(root).totalBytes).toBe(said.freedBytes);
      expect(said.freedBytes).toBeGreaterThan(0);
      expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
      expect(readPointer(root).version).toBe(names.at(-1));
      expect(existsSync(`${root}/.staging-removed-${names[0]}`)).toBe(false);
    });

    it("says what went wrong, and deletes nothing newer than what could not be deleted", async () => {
      const root = copyOf(original);
      const disk: SnapshotDisk = {
        ...createSnapshotDisk(root),
        rename: () => Promise.reject(Object.assign(new Error("no"), { code: "EROFS" })),
      };
      await expect(
        pruneVersions(disk, { keptAgeMs: 0, nowMs: LAST_MS, isDryRun: false }),
      ).rejects.toMatchObject({
        code: "PUBLISH_FAILED",
        message: `could not delete the version ${names[0]} (EROFS)`,
      });
      expect(versionNames(readdirSync(root))).toEqual(names);
    });

    it("waits for nobody: while a publisher holds the lock nothing is deleted", async () => {
      const root = copyOf(original);
      const unlock = createSnapshotDisk(root).lock();
      await expect(pruned(root, { keptAgeMs: 0 })).rejects.toMatchObject({ code: "PUBLISH_LOCKED" });
      unlock();
      expect(versionNames(readdirSync(root))).toEqual(names);
    });

    it("says that nothing was published, and makes no lock there", async () => {
      const root = temporaryRoot();
      await expect(pruned(root, { keptAgeMs: 0 })).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
      expect(existsSync(root)).toBe(false);
    });
  });
});

const OLD = "20260101T000000Z-00000001";
const MIDDLE = "20260102T000000Z-00000002";
const NEW = "20260103T000000Z-00000003";

/** Three versions: one file in all of them, one in the first two, and one of its own in each. */
function threeVersions(): string {
  const root = temporaryRoot();
  for (const [index, version] of [OLD, MIDDLE, NEW].entries()) {
    mkdirSync(join(root, version, "daos"), { recursive: true });
    writeFileSync(join(root, version, "own.json"), "x".repeat(10 ** index));
  }
  writeFileSync(join(root, OLD, "daos", "all.json"), "x".repeat(1000));
  for (const version of [MIDDLE, NEW]) {
    linkSync(join(root, OLD, "daos", "all.json"), join(root, version, "daos", "all.json"));
  }
  writeFileSync(join(root, OLD, "two.json"), "x".repeat(10_000));
  linkSync(join(root, OLD, "two.json"), join(root, MIDDLE, "two.json"));
  // What the manifest cannot name is not counted, but one of that name elsewhere is a file like any other.
  for (const seal of ["manifest.json", "manifest.sig"]) writeFileSync(join(root, OLD, seal), "");
  writeFileSync(join(root, NEW, "daos", "manifest.json"), "");
  writeFileSync(join(root, "current.json"), "no version");
  return root;
}

describe("measureDiskUse", () => {
  it("tells own bytes from those that other versions share, oldest first", () => {
    const { versions, totalBytes } = measureDiskUse(threeVersions());
    expect(versions).toEqual([
      { version: OLD, files: 3, ownBytes: 1, sharedBytes: 11_000 },
      { version: MIDDLE, files: 3, ownBytes: 10, sharedBytes: 11_000 },
      { version: NEW, files: 3, ownBytes: 100, sharedBytes: 1000 },
    ]);
    expect(totalBytes).toBe(11_111);
  });

  it.each([
    { why: "none", versions: [], bytes: 0 },
    { why: "one alone gives back its own", versions: [OLD], bytes: 1 },
    { why: "two give back what only they share", versions: [OLD, MIDDLE], bytes: 10_011 },
    { why: "two that share nothing alone", versions: [OLD, NEW], bytes: 101 },
    { why: "all give back all", versions: [OLD, MIDDLE, NEW], bytes: 11_111 },
    { why: "one that is not there", versions: ["20260104T000000Z-00000004"], bytes: 0 },
  ])("knows what deleting would give back: $why", ({ versions, bytes }) => {
    expect(measureDiskUse(threeVersions()).bytesFreedBy(versions)).toBe(bytes);
  });
});
