import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCopyKeeper, keepRoom } from "../../../../proxy/fleet/follow/keep-copy.ts";
import { manifestSigner, parseTrustedKeys } from "../../../../snapshots/store/read/manifest-signature.ts";
import {
  KEPT_YOUNGER_THAN_MS,
  readPointer,
  versionsIn,
} from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import {
  copyOf,
  currentDirectory,
  sharedRoot,
  temporaryRoot,
} from "../../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../../support/published-set.ts";

const HOUR_MS = 3_600_000;
/** So long a server of the home may still use an old version. */
const COPY_GRACE_MS = 60_000;
/** A root with three versions, made once. */
const shared = sharedRoot();

beforeAll(async () => {
  for (const hours of [24, 25, 26])
    await publishFixture(shared.root, { createdAtMs: FIXTURE_AS_OF_MS + hours * HOUR_MS });
  return () => shared.remove();
});

function emptyRoot(): string {
  const root = temporaryRoot();
  mkdirSync(root);
  return root;
}

/** A keeper of a copy of three versions, of which a server has taken the newest; its clock is the test's. */
function setUp(options: Partial<Pick<Parameters<typeof createCopyKeeper>[0], "trustedKeys">> = {}) {
  const root = copyOf(shared.root);
  const world = { nowMs: 0, highest: readPointer(root).sequence, pulled: undefined as string | undefined };
  const keeper = createCopyKeeper({
    disk: createSnapshotDisk(root),
    trustedKeys: options.trustedKeys,
    highest: () => world.highest,
    nowMs: () => world.nowMs,
  });
  onTestFinished(keeper.close);
  const care = (isRemoteThere = true) => keeper.care(world.pulled, isRemoteThere);
  return { root, world, keeper, care, versions: versionsIn(root) };
}

const GIVEN_UP = { kind: "given up" };
const isPointerThere = (root: string) => readdirSync(root).includes("current.json");

describe("a keeper of copies, of old versions", () => {
  it.each([
    { why: "at once: a server may still read them", afterMs: COPY_GRACE_MS - 1, left: 3 },
    { why: "after a minute, but for the one before", afterMs: COPY_GRACE_MS, left: 2 },
    { why: "a moment before a quarter of an hour", afterMs: KEPT_YOUNGER_THAN_MS - 1, left: 2 },
    { why: "after a quarter of an hour", afterMs: KEPT_YOUNGER_THAN_MS, left: 1 },
  ])("leaves $left of three, $why", async ({ afterMs, left }) => {
    const { root, world, care, versions } = setUp();
    expect(await care()).toBeUndefined();
    world.nowMs = afterMs;
    const tidied = { kind: "tidied", versions: versions.slice(0, -left) };
    expect(await care()).toEqual(left === 3 ? undefined : tidied);
    expect(versionsIn(root)).toEqual(versions.slice(-left));
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each([
    { why: "all but the newest go while no server was ever here", highest: 0, left: 1 },
    { why: "none goes while the newest is not the one served", highest: 2, left: 3 },
  ])("$why", async ({ highest, left }) => {
    const { root, world, care } = setUp();
    world.highest = highest;
    await care();
    world.nowMs = 10 * KEPT_YOUNGER_THAN_MS;
    await care();
    expect(versionsIn(root)).toHaveLength(left);
  });

  it("leaves everything to whoever holds the lock, and comes again", async () => {
    const { root, world, care } = setUp();
    await care();
    world.nowMs = KEPT_YOUNGER_THAN_MS;
    const unlock = createSnapshotDisk(root).lock();
    expect(await care()).toBeUndefined();
    unlock();
    expect(await care()).toMatchObject({ versions: { length: 2 } });
  });

  it("says nothing against a root that is not there", async () => {
    const disk = createSnapshotDisk(join(temporaryRoot(), "none"));
    const keeper = createCopyKeeper({ disk, trustedKeys: undefined, highest: () => 0, nowMs: () => 0 });
    expect(await keeper.care(undefined, true)).toBeUndefined();
  });
});

describe("a keeper of copies, of a damaged copy", () => {
  const cut = (root: string) => writeFileSync(join(currentDirectory(root), "index.sqlite"), "no database");
  const stranger = manifestSigner(
    generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  );

  it("takes the pointer alone away, where its index was cut since it was opened", async () => {
    const { root, care, versions } = setUp();
    await care();
    cut(root);
    expect(await care()).toEqual(GIVEN_UP);
    expect(isPointerThere(root)).toBe(false);
    expect(versionsIn(root)).toEqual(versions);
    expect(await care()).toBeUndefined();
  });

  it("does so again only after a minute", async () => {
    const { root, world, care } = setUp();
    const pointer = readFileSync(join(root, "current.json"));
    cut(root);
    await care();
    writeFileSync(join(root, "current.json"), pointer);
    world.nowMs = 59_999;
    expect(await care()).toBeUndefined();
    world.nowMs = 60_000;
    expect(await care()).toEqual(GIVEN_UP);
  });

  it("keeps what cannot be had again", async () => {
    const { root, care } = setUp();
    cut(root);
    expect(await care(false)).toBeUndefined();
    expect(await care(true)).toEqual(GIVEN_UP);
  });

  it("keeps a copy that nobody trusted has signed, which no other copy would mend", async () => {
    const { root, care } = setUp({ trustedKeys: parseTrustedKeys(stranger?.publicKey ?? "") });
    expect(await care()).toBeUndefined();
    expect(isPointerThere(root)).toBe(true);
  });

  it("does nothing while somebody else pulls", async () => {
    const { root, care } = setUp();
    cut(root);
    const unlock = createSnapshotDisk(root).lock();
    expect(await care()).toBeUndefined();
    unlock();
    expect(await care()).toEqual(GIVEN_UP);
  });
});

describe("keepRoom", () => {
  it("takes what leaves enough free, and refuses as a full disk would what does not", async () => {
    const root = emptyRoot();
    let freeBytes = 20_000_100;
    const file = await keepRoom(createSnapshotDisk(root), 100, () => freeBytes).create("file");
    const piece = Buffer.alloc(10_000_000);
    await file.write(piece);
    freeBytes -= piece.length;
    await file.write(piece);
    freeBytes -= piece.length;
    const refused = { code: "REMOTE_NO_ROOM", message: expect.not.stringContaining(root) };
    await expect(file.write(piece)).rejects.toMatchObject(refused);
    await file.close();
    expect(readFileSync(join(root, "file"))).toHaveLength(20_000_000);
  });
});
