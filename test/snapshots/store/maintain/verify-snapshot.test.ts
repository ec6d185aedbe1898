import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { isSnapshotFailure } from "../../../../snapshots/store/read/snapshot-error.ts";
import { everyKindSet } from "../../../faults/every-kind-set.ts";
import { FIXTURE_AS_OF_MS, FIXTURE_ENTITY_ID, publishFixture } from "../../../support/published-set.ts";
import {
  currentDirectory,
  forgeText,
  HOME,
  makePipe,
  publishedRoot,
  replaceFile,
  reseal,
  temporaryRoot,
} from "../temporary-root.ts";

const codesOf = async (root: string, deep: boolean) =>
  (await verifySnapshot(root, { deep })).problems.map(({ path, code }) => `${path} ${code}`);

describe("verifySnapshot", () => {
  it("counts what it verified", async () => {
    const root = await publishedRoot();
    expect(await verifySnapshot(root)).toMatchObject({ sequence: 1, files: 23, documents: 18, problems: [] });
  });

  it("says SNAPSHOT_MISSING where nothing was published", async () => {
    const verification = await verifySnapshot(temporaryRoot(), { deep: true });
    expect(verification).toMatchObject({
      version: undefined,
      files: 0,
      problems: [{ code: "SNAPSHOT_MISSING" }],
    });
  });

  const put = (path: string, text: string) => (directory: string) => replaceFile(join(directory, path), text);
  it.each([
    { why: "a file was added", damage: put("extra.json", "{}"), want: "extra.json FILE_NOT_LISTED" },
    {
      why: "an empty folder was added",
      damage: (directory: string) => mkdirSync(join(directory, "evidence")),
      want: "evidence FILE_NOT_LISTED",
    },
    {
      why: "a journal lies beside the index",
      damage: put("index.sqlite-journal", ""),
      want: "index.sqlite-journal FILE_NOT_LISTED",
    },
    {
      why: "the index is cut",
      damage: put("index.sqlite", "SQLite format 3"),
      want: "index.sqlite FILE_WRONG_SIZE",
    },
  ])("finds it when $why", async ({ damage, want }) => {
    const root = await publishedRoot();
    damage(currentDirectory(root));
    expect(await codesOf(root, false)).toEqual([want]);
  });

  it("verifies an older version, against its own name", async () => {
    const root = await publishedRoot();
    const { version } = await verifySnapshot(root);
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 86_400_000 });
    expect((await verifySnapshot(root, { version: version! })).problems).toEqual([]);
    // A manifest that is whole and well-formed, but of the other version.
    const other = readFileSync(join(currentDirectory(root), "manifest.json"));
    replaceFile(join(root, version!, "manifest.json"), other);
    expect((await verifySnapshot(root, { version: version! })).problems).toMatchObject([
      { path: "manifest.json", code: "SNAPSHOT_INVALID" },
    ]);
    expect((await verifySnapshot(root)).problems).toEqual([]);
  });
});

describe("verifySnapshot of a version forged so that every hash agrees", () => {
  it.each<[why: string, path: string, from: string | RegExp, to: string, code: string]>([
    ["a number out of range", "daos/orchard.json", '"gvs":5.5', '"gvs":55', "SNAPSHOT_INVALID"],
    ["another spelling of the same", "dgi.json", "{", "{ ", "DOCUMENT_NOT_CANONICAL"],
    ["another id", "risk/orchard.json", '"orchard"', '"tidewater.example"', "DOCUMENTS_DISAGREE"],
    ["no JSON at all", "unscored.json", /^.*$/m, "nothing", "SNAPSHOT_INVALID"],
  ])("finds a document of %s without looking deep", async (_why, path, from, to, code) => {
    const root = await publishedRoot();
    forgeText(root, path, from, to);
    expect(await codesOf(root, false)).toEqual([`${path} ${code}`]);
  });

  it.each<[why: string, path: string, from: string | RegExp, to: string]>([
    ["a detail that differs from the list", "daos/orchard.json", '"gvs":5.5', '"gvs":5.6'],
    ["an index of more DAOs than are listed", "dgi.json", '"dao_count":3', '"dao_count":4'],
    [
      "tiers that do not add up",
      "delegates/orchard/latest.json",
      '"t1_voting_power_pct":100',
      '"t1_voting_power_pct":99',
    ],
    ["a row of the whole ranking that differs", "delegates/orchard/all.csv", "4997", "4996"],
    ["a whole ranking that is too long", "delegates/orchard/all.csv", /(4,0x.*\n)/, "$1$1"],
  ])("finds %s in a deep look only", async (_why, path, from, to) => {
    const root = await publishedRoot();
    forgeText(root, path, from, to);
    expect(await codesOf(root, false)).toEqual([]);
    expect(await codesOf(root, true)).toContain(`${path} DOCUMENTS_DISAGREE`);
  });

  it("finds an entity with another wallet than the index in a deep look only", async () => {
    const root = await publishedRoot();
    forgeText(root, `entities/${FIXTURE_ENTITY_ID}.json`, "feed", "beef");
    expect(await codesOf(root, false)).toEqual([]);
    expect(await codesOf(root, true)).toContain("index.sqlite INDEX_DIFFERS");
  });

  it.each([
    { missing: "index.sqlite", says: "index.sqlite FILE_NOT_LISTED" },
    { missing: "daos.json", says: "manifest.json SNAPSHOT_INVALID" },
    { missing: "rankings.json", says: "manifest.json SNAPSHOT_INVALID" },
    { missing: "unscored.json", says: "manifest.json SNAPSHOT_INVALID" },
    { missing: "proposals/varied.eth.ndjson", says: "manifest.json SNAPSHOT_INVALID" },
  ])("refuses a manifest that does not name $missing", async ({ missing, says }) => {
    const root = temporaryRoot();
    await publishFixture(root, { set: everyKindSet() });
    reseal(root, ({ files }) => ({ files: files.filter(({ path }) => path !== missing) }));
    expect(await codesOf(root, true)).toContain(says);
  });

  it("finds a document that this format does not know", async () => {
    const root = await publishedRoot();
    reseal(root, ({ files }, directory) => {
      writeFileSync(join(directory, "surprise.json"), "{}\n");
      const after = files.findIndex(({ path }) => path > "surprise.json");
      return { files: files.toSpliced(after, 0, { ...files[0]!, path: "surprise.json" }) };
    });
    expect(await codesOf(root, false)).toEqual(["surprise.json DOCUMENT_UNKNOWN"]);
  });
});

function flipBit(bytes: Buffer, position: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[position] = (copy[position] ?? 0) ^ (1 << bit);
  return copy;
}

describe("a damaged snapshot", () => {
  let pristine: { readonly root: string; readonly directory: string };
  // One root for all random damage: every case puts back what it broke.
  beforeAll(async () => {
    const root = join(mkdtempSync(join(HOME, "govdata-damage-")), "published");
    await publishFixture(root);
    pristine = { root, directory: currentDirectory(root) };
    return () => rmSync(dirname(root), { recursive: true });
  });
  const fileAt = (name: string) => join(name === "current.json" ? pristine.root : pristine.directory, name);

  it("is refused whatever single bit of the pointer is flipped, each of them", () => {
    const bytes = readFileSync(fileAt("current.json"));
    const taken: string[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const mutant = flipBit(bytes, bit >> 3, bit & 7);
      writeFileSync(fileAt("current.json"), mutant);
      try {
        locateVersion(pristine.root);
        taken.push(mutant.toString());
      } catch (error) {
        if (!isSnapshotFailure(error)) throw error;
      }
    }
    writeFileSync(fileAt("current.json"), bytes);
    expect(taken).toEqual([]);
    expect(locateVersion(pristine.root).manifest.sequence).toBe(1);
  });

  it.each<[why: string, from: string | RegExp, to: string]>([
    ["a field too many", '{"format"', '{"also":1,"format"'],
    ["a field given twice", '{"format"', '{"format":1,"format"'],
    ["another sequence", '"sequence":1', '"sequence":7'],
    ["sequence 0", '"sequence":1', '"sequence":0'],
    ["a version outside", '"version":"', '"version":"../'],
    ["a format in words", /"format":\d+/, '"format":"3"'],
    ["no newline at its end", "}\n", "}"],
    ["nothing in it", /^.*\n$/, ""],
    ["more bytes than a pointer has", "}\n", `}${" ".repeat(5000)}\n`],
  ])("is refused with a pointer of %s", async (_why, from, to) => {
    const before = readFileSync(fileAt("current.json"), "utf8");
    replaceFile(fileAt("current.json"), before.replace(from, to));
    await expect(openSnapshot(pristine.root)).rejects.toMatchObject({ code: "SNAPSHOT_INVALID" });
    replaceFile(fileAt("current.json"), before);
  });

  it("refuses endless, linked and waiting files without reading them", async () => {
    const root = await publishedRoot();
    const directory = currentDirectory(root);
    const huge = join(directory, "daos.json");
    replaceFile(huge, "[");
    truncateSync(huge, 5 * 1024 ** 3);
    const victim = join(directory, "unscored.json");
    const copy = join(directory, "..", "elsewhere.json");
    writeFileSync(copy, readFileSync(victim));
    rmSync(victim);
    symlinkSync(copy, victim);
    rmSync(join(directory, "dgi.json"));
    makePipe(join(directory, "dgi.json"));
    const { problems } = await verifySnapshot(root);
    expect(problems.map(({ path, code }) => [path, code])).toEqual([
      ["daos.json", "FILE_WRONG_SIZE"],
      ["dgi.json", "FILE_UNREADABLE"],
      ["unscored.json", "FILE_UNREADABLE"],
    ]);
  });
});
