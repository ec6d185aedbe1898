import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../../snapshots/format/manifest.ts";
import {
  abandonedVersions,
  keptVersions,
  newerVersions,
  ofLastMethod,
  readPreviousVersion,
  redactedVersionOf,
} from "../../../../snapshots/store/read/kept-versions.ts";
import { readPointer, versionNames } from "../../../../snapshots/store/read/read-pointer.ts";
import { publishFixture } from "../../../support/published-set.ts";
import { currentDirectory, publishedRoot, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

const NOON_MS = Date.parse("2026-04-02T12:00:00.000Z");
const pointerPath = (root: string) => join(root, "current.json");
const namesIn = (root: string) => versionNames(readdirSync(root));

/** A root with versions made at these moments, in this order. */
async function rootOf(...momentsMs: readonly number[]): Promise<string> {
  const root = temporaryRoot();
  for (const createdAtMs of momentsMs) await publishFixture(root, { createdAtMs });
  return root;
}

describe("kept versions", () => {
  it("come by sequence and not by time, up to the published one", async () => {
    const root = await rootOf(NOON_MS, NOON_MS - 3_600_000);
    const published = readFileSync(pointerPath(root));
    await publishFixture(root, { createdAtMs: NOON_MS + 3_600_000 });
    expect(keptVersions(root).map(({ manifest }) => manifest.sequence)).toEqual([1, 2, 3]);
    replaceFile(pointerPath(root), published);
    expect(keptVersions(root).map(({ manifest }) => manifest.sequence)).toEqual([1, 2]);
    expect(newerVersions(root, namesIn(root), readPointer(root)), "a crash left it").toHaveLength(1);
  });

  it("leave out a damaged one", async () => {
    const root = await rootOf(NOON_MS, NOON_MS + 1_000);
    const [first = ""] = namesIn(root);
    writeFileSync(join(root, first, "manifest.json"), "{}\n");
    expect(keptVersions(root).map(({ manifest }) => manifest.sequence)).toEqual([2]);
  });

  it("can be compared if they have the last one's first number", () => {
    const versions = ["1.9.0", "2.0.0", "1.1.0", "2.1.0"].map((version) => ({
      manifest: { methodology_version: version } as Manifest,
    }));
    const comparable = ofLastMethod(versions).map(({ manifest }) => manifest.methodology_version);
    expect(comparable).toEqual(["2.0.0", "2.1.0"]);
    expect(ofLastMethod([])).toEqual([]);
  });

  it("are not newer than a redacted one of the same sequence", async () => {
    const root = await rootOf(NOON_MS, NOON_MS + 1_000);
    reseal(root, () => ({ sequence: 1 }));
    expect(newerVersions(root, namesIn(root), readPointer(root))).toEqual([]);
    expect(abandonedVersions(root, namesIn(root), readPointer(root))).toEqual([]);
  });
});

describe("the version in the place of one that is gone", () => {
  const moment = "20260402T120000Z";
  const [gone, other, later] = [`${moment}-00000000`, `${moment}-11111111`, "20260402T120001Z-00000000"];

  it.each([
    { why: "its redaction", about: { redacted: true, replaces: gone }, isFound: true },
    { why: "the last of several redactions", about: { redacted: true, replaces: other }, isFound: true },
    { why: "a rollback", about: { redacted: false, replaces: gone }, isFound: false },
    { why: "a redaction of another moment", about: { redacted: true, replaces: later }, isFound: false },
  ])("is found: $isFound, for $why", async ({ about, isFound }) => {
    const root = await rootOf(NOON_MS);
    reseal(root, () => about);
    expect(redactedVersionOf(root, gone)).toBe(isFound ? readPointer(root).version : undefined);
    expect(redactedVersionOf(root, later)).toBeUndefined();
  });

  it("is not guessed between two of one second, unless one says so", async () => {
    const root = await rootOf(NOON_MS);
    reseal(root, () => ({ redacted: true, replaces: other }));
    await publishFixture(root, { createdAtMs: NOON_MS + 1 });
    reseal(root, () => ({ redacted: true, replaces: `${moment}-22222222` }));
    expect(keptVersions(root)).toHaveLength(2);
    expect(redactedVersionOf(root, gone)).toBeUndefined();
    expect(redactedVersionOf(root, `${moment}-22222222`)).toBe(readPointer(root).version);
  });
});

describe("the version before the next one", () => {
  it("has its files, none if its manifest is damaged, and is undefined before the first", async () => {
    const root = await publishedRoot();
    expect(readPreviousVersion(root)?.files.has("daos.json")).toBe(true);
    const manifestPath = join(currentDirectory(root), "manifest.json");
    for (const text of ["{}\n", readFileSync(manifestPath, "utf8").replace('"sequence":1', '"sequence":2')]) {
      replaceFile(manifestPath, text);
      expect(readPreviousVersion(root)).toEqual({ pointer: readPointer(root), files: new Map() });
    }
    writeFileSync(pointerPath(root), "{}\n");
    expect(() => readPreviousVersion(root)).toThrow("current.json");
    rmSync(pointerPath(root));
    expect(readPreviousVersion(root)).toBeUndefined();
  });
});
