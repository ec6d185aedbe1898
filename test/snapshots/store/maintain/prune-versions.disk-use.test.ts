import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { measureDiskUse } from "../../../../snapshots/store/maintain/prune-versions.ts";
import { temporaryRoot } from "../temporary-root.ts";

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
