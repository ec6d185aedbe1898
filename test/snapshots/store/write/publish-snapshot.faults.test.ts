import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { timestampOf } from "../../../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../../../snapshots/store/read/snapshot-error.ts";
import { publishSnapshot } from "../../../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import {
  certainPlace,
  FIXTURE_AS_OF_MS,
  publishedSet,
  publishFixture,
  runReport,
  snapshotPlan,
} from "../../../support/published-set.ts";
import { copyOf, temporaryRoot } from "../temporary-root.ts";

type StagedFile = Awaited<ReturnType<SnapshotDisk["create"]>>;

/** How the n-th operation fails: it is not done; it is done and reported as failed; or all fails from there on, as for a killed process. */
const MODES = ["not done", "done but reported failed", "the end of the process"] as const;
type Mode = (typeof MODES)[number];

interface FaultyDisk {
  readonly disk: SnapshotDisk;
  readonly operations: string[];
  readonly isPointerMoved: () => boolean;
}

/** The real disk, failing at its n-th operation. */
function faultyDisk(root: string, failAt: number, mode: Mode): FaultyDisk {
  const real = createSnapshotDisk(root);
  const operations: string[] = [];
  let isPointerMoved = false;
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    operations.push(name);
    const at = operations.length;
    const isFailing = mode === "the end of the process" ? at >= failAt : at === failAt;
    if (isFailing && mode !== "done but reported failed") throw eio(name);
    const result = await work();
    if (name === "rename current.json") isPointerMoved = true;
    if (isFailing) throw eio(name);
    return result;
  };
  const disk: SnapshotDisk = {
    root,
    makeRoot: () => step("makeRoot", () => real.makeRoot()),
    lock: () => real.lock(),
    names: (path) => step("names", () => real.names(path)),
    makeDirectory: (path) => step("makeDirectory", () => real.makeDirectory(path)),
    async create(path) {
      let made: StagedFile | undefined;
      const file = await step("create", async () => {
        made = await real.create(path);
        return made;
      }).catch(async (error: unknown) => {
        await made?.close();
        throw error;
      });
      return {
        write: (bytes) => step("write", () => file.write(bytes)),
        sync: () => step("sync", () => file.sync()),
        async close() {
          await file.close();
          await step("close", async () => {});
        },
      };
    },
    link: (from, to) => step("link", () => real.link(from, to)),
    rename: (from, to) => step(`rename ${to}`, () => real.rename(from, to)),
    syncDirectory: (path) => step("syncDirectory", () => real.syncDirectory(path)),
    remove: (path) => step("remove", () => real.remove(path)),
  };
  return { disk, operations, isPointerMoved: () => isPointerMoved };
}

function eio(name: string): Error {
  return Object.assign(new Error(`EIO: i/o error, ${name} '/somewhere/on/this/machine'`), { code: "EIO" });
}

/** One DAO and nothing else: few operations, so that each of them can fail. */
function smallSet(): PublishedSet {
  const set = publishedSet();
  const [dao] = set.daos;
  const [detail] = set.details;
  const rankings = {
    overall: { rank: 1, total: 1 },
    category: { rank: 1, category: "defi" as const, total: 1 },
  };
  return {
    ...set,
    daos: [dao!],
    rankings: [certainPlace(dao!)],
    details: [{ ...detail!, rankings, top_entities: [] }],
    risks: [],
    listings: [],
    entities: [],
    histories: [],
    dgi: undefined,
    dgiHistory: undefined,
  };
}

const SET = smallSet();
const LATER_MS = FIXTURE_AS_OF_MS + 86_400_000;

function publishSmall(disk: SnapshotDisk, createdAtMs: number) {
  const source = {
    source_id: "archive",
    fetched_at: timestampOf(createdAtMs),
    spaces: 1,
    proposals: 0,
    votes: 0,
  };
  return publishSnapshot(snapshotPlan(SET, createdAtMs, { sources: [source] }), disk);
}

async function rootWithOneVersion(): Promise<string> {
  const root = temporaryRoot();
  await publishSmall(createSnapshotDisk(root), FIXTURE_AS_OF_MS);
  return root;
}

async function operationsOf(root: string): Promise<string[]> {
  const { disk, operations } = faultyDisk(copyOf(root), Number.POSITIVE_INFINITY, "not done");
  await publishSmall(disk, LATER_MS);
  return operations;
}

/** One fault, then everything that must hold after it. */
async function surviveFault(before: string, failAt: number, mode: Mode): Promise<void> {
  const root = copyOf(before);
  const old = readPointer(root);
  const { disk, isPointerMoved, operations } = faultyDisk(root, failAt, mode);
  const context = `${mode}, operation ${failAt}`;
  const outcome = await publishSmall(disk, LATER_MS).catch((error: unknown) => error);
  const name = operations[failAt - 1];

  const isRefused = isSnapshotFailure(outcome);
  if (isRefused) {
    expect(outcome.code, context).toBe("PUBLISH_FAILED");
    expect(outcome.message, context).not.toMatch(/somewhere|govdata-store-/);
  } else {
    expect(name, `${context}: a fault was swallowed`).toMatch(/^(link|names|remove|rename \.staging)/);
  }
  const current = readPointer(root);
  expect(current.sequence, context).toBe(isPointerMoved() ? 2 : 1);
  if (!isPointerMoved()) expect(current, context).toEqual(old);
  expect((await verifySnapshot(root)).problems, context).toEqual([]);

  const next = await publishSmall(createSnapshotDisk(root), LATER_MS + 1000);
  expect(next.sequence, context).toBe(current.sequence + 1);
  expect((await verifySnapshot(root)).problems, context).toEqual([]);
  const versions = readdirSync(root).filter((each) => each !== "current.json" && each !== "publish.lock");
  expect(versions, context).toHaveLength(next.sequence);
}

describe("publishSnapshot on a failing disk", () => {
  it("does its operations in the order that survives a crash", async () => {
    const root = temporaryRoot();
    const { disk, operations } = faultyDisk(root, Number.POSITIVE_INFINITY, "not done");
    const { version } = await publishSmall(disk, FIXTURE_AS_OF_MS);
    const named = operations.indexOf(`rename ${version}`);
    const lastFileSync = operations.slice(0, named).lastIndexOf("sync");
    const firstFolderSync = operations.indexOf("syncDirectory");
    expect(lastFileSync).toBeLessThan(firstFolderSync);
    expect(operations.slice(0, named).filter((each) => each === "sync")).toHaveLength(8);
    expect(operations.slice(0, named).filter((each) => each === "create")).toHaveLength(8);
    expect(operations.slice(0, named).filter((each) => each === "syncDirectory")).toHaveLength(2);
    expect(operations.slice(named)).toEqual([
      `rename ${version}`,
      "syncDirectory",
      "create",
      "write",
      "sync",
      "close",
      "rename current.json",
      "syncDirectory",
      "names",
    ]);
  });

  it.each(MODES)("keeps the old version current and whole: %s, at every n", async (mode) => {
    const before = await rootWithOneVersion();
    const operations = await operationsOf(before);
    expect(operations).toContain("link");
    expect(operations.length).toBeGreaterThan(25);
    for (let failAt = 1; failAt <= operations.length; failAt += 1) await surviveFault(before, failAt, mode);
  });

  it.each(MODES)("leaves a first publish either undone or whole: %s, at every n", async (mode) => {
    const total = 60;
    let isReached = true;
    for (let failAt = 1; failAt <= total && isReached; failAt += 1) {
      const root = temporaryRoot();
      const { disk, operations } = faultyDisk(root, failAt, mode);
      await publishSmall(disk, FIXTURE_AS_OF_MS).catch(() => undefined);
      isReached = operations.length >= failAt;
      const { problems } = await verifySnapshot(root);
      expect(problems.map((each) => each.code)).toEqual(problems.length === 0 ? [] : ["SNAPSHOT_MISSING"]);
      const next = await publishSmall(createSnapshotDisk(root), LATER_MS);
      expect(next.sequence).toBe(problems.length === 0 ? 2 : 1);
      expect((await verifySnapshot(root)).problems).toEqual([]);
    }
    expect(isReached).toBe(false);
  });

  it("writes a copy where the file system has no links", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    const real = createSnapshotDisk(root);
    const disk = { ...real, link: () => Promise.reject(eio("link")) };
    const published = await publishSnapshot(snapshotPlan(publishedSet(), LATER_MS), disk);
    expect(published.filesLinked).toBe(0);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it.each([
    { why: "of a small file", message: "a line" },
    { why: "of one that is not read whole", message: "x".repeat(9e6) },
  ])(
    "finds out before anybody can read it that the disk kept other bytes than it was given: $why",
    async ({ message }) => {
      const root = await rootWithOneVersion();
      const real = createSnapshotDisk(root);
      const disk: SnapshotDisk = {
        ...real,
        async create(path) {
          const file = await real.create(path);
          const isVictim = path.endsWith("run.json");
          return {
            ...file,
            write: (bytes) => file.write(isVictim ? Buffer.from(bytes).fill("x", 0, 1) : bytes),
          };
        },
      };
      const set = publishedSet();
      const rejected = [{ space_id: null, file: "votes", line: 1, code: "BAD_JSON", message }];
      const report = () => ({ ...runReport(set, LATER_MS), rejected });
      await expect(publishSnapshot(snapshotPlan(set, LATER_MS, { report }), disk)).rejects.toMatchObject({
        code: "PUBLISH_FAILED",
        message: expect.stringContaining("run.json: does not have the SHA-256 expected") as string,
      });
      expect(readPointer(root).sequence).toBe(1);
      expect(readdirSync(root)).toHaveLength(3);
    },
  );
});
