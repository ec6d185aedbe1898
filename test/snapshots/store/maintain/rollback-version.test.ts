import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { RunReport } from "../../../../snapshots/format/manifest.ts";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { repairPointer } from "../../../../snapshots/store/maintain/repair-pointer.ts";
import { rollbackVersion } from "../../../../snapshots/store/maintain/rollback-version.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPointer, versionNames } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { namingSet, WISH } from "../redact-stage.ts";
import {
  bytesByPath,
  copyOf,
  currentDirectory,
  replaceFile,
  sharedRoot,
  temporaryRoot,
} from "../temporary-root.ts";

const LATER_MS = FIXTURE_AS_OF_MS + 3 * DAY_MS;
const back = (root: string, version: string, createdAtMs = LATER_MS) =>
  rollbackVersion({ version, createdAtMs, runId: "00000000000000ff" }, createSnapshotDisk(root));

/** A root with two versions of two days; answers the first's name. */
async function twoVersions(): Promise<{ root: string; first: string; second: string }> {
  const root = temporaryRoot();
  const { version: first } = await publishFixture(root);
  const { version: second } = await publishFixture(root, { set: publishedSet(FIXTURE_AS_OF_MS + DAY_MS) });
  return { root, first, second };
}

/** What publishing again changes. */
const ANEW = ["datapackage.json", "manifest.json", "run.json"];

describe("rollbackVersion", () => {
  it("publishes the old content under a new name and sequence, byte for byte but report, data package and manifest", async () => {
    const { root, first, second } = await twoVersions();
    const old = bytesByPath(join(root, first));
    const result = await back(root, first);
    expect(result).toMatchObject({
      sequence: 3,
      filesWritten: 3,
      filesLinked: old.size - ANEW.length,
      manifest: { replaces: first, previous: { version: second }, redacted: false },
    });
    const now = bytesByPath(currentDirectory(root));
    expect([...now.keys()].toSorted()).toEqual([...old.keys()].toSorted());
    for (const [path, bytes] of old) expect(now.get(path) === bytes, path).toBe(!ANEW.includes(path));
    for (const version of [first, second, result.version])
      expect((await verifySnapshot(root, { version, deep: true })).problems).toEqual([]);
    // A reader who saw the version that is gone back from takes it.
    const reader = await openSnapshot(root, { sequenceMin: 2 });
    expect(reader.manifest.as_of).toBe(publishedSet().asOf);
    reader.close();
    const path = join(currentDirectory(root), "run.json");
    const report = RunReport.parse(JSON.parse(readFileSync(path, "utf8")));
    const message = `this is version ${first} again, published at 2026-04-03T23:59:59.999Z instead of ${second}`;
    expect(report.findings).toEqual([{ code: "ROLLED_BACK", space_id: null, message }]);
  });

  it("can be gone back from again", async () => {
    const { root, first, second } = await twoVersions();
    await back(root, first);
    const again = await back(root, second, LATER_MS + 1000);
    expect(again).toMatchObject({ sequence: 4, manifest: { replaces: second } });
  });

  it.each<{ why: string; version: (names: { first: string; second: string }) => string; code: string }>([
    { why: "the current version", version: ({ second }) => second, code: "SNAPSHOT_INVALID" },
    {
      why: "a version that is not kept",
      version: () => "20260101T000000Z-00000000",
      code: "SNAPSHOT_MISSING",
    },
    { why: "no version's name", version: () => "../../etc", code: "SNAPSHOT_MISSING" },
  ])("refuses $why and moves nothing", async ({ version, code }) => {
    const names = await twoVersions();
    await expect(back(names.root, version(names))).rejects.toMatchObject({ code });
    expect(readPointer(names.root)).toMatchObject({ sequence: 2, version: names.second });
  });

  it.each([
    { why: "damaged", damage: (path: string) => replaceFile(path, "[]\n") },
    { why: "touched up", damage: (path: string) => writeFileSync(`${path}.more`, "") },
  ])("refuses a version that is $why, and moves nothing", async ({ damage }) => {
    const { root, first, second } = await twoVersions();
    damage(join(root, first, "daos.json"));
    await expect(back(root, first)).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
      message: expect.stringContaining(`version ${first}: daos.json`),
    });
    expect(readPointer(root)).toMatchObject({ sequence: 2, version: second });
    expect(readdirSync(root).filter((name) => name.startsWith(".staging"))).toEqual([]);
  });
});

describe("repair pointer", () => {
  const { root: published, remove } = sharedRoot();
  afterAll(remove);

  /** The pointer after each of four publishes. */
  const pointers: Buffer[] = [];
  beforeAll(async () => {
    for (const day of [0, 1, 2, 3]) {
      await publishFixture(published, { set: namingSet(day) });
      pointers.push(readFileSync(join(published, "current.json")));
    }
  });

  const versionsOf = (root: string) => versionNames(readdirSync(root));
  const pointerOf = (root: string) => join(root, "current.json");
  const repair = (root: string, allowsUnsigned = false) =>
    repairPointer(createSnapshotDisk(root), { runId: "00000000000000ab", allowsUnsigned });

  describe("repairPointer", () => {
    it.each([
      { why: "it is gone", harm: (path: string) => rmSync(path), was: "missing" },
      { why: "it is cut off", harm: (path: string) => writeFileSync(path, '{"format":1,'), was: "damaged" },
      { why: "it is empty", harm: (path: string) => writeFileSync(path, ""), was: "damaged" },
      {
        why: "the one of two publishes ago was put back",
        harm: (path: string) => writeFileSync(path, pointers[1] ?? ""),
        was: "old",
      },
    ])("writes the very pointer again where $why", async ({ harm, was }) => {
      const root = copyOf(published);
      const before = readPointer(root);
      harm(pointerOf(root));
      expect(await repair(root)).toEqual({
        version: before.version,
        sequence: before.sequence,
        pointerWas: was,
        unreadable: [],
      });
      expect(readFileSync(pointerOf(root))).toEqual(pointers[3]);
      expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
      expect((await publishFixture(root, { set: namingSet(4) })).sequence).toBe(before.sequence + 1);
    });

    it.each([
      { why: "it names the newest", place: 3 },
      { why: "one newer lies there, as a crash leaves it", place: 2 },
    ])("leaves a pointer alone where $why", async ({ place: index }) => {
      const root = copyOf(published);
      writeFileSync(pointerOf(root), pointers[index] ?? "");
      const before = bytesByPath(root);
      expect(await repair(root)).toMatchObject({ pointerWas: "whole", sequence: index + 1 });
      expect(bytesByPath(root)).toEqual(before);
    });

    it("passes over a version whose manifest cannot be believed, and names it", async () => {
      const root = copyOf(published);
      const [, , third = "", last = ""] = versionsOf(root);
      replaceFile(join(root, last, "manifest.json"), "{}");
      rmSync(pointerOf(root));
      expect(await repair(root)).toMatchObject({ version: third, sequence: 3, unreadable: [last] });
    });

    it("points at the newest also where a file of it is damaged, so that publishing goes on from its sequence", async () => {
      const root = copyOf(published);
      const [last = ""] = versionsOf(root).slice(-1);
      replaceFile(join(root, last, "daos.json"), "[]");
      rmSync(pointerOf(root));
      expect(await repair(root)).toMatchObject({ version: last, sequence: 4 });
      expect((await publishFixture(root, { set: namingSet(5) })).sequence).toBe(5);
      expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
    });

    it("never brings back what was redacted", async () => {
      const root = copyOf(published);
      await redactSnapshot(createSnapshotDisk(root), WISH);
      const before = readFileSync(pointerOf(root));
      rmSync(pointerOf(root));
      await repair(root);
      expect(readFileSync(pointerOf(root))).toEqual(before);
    });

    it("refuses a version that nobody trusted has signed, unless that is allowed", async () => {
      const root = copyOf(published);
      rmSync(pointerOf(root));
      const options = { runId: "00000000000000ab", trustedKeys: [] };
      const disk = createSnapshotDisk(root);
      await expect(repairPointer(disk, { ...options, allowsUnsigned: false })).rejects.toMatchObject({
        code: "SNAPSHOT_UNSIGNED",
        message: expect.stringContaining("--allow signature"),
      });
      expect((await repairPointer(disk, { ...options, allowsUnsigned: true })).sequence).toBe(4);
    });

    it("finds nothing in an empty root", async () => {
      const root = temporaryRoot();
      const disk = createSnapshotDisk(root);
      await disk.makeRoot();
      await expect(repair(root)).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
    });
  });

  describe("readPointer", () => {
    it("says of a lost pointer which versions lie there", () => {
      const root = copyOf(published);
      const [newest = ""] = versionsOf(root).slice(-1);
      rmSync(pointerOf(root));
      expect(() => readPointer(root)).toThrow(`versions are there: 4, the newest ${newest}`);
    });
  });
});
