import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCanonical, sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { Manifest, ManifestFile } from "../../../../snapshots/format/manifest.ts";
import { parseFormatted } from "../../../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../../../snapshots/store/read/snapshot-error.ts";
import {
  manifestEntries,
  summarizeFiles,
  summarizeManifest,
} from "../../../../snapshots/store/read/summarize-manifest.ts";

const HEAD: Omit<Manifest, "files"> = {
  format: 2,
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

const count = fc.oneof(fc.nat(9), fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER));
const segment = fc.stringMatching(/^[a-z0-9][A-Za-z0-9._-]{0,12}$/);
const dated = fc
  .tuple(fc.constantFrom("a.eth", "a", "a-b.eth"), fc.integer({ min: 10, max: 28 }))
  .map(([space, month]) => `delegates/${space}/2026-${month}.ndjson`);
const FILE: fc.Arbitrary<ManifestFile> = fc.record({
  path: fc.oneof(
    dated,
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")),
  ),
  bytes: count,
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  records: count,
  media_type: fc.constantFrom(...ManifestFile.shape.media_type.options),
});

/** Mostly a manifest that is good: its files in order, the index among them. */
const MANIFEST: fc.Arbitrary<Manifest> = fc
  .record({ files: fc.uniqueArray(FILE, { selector: ({ path }) => path, maxLength: 12 }), index: FILE })
  .map(({ files, index }) => ({
    ...HEAD,
    files: [...files.filter(({ path }) => path !== "index.sqlite"), { ...index, path: "index.sqlite" }].sort(
      (a, b) => (a.path < b.path ? -1 : 1),
    ),
  }));

const bytesOf = (manifest: Manifest) => encodeCanonical(Manifest, manifest);

async function outcomeOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return `${error.code} ${error.path} ${error.message}`;
  }
}

/** By the plain way: JSON, zod, and all of it at once. */
const plainly = (bytes: Buffer) => () => {
  const { files, ...head } = parseFormatted("manifest.json", bytes, Manifest);
  return { head, ...summarizeFiles(files), chosen: files.filter(({ path }) => isChosen(path)) };
};

/** Some of them, and the index among them. */
const isChosen = (path: string): boolean => path.length % 2 === 0;

async function expectLikePlain(bytes: Buffer): Promise<unknown> {
  const outcome = await outcomeOf(() => summarizeManifest(bytes, isChosen));
  expect(outcome).toEqual(await outcomeOf(plainly(bytes)));
  return outcome;
}

describe("a manifest in slices, as in one piece", () => {
  it("whatever files it names", async () => {
    await fc.assert(
      fc.asyncProperty(MANIFEST, async (manifest) => {
        const outcome = await expectLikePlain(bytesOf(manifest));
        const { files, ...head } = manifest;
        expect(outcome).toMatchObject({ head, index: files.find(({ path }) => path === "index.sqlite") });
      }),
      { numRuns: 60 },
    );
  });

  it("whatever byte of it is another, missing or too many", async () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      byte: fc.oneof(fc.constantFrom(...Buffer.from('"{}[],:\\/. 0eE-+A\n')), fc.nat(255)),
      how: fc.constantFrom("replace", "remove", "insert"),
    });
    await fc.assert(
      fc.asyncProperty(MANIFEST, change, async (manifest, { at, byte, how }) => {
        const bytes = bytesOf(manifest);
        const place = Math.floor(at * bytes.length);
        const after = bytes.subarray(how === "insert" ? place : place + 1);
        const put = how === "remove" ? [] : [Buffer.from([byte])];
        await expectLikePlain(Buffer.concat([bytes.subarray(0, place), ...put, after]));
      }),
      { numRuns: 300 },
    );
  });

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
    { why: "no file", bytes: said(/\[\{"path".*\]/, "[]"), refused: true },
    { why: "no index", bytes: said("index.sqlite", "indey.sqlite"), refused: true },
    { why: "a file twice", bytes: said("index.sqlite", "daos.json"), refused: true },
    { why: "another order", bytes: said("daos.json", "z.json"), refused: true },
    { why: "a path upwards", bytes: said("daos.json", "a/../b"), refused: true },
    { why: "a path with an escape", bytes: said("daos.json", "d\\u0061os.json"), refused: true },
    {
      why: "a size that no number holds",
      bytes: said('"bytes":1', '"bytes":9007199254740993'),
      refused: true,
    },
    { why: "a size of sixteen digits", bytes: said('"bytes":1', '"bytes":9007199254740991'), refused: false },
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
    { why: "another format", bytes: said('"format":2', '"format":3'), refused: true },
    {
      why: "a head with another key",
      bytes: said('"redacted":false', '"redacted":false,"x":1'),
      refused: true,
    },
    { why: "two lists of files", bytes: said('"redacted"', '"files":[],"redacted"'), refused: true },
    { why: "bytes that are no text", bytes: said("archive", "archiv\u00ff"), refused: true },
    { why: "nothing", bytes: "", refused: true },
    { why: "nothing unusual", bytes: text, refused: false },
  ])("of $why", async ({ bytes, refused }) => {
    const outcome = await expectLikePlain(Buffer.from(bytes, "latin1"));
    expect(typeof outcome === "string").toBe(refused);
  });

  it("of more than one slice, wherever the slices end", async () => {
    const files = Array.from({ length: 12_000 }, (_, index) => ({
      path: `delegates/a/${String(index).padStart(index % 7, "0")}.json`,
      bytes: index,
      sha256: sha256Hex(String(index)),
      records: 1,
      media_type: "application/json" as const,
    })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const bytes = bytesOf({ ...HEAD, files });
    const entries = manifestEntries(bytes, bytes.indexOf('"files":[') + 9);
    const slices: ManifestFile[][] = [];
    let next = entries.next();
    for (; next.done !== true; next = entries.next()) slices.push([...next.value]);
    expect(next.value).toBe(true);
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.flat()).toEqual(files);
  });
});
