import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { FORMAT_VERSION } from "../../../../snapshots/format/limits.ts";
import type { Manifest } from "../../../../snapshots/format/manifest.ts";
import {
  assertSameMoment,
  assertSealed,
  parseManifest,
} from "../../../../snapshots/store/read/locate-version.ts";
import {
  expiredVersions,
  parseJsonFile,
  versionNames,
} from "../../../../snapshots/store/read/read-pointer.ts";
import { orRefusal } from "../../../../snapshots/store/read/snapshot-error.ts";

const NOW_MS = Date.parse("2026-11-21T06:00:00.000Z");
const DAY_MS = 86_400_000;
const KEPT_AGE_MAX_MS = 400 * DAY_MS;

/** The name of a version so many milliseconds old. */
function aged(ageMs: number, hash = "00000000"): string {
  const time = new Date(NOW_MS - ageMs)
    .toISOString()
    .replace(/\.\d{3}/, "")
    .replaceAll(/[-:]/g, "");
  return `${time}-${hash}`;
}

const recent = [aged(0), aged(DAY_MS), aged(2 * DAY_MS)];
const old = aged(KEPT_AGE_MAX_MS + 1000);
const atLimit = aged(KEPT_AGE_MAX_MS);
const ancient = aged(900 * DAY_MS);

describe("expiredVersions", () => {
  it.each([
    { why: "nothing there", names: [], current: "", want: [] },
    { why: "one past its age beside three newer", names: [...recent, old], current: recent[0], want: [old] },
    { why: "one just at its age stays", names: [...recent, atLimit], current: recent[0], want: [] },
    {
      why: "a fourth, older than those, goes",
      names: [ancient, old, atLimit, aged(401 * DAY_MS)],
      current: atLimit,
      want: [ancient],
    },
    {
      why: "the current one stays, even if it is the oldest",
      names: [...recent, old],
      current: old,
      want: [],
    },
    {
      why: "what is no version is not looked at",
      names: ["current.json", "publish.lock", "notes", ".staging-1", ...recent, old],
      current: recent[0],
      want: [old],
    },
  ])("$why", ({ names, current, want }) => {
    expect(expiredVersions(names, current ?? "", NOW_MS)).toEqual(want);
  });
});

describe("version names", () => {
  it("are told from other names, oldest first", () => {
    const other = ["20261121T060000Z", "20261121T060000Z-3F9AC2D1", "..", "20261121-3f9ac2d1"];
    expect(versionNames([recent[0]!, ...other, old])).toEqual([old, recent[0]]);
  });
});

const HEAD: Omit<Manifest, "files"> = {
  format: FORMAT_VERSION,
  methodology_version: "1.0.0",
  sequence: 7,
  previous: { version: "20260401T010001Z-94e75c78", sha256: "a".repeat(64) },
  replaces: null,
  created_at: "2026-04-01T01:00:00.000Z",
  as_of: "2026-03-31T23:59:59.999Z",
  sources: [
    { source_id: "archive", fetched_at: "2026-04-01T00:00:00.000Z", spaces: 1, proposals: 2, votes: 3 },
  ],
  redacted: false,
};

describe("a manifest", () => {
  const one = {
    path: "daos.json",
    bytes: 1,
    sha256: "0".repeat(64),
    records: 1,
    media_type: "application/json",
  };
  const text = `${JSON.stringify({ ...HEAD, files: [one, { ...one, path: "index.sqlite" }] })}\n`;
  const said = (from: string | RegExp, to: string) => text.replace(from, to);
  it.each([
    { why: "a file twice", bytes: said("index.sqlite", "daos.json"), refused: "names a file twice" },
    { why: "another order", bytes: said("daos.json", "z.json"), refused: "in the order of paths" },
    { why: "a path upwards", bytes: said("daos.json", "a/../b"), refused: true },
    { why: "a path with an escape", bytes: said("daos.json", "d\\u0061os.json"), refused: true },
    {
      why: "a size that no number holds",
      bytes: said('"bytes":1', '"bytes":9007199254740993'),
      refused: true,
    },
    { why: "a size of sixteen digits", bytes: said('"bytes":1', '"bytes":9007199254740991'), refused: false },
    { why: "half a byte", bytes: said('"bytes":1', '"bytes":0.5'), refused: true },
    { why: "a size with a fraction", bytes: said('"bytes":1', '"bytes":1.0'), refused: true },
    { why: "a size with an exponent", bytes: said('"bytes":1', '"bytes":1e3'), refused: true },
    { why: "a negative size", bytes: said('"bytes":1', '"bytes":-1'), refused: true },
    {
      why: "keys in another order",
      bytes: said(/"records":1,"media_type":("[^"]*")/, '"media_type":$1,"records":1'),
      refused: true,
    },
    { why: "a key too many", bytes: said('"records":1', '"records":1,"more":1'), refused: true },
    { why: "another type of file", bytes: said("application/json", "application/jsonx"), refused: true },
    { why: "a comma too many", bytes: said("}]}", "},]}"), refused: true },
    { why: "something after the files", bytes: said("}]}", '}],"more":1}'), refused: true },
    { why: "something after the end", bytes: `${text}\n`, refused: true },
    { why: "no end", bytes: text.slice(0, -1), refused: true },
    {
      why: "another format",
      bytes: said(`"format":${FORMAT_VERSION}`, `"format":${FORMAT_VERSION + 1}`),
      refused: true,
    },
    {
      why: "a head with another key",
      bytes: said('"redacted":false', '"redacted":false,"x":1'),
      refused: true,
    },
    { why: "two lists of files", bytes: said('"redacted"', '"files":[],"redacted"'), refused: true },
    { why: "bytes that are no text", bytes: said("archive", "archiv\u00ff"), refused: true },
    { why: "a source that names a host", bytes: said('"archive"', '"https://x"'), refused: true },
    { why: "a time without milliseconds", bytes: said("00.000Z", "00Z"), refused: true },
    { why: "a hash of another kind", bytes: said("0".repeat(64), "0".repeat(40)), refused: true },
    { why: "no sequence", bytes: said('"sequence":7', '"sequence":0'), refused: true },
    { why: "no previous version", bytes: said(/"previous":\{.*?\},/, ""), refused: true },
    { why: "the first of its root", bytes: said(/"previous":\{.*?\}/, '"previous":null'), refused: false },
    { why: "nothing", bytes: "", refused: true },
    { why: "nothing unusual", bytes: text, refused: false },
  ])("is taken or refused: $why", ({ bytes, refused }) => {
    const taken = () => parseManifest(Buffer.from(bytes, "latin1"));
    if (refused !== false) expect(taken).toThrow(Failure);
    if (typeof refused === "string") expect(taken).toThrow(refused);
    if (refused === false)
      expect(taken().files.map(({ path }) => path)).toEqual(["daos.json", "index.sqlite"]);
  });
});

describe("the manifest of a pointer", () => {
  const bytes = Buffer.from("a manifest");
  const sha256 = "b".repeat(64);
  const pointer = {
    format: FORMAT_VERSION,
    version: "20260401T010001Z-bbbbbbbb",
    manifest: { path: "manifest.json", bytes: bytes.length, sha256 },
    sequence: HEAD.sequence,
    published_at: HEAD.created_at,
  } as const;
  it.each([
    { why: "as it was published", change: {} },
    {
      why: "a byte more",
      change: { bytes: Buffer.from("a manifest.") },
      says: "have the size in the pointer",
    },
    { why: "other bytes", change: { sha256: "c".repeat(64) }, says: "have the hash in the pointer" },
    { why: "one more publication", change: { sequence: 8 }, says: "another sequence than the pointer" },
    {
      why: "another moment",
      change: { created_at: "2026-04-01T01:00:00.001Z" },
      says: "another time than the pointer",
    },
  ])("is taken or refused: $why", ({ change, says }) => {
    const check = () => {
      const manifest = { ...HEAD, bytes, sha256, ...change };
      assertSealed(pointer, manifest);
      assertSameMoment(pointer, manifest);
    };
    if (says === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(says);
  });
});

it("tells of the keys of a forged file in one line, without what would steer a terminal or a log", () => {
  const bytes = Buffer.from(`${JSON.stringify({ "a\u001B[2J\u202E\n\u009Bb": 1 })}\n`);
  const refusal = orRefusal(() => parseJsonFile("dgi.json", bytes, z.strictObject({})));
  expect(refusal).toMatchObject({
    code: "SNAPSHOT_INVALID",
    message: 'dgi.json: the whole document: Unrecognized key: "a?[2J???b"',
  });
});
