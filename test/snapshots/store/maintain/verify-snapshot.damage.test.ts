import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { isSnapshotFailure, type SnapshotFailure } from "../../../../snapshots/store/read/snapshot-error.ts";
import { publishFixture } from "../../../support/published-set.ts";
import { copyOf, currentDirectory, HOME, makePipe, replaceFile, temporaryRoot } from "../temporary-root.ts";

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

/** Where in a file, and which of its bits. */
const spot = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), bit: fc.nat(7) });

function flipBit(bytes: Buffer, position: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[position] = (copy[position] ?? 0) ^ (1 << bit);
  return copy;
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  return flipBit(bytes, Math.floor(at * bytes.length), bit);
}

/** What a reader must have in order to open at all. */
const OPENED = ["current.json", "manifest.json", "index.sqlite"];

describe("a damaged snapshot", () => {
  // One root for all random damage: every case puts back what it broke.
  beforeAll(async () => {
    const root = join(mkdtempSync(join(HOME, "govdata-damage-")), "published");
    await publishFixture(root);
    pristine = { root, directory: currentDirectory(root) };
    return () => rmSync(dirname(root), { recursive: true });
  });
  const at = (name: string) => join(name === "current.json" ? pristine.root : pristine.directory, name);

  it.each(OPENED)("is refused whatever bit of %s is flipped", async (name) => {
    const bytes = readFileSync(at(name));
    await fc.assert(
      fc.asyncProperty(spot, async (where) => {
        const mutant = flipped(bytes, where.at, where.bit);
        const outcome = await whileBroken(at(name), mutant, () => opening(pristine.root));
        expect(outcome).toBeInstanceOf(Failure);
      }),
      { numRuns: 60 },
    );
  });

  it("is refused whatever single bit of the pointer is flipped, each of them", () => {
    const bytes = readFileSync(at("current.json"));
    const taken: string[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const mutant = flipBit(bytes, bit >> 3, bit & 7);
      writeFileSync(at("current.json"), mutant);
      try {
        locateVersion(pristine.root);
        taken.push(mutant.toString());
      } catch (error) {
        if (!isSnapshotFailure(error)) throw error;
      }
    }
    writeFileSync(at("current.json"), bytes);
    expect(taken).toEqual([]);
    expect(locateVersion(pristine.root).manifest.sequence).toBe(1);
  });

  it.each(OPENED)("is refused wherever %s is cut", async (name) => {
    const bytes = readFileSync(at(name));
    await fc.assert(
      fc.asyncProperty(spot, async (where) => {
        const mutant = bytes.subarray(0, Math.floor(where.at * bytes.length));
        const outcome = await whileBroken(at(name), mutant, () => opening(pristine.root));
        expect(outcome).toBeInstanceOf(Failure);
      }),
      { numRuns: 30 },
    );
  });

  it("is reported, with the file's name, whatever bit of any file is flipped", async () => {
    const files = locateVersion(pristine.root).manifest.files.map((file) => file.path);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), spot, async (name, where) => {
        const mutant = flipped(readFileSync(at(name)), where.at, where.bit);
        const found = await whileBroken(at(name), mutant, () => verifySnapshot(pristine.root));
        expect(found.problems.map(({ path, code }) => ({ path, code }))).toEqual([
          { path: name, code: "FILE_WRONG_HASH" },
        ]);
      }),
      { numRuns: 40 },
    );
    expect((await verifySnapshot(pristine.root, { deep: true })).problems).toEqual([]);
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
    const text = readFileSync(at("current.json"), "utf8").replace(change, to);
    const outcome = await whileBroken(at("current.json"), Buffer.from(text), () => opening(pristine.root));
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
