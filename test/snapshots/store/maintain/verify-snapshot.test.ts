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
import { isSnapshotFailure, type SnapshotFailure } from "../../../../snapshots/store/read/snapshot-error.ts";
import { FIXTURE_AS_OF_MS, FIXTURE_ENTITY_ID, publishFixture } from "../../../support/published-set.ts";
import {
  copyOf,
  currentDirectory,
  HOME,
  makePipe,
  replaceFile,
  reseal,
  temporaryRoot,
} from "../temporary-root.ts";

async function published(): Promise<string> {
  const root = temporaryRoot();
  await publishFixture(root);
  return root;
}

/** Replaces text in a file of the current version, and seals it again. */
function forge(root: string, path: string, from: string | RegExp, to: string): void {
  const file = join(currentDirectory(root), path);
  const before = readFileSync(file, "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  replaceFile(file, after);
  reseal(root);
}

const codesOf = async (root: string, deep: boolean) =>
  (await verifySnapshot(root, { deep })).problems.map(({ path, code }) => `${path} ${code}`);

describe("verifySnapshot", () => {
  it("counts what it verified", async () => {
    const root = await published();
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

  it("knows a rollback offline", async () => {
    const { problems } = await verifySnapshot(await published(), { sequenceMin: 2 });
    expect(problems).toMatchObject([{ code: "SNAPSHOT_ROLLED_BACK" }]);
  });

  it.each([
    {
      why: "a file is missing",
      damage: (path: string) => rmSync(join(path, "dgi.json")),
      want: "dgi.json FILE_MISSING",
    },
    {
      why: "a file was added",
      damage: (path: string) => writeFileSync(join(path, "extra.json"), "{}"),
      want: "extra.json FILE_NOT_LISTED",
    },
    {
      why: "an empty folder was added",
      damage: (path: string) => mkdirSync(join(path, "evidence")),
      want: "evidence FILE_NOT_LISTED",
    },
    {
      why: "a journal lies beside the index",
      damage: (path: string) => writeFileSync(join(path, "index.sqlite-journal"), ""),
      want: "index.sqlite-journal FILE_NOT_LISTED",
    },
    {
      why: "a file is longer",
      damage: (path: string) => writeFileSync(join(path, "dgi.json"), " ", { flag: "a" }),
      want: "dgi.json FILE_WRONG_SIZE",
    },
    {
      why: "the index is cut",
      damage: (path: string) => replaceFile(join(path, "index.sqlite"), "SQLite format 3"),
      want: "index.sqlite FILE_WRONG_SIZE",
    },
  ])("finds it when $why", async ({ damage, want }) => {
    const root = await published();
    damage(currentDirectory(root));
    expect(await codesOf(root, false)).toEqual([want]);
  });

  it("verifies an older version, against its own name", async () => {
    const root = await published();
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
  it.each([
    {
      why: "a document without its shape",
      path: "dgi.json",
      from: '"dao_count":3',
      to: '"dao_count":0',
      want: "dgi.json SNAPSHOT_INVALID",
    },
    {
      why: "a number out of range",
      path: "daos/orchard.json",
      from: '"gvs":5.5',
      to: '"gvs":55',
      want: "daos/orchard.json SNAPSHOT_INVALID",
    },
    {
      why: "another spelling of the same",
      path: "dgi.json",
      from: "{",
      to: "{ ",
      want: "dgi.json DOCUMENT_NOT_CANONICAL",
    },
    {
      why: "a document of another id",
      path: "risk/orchard.json",
      from: '"orchard"',
      to: '"tidewater.example"',
      want: "risk/orchard.json DOCUMENTS_DISAGREE",
    },
    {
      why: "no JSON at all",
      path: "unscored.json",
      from: /^.*$/m,
      to: "nothing",
      want: "unscored.json SNAPSHOT_INVALID",
    },
  ])("finds $why without looking deep", async ({ path, from, to, want }) => {
    const root = await published();
    forge(root, path, from, to);
    expect(await codesOf(root, false)).toEqual([want]);
  });

  it.each([
    {
      why: "a detail that differs from the list",
      path: "daos/orchard.json",
      from: '"gvs":5.5',
      to: '"gvs":5.6',
      want: "daos/orchard.json DOCUMENTS_DISAGREE",
    },
    {
      why: "a risk level that is not that of its score",
      path: "risk/orchard.json",
      from: '"moderate"',
      to: '"low"',
      want: "risk/orchard.json DOCUMENTS_DISAGREE",
    },
    {
      why: "tiers that do not add up",
      path: "delegates/orchard/latest.json",
      from: '"t1_voting_power_pct":100',
      to: '"t1_voting_power_pct":99',
      want: "delegates/orchard/latest.json DOCUMENTS_DISAGREE",
    },
    {
      why: "a row of the whole ranking that differs",
      path: "delegates/orchard/all.csv",
      from: "4997",
      to: "4996",
      want: "delegates/orchard/all.csv DOCUMENTS_DISAGREE",
    },
    {
      why: "a whole ranking that is too long",
      path: "delegates/orchard/all.csv",
      from: /(4,0x.*\n)/,
      to: "$1$1",
      want: "delegates/orchard/all.csv DOCUMENTS_DISAGREE",
    },
    {
      why: "an entity with another wallet than the index",
      path: `entities/${FIXTURE_ENTITY_ID}.json`,
      from: "feed",
      to: "beef",
      want: "index.sqlite INDEX_DIFFERS",
    },
  ])("finds $why in a deep look only", async ({ path, from, to, want }) => {
    const root = await published();
    forge(root, path, from, to);
    expect(await codesOf(root, false)).toEqual([]);
    expect(await codesOf(root, true)).toContain(want);
  });

  it.each([
    { why: "names a file twice", change: "twice" as const, want: "manifest.json SNAPSHOT_INVALID" },
    {
      why: "has its files in another order",
      change: "turned" as const,
      want: "manifest.json SNAPSHOT_INVALID",
    },
    { why: "does not name the index", change: "no index" as const, want: "index.sqlite FILE_NOT_LISTED" },
  ])("refuses a manifest that $why", async ({ change, want }) => {
    const root = await published();
    reseal(root, ({ files }) => {
      if (change === "twice") return { files: [files[0]!, ...files] };
      if (change === "turned") return { files: files.toReversed() };
      return { files: files.filter((file) => file.path !== "index.sqlite") };
    });
    expect(await codesOf(root, true)).toContain(want);
  });

  it("finds a document that this format does not know", async () => {
    const root = await published();
    reseal(root, ({ files }, directory) => {
      writeFileSync(join(directory, "surprise.json"), "{}\n");
      const after = files.findIndex(({ path }) => path > "surprise.json");
      return { files: files.toSpliced(after, 0, { ...files[0]!, path: "surprise.json" }) };
    });
    expect(await codesOf(root, false)).toEqual(["surprise.json DOCUMENT_UNKNOWN"]);
  });
});

let pristine: { root: string; directory: string };

async function freshRoot(): Promise<{ root: string; directory: string }> {
  const root = temporaryRoot();
  await publishFixture(root);
  return { root, directory: currentDirectory(root) };
}

/** Opening refuses with a SnapshotFailure, or gives a reader. */
async function opening(root: string): Promise<SnapshotFailure | "opened"> {
  try {
    (await openSnapshot(root)).close();
    return "opened";
  } catch (error) {
    if (isSnapshotFailure(error)) return error;
    throw error;
  }
}

/** Runs `break_` on a file, looks, and puts the file back. */
async function whileBroken<Result>(
  path: string,
  bytes: Buffer,
  look: () => Promise<Result>,
): Promise<Result> {
  const before = readFileSync(path);
  replaceFile(path, bytes);
  try {
    return await look();
  } finally {
    replaceFile(path, before);
  }
}

function flipBit(bytes: Buffer, position: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[position] = (copy[position] ?? 0) ^ (1 << bit);
  return copy;
}

describe("a damaged snapshot", () => {
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

  it.each([
    {
      why: "another format",
      change: '"format":3' as const,
      to: '"format":4',
      code: "SNAPSHOT_FORMAT_UNKNOWN",
    },
    {
      why: "a field too many",
      change: '{"format"' as const,
      to: '{"also":1,"format"',
      code: "SNAPSHOT_INVALID",
    },
    {
      why: "a field given twice",
      change: '{"format"' as const,
      to: '{"format":1,"format"',
      code: "SNAPSHOT_INVALID",
    },
    {
      why: "another sequence",
      change: '"sequence":1' as const,
      to: '"sequence":7',
      code: "SNAPSHOT_INVALID",
    },
    { why: "sequence 0", change: '"sequence":1' as const, to: '"sequence":0', code: "SNAPSHOT_INVALID" },
    {
      why: "a version outside",
      change: '"version":"' as const,
      to: '"version":"../',
      code: "SNAPSHOT_INVALID",
    },
    { why: "no newline at its end", change: "}\n" as const, to: "}", code: "SNAPSHOT_INVALID" },
    { why: "nothing in it", change: /^.*\n$/, to: "", code: "SNAPSHOT_INVALID" },
    {
      why: "more bytes than a pointer has",
      change: "}\n" as const,
      to: `}${" ".repeat(5000)}\n`,
      code: "SNAPSHOT_INVALID",
    },
  ])("is refused with a pointer of $why", async ({ change, to, code }) => {
    const text = readFileSync(fileAt("current.json"), "utf8").replace(change, to);
    const outcome = await whileBroken(fileAt("current.json"), Buffer.from(text), () =>
      opening(pristine.root),
    );
    expect(outcome).toMatchObject({ code });
  });

  it("is refused when pointer and version are of two publications", async () => {
    const { root } = await freshRoot();
    const other = copyOf(root);
    await publishFixture(root, { createdAtMs: Date.parse("2026-05-01T00:00:00.000Z") });
    await publishFixture(other, { createdAtMs: Date.parse("2026-05-02T00:00:00.000Z") });
    const manifest = readFileSync(join(currentDirectory(other), "manifest.json"));
    replaceFile(join(currentDirectory(root), "manifest.json"), manifest);
    expect(await opening(root)).toMatchObject({ code: "SNAPSHOT_INVALID", path: "manifest.json" });
  });

  it("refuses endless, linked and waiting files without reading them", async () => {
    const { root, directory } = await freshRoot();
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
