import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { Manifest, ManifestFile, ManifestSource, Pointer } from "../../../snapshots/format/manifest.ts";

const HASH = "0".repeat(64);
const FILE = { path: "daos.json", bytes: 2, sha256: HASH, records: 0, media_type: "application/json" };
const SOURCE = {
  source_id: "archive",
  fetched_at: "2026-01-01T00:00:00.000Z",
  spaces: 1,
  proposals: 0,
  votes: 0,
};
const MANIFEST = {
  format: FORMAT_VERSION,
  methodology_version: "1.0.0",
  sequence: 1,
  previous: null,
  replaces: null,
  created_at: "2026-01-01T00:00:00.000Z",
  as_of: "2026-01-01T00:00:00.000Z",
  sources: [SOURCE],
  redacted: false,
  files: [FILE],
};
const POINTER = {
  format: FORMAT_VERSION,
  sequence: 1,
  version: "20260101T000000Z-00000000",
  manifest: { sha256: HASH, bytes: 2 },
  published_at: "2026-01-01T00:00:00.000Z",
};

describe("ManifestFile", () => {
  it.each(["daos.json", "delegates/a.eth/2026-01-01.json", "delegates/a..b/all.csv", "daos/a.json.json"])(
    "may lie at %s",
    (path) => {
      expect(ManifestFile.safeParse({ ...FILE, path }).success).toBe(true);
    },
  );

  it.each([
    "",
    "/etc/passwd",
    "../x",
    "a/../x",
    "a/..",
    ".staging-1/a",
    "a//b",
    "a/",
    "a\\b",
    "a\0b",
    "a\nb",
    "~/a",
    "./a",
  ])("may not lie at %j", (path) => {
    expect(ManifestFile.safeParse({ ...FILE, path }).success).toBe(false);
  });

  it.each([
    { why: "a negative size", change: { bytes: -1 } },
    { why: "half a byte", change: { bytes: 0.5 } },
    { why: "a hash of another kind", change: { sha256: "0".repeat(40) } },
    { why: "an unknown media type", change: { media_type: "text/html" } },
    { why: "a field too many", change: { url: "x" } },
  ])("refuses $why", ({ change }) => {
    expect(ManifestFile.safeParse({ ...FILE, ...change }).success).toBe(false);
  });
});

describe("Manifest, ManifestSource and Pointer", () => {
  it("take what they are for", () => {
    expect(Manifest.safeParse(MANIFEST).success).toBe(true);
    expect(Pointer.safeParse(POINTER).success).toBe(true);
    expect(
      Manifest.safeParse({ ...MANIFEST, previous: { version: POINTER.version, sha256: HASH } }).success,
    ).toBe(true);
  });

  it.each([
    { why: "another format", shape: Manifest, value: { ...MANIFEST, format: 4 } },
    { why: "no sequence", shape: Manifest, value: { ...MANIFEST, sequence: 0 } },
    { why: "an undefined previous version", shape: Manifest, value: { ...MANIFEST, previous: undefined } },
    {
      why: "a source that names a host",
      shape: ManifestSource,
      value: { ...SOURCE, source_id: "https://x" },
    },
    {
      why: "a time without milliseconds",
      shape: ManifestSource,
      value: { ...SOURCE, fetched_at: "2026-01-01T00:00:00Z" },
    },
    { why: "another format", shape: Pointer, value: { ...POINTER, format: "1" } },
    { why: "a version that is a path", shape: Pointer, value: { ...POINTER, version: "../x" } },
    { why: "a field too many", shape: Pointer, value: { ...POINTER, latest: true } },
  ])("refuse $why", ({ shape, value }) => {
    expect(shape.safeParse(value).success).toBe(false);
  });
});
