import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { RunReport } from "../../../../snapshots/format/manifest.ts";
import { rollbackVersion } from "../../../../snapshots/store/maintain/rollback-version.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { bytesByPath, currentDirectory, replaceFile, temporaryRoot } from "../temporary-root.ts";

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
      manifest: { replaces: first, previous: { version: second }, redacted: false },
    });
    expect(result.manifest.as_of).toBe(publishedSet().asOf);
    const now = bytesByPath(currentDirectory(root));
    expect([...now.keys()].toSorted()).toEqual([...old.keys()].toSorted());
    for (const [path, bytes] of old) expect(now.get(path) === bytes, path).toBe(!ANEW.includes(path));
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
    expect(readdirSync(root)).toEqual(expect.arrayContaining([first, second]));
  });

  it("is taken by a reader who saw the version that is gone back from", async () => {
    const { root, first } = await twoVersions();
    await back(root, first);
    const reader = await openSnapshot(root, { sequenceMin: 2 });
    expect(reader.manifest.as_of).toBe(publishedSet().asOf);
    reader.close();
  });

  it("says so in run.json, after what the run itself had found", async () => {
    const { root, first, second } = await twoVersions();
    await back(root, first);
    const path = join(currentDirectory(root), "run.json");
    const report = RunReport.parse(JSON.parse(readFileSync(path, "utf8")));
    expect(report.findings).toEqual([
      {
        code: "ROLLED_BACK",
        space_id: null,
        message: `this is version ${first} again, published at 2026-04-03T23:59:59.999Z instead of ${second}`,
      },
    ]);
  });

  it("links what the two share with neither losing it", async () => {
    const { root, first, second } = await twoVersions();
    const { filesLinked } = await back(root, first);
    expect(filesLinked).toBe(bytesByPath(join(root, first)).size - ANEW.length);
    for (const version of [first, second]) {
      expect((await verifySnapshot(root, { version, deep: true })).problems).toEqual([]);
    }
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
