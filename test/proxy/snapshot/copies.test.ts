import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCopyGivingUp } from "../../../proxy/snapshot/give-up-copy.ts";
import { keepRoom } from "../../../proxy/snapshot/keep-room.ts";
import { isServed } from "../../../proxy/snapshot/pull-copy.ts";
import { COPY_GRACE_MS, createCopyTidier } from "../../../proxy/snapshot/tidy-copies.ts";
import { locateVersion } from "../../../snapshots/store/read/locate-version.ts";
import { KEPT_YOUNGER_THAN_MS } from "../../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../../snapshots/store/read/snapshot-error.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { copyOf, sharedRoot, temporaryRoot } from "../../snapshots/store/temporary-root.ts";
import { publishFixture } from "../../support/published-set.ts";
import { fakeReader, pointerTo, versionOf } from "../support/fake-reader.ts";

function emptyRoot(): string {
  const root = temporaryRoot();
  mkdirSync(root);
  return root;
}

/** A root with empty folders for versions; `current` is what the pointer names. */
function rootOf(versions: readonly number[], current: number): string {
  const root = emptyRoot();
  for (const sequence of versions) mkdirSync(join(root, versionOf(sequence)));
  writeFileSync(join(root, "current.json"), `${JSON.stringify(pointerTo(current))}\n`);
  return root;
}

const sequencesIn = (root: string) =>
  [1, 2, 3, 4].filter((sequence) => existsSync(join(root, versionOf(sequence))));

describe("createCopyTidier", () => {
  function setUp(options: { current: number; open: readonly number[]; redacted?: boolean }) {
    const root = rootOf([1, 2, 3], options.current);
    const world = { nowMs: 0, open: options.open };
    const tidy = createCopyTidier({
      disk: createSnapshotDisk(root),
      nowMs: () => world.nowMs,
      open: () =>
        world.open.map((sequence) => {
          const reader = fakeReader(sequence);
          return { ...reader, manifest: { ...reader.manifest, redacted: options.redacted ?? false } };
        }),
    });
    return { root, world, tidy };
  }

  it.each([
    { why: "at once: another process may read them", afterMs: COPY_GRACE_MS - 1, left: [1, 2, 3] },
    { why: "after a minute, but for the one before", afterMs: COPY_GRACE_MS, left: [2, 3] },
    { why: "a moment before a quarter of an hour", afterMs: KEPT_YOUNGER_THAN_MS - 1, left: [2, 3] },
    { why: "after a quarter of an hour", afterMs: KEPT_YOUNGER_THAN_MS, left: [3] },
  ])("leaves of three copies $left, $why", async ({ afterMs, left }) => {
    const { root, world, tidy } = setUp({ current: 3, open: [3] });
    expect(await tidy()).toEqual([]);
    world.nowMs = afterMs;
    expect(await tidy()).toEqual([1, 2, 3].filter((each) => !left.includes(each)).map(versionOf));
    expect(sequencesIn(root)).toEqual(left);
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each([
    { why: "the one before goes with the others after a redaction", open: [3], redacted: true, left: [3] },
    { why: "what a request still holds stays, however long", open: [1, 3], redacted: true, left: [1, 3] },
    { why: "nothing goes while the newest is not served", open: [2], redacted: false, left: [1, 2, 3] },
    { why: "nothing goes while nothing is served", open: [], redacted: false, left: [1, 2, 3] },
  ])("$why", async ({ open, redacted, left }) => {
    const { root, world, tidy } = setUp({ current: 3, open, redacted });
    await tidy();
    world.nowMs = redacted ? COPY_GRACE_MS : 10 * KEPT_YOUNGER_THAN_MS;
    await tidy();
    expect(sequencesIn(root)).toEqual(left);
  });

  it("leaves everything to whoever holds the lock, and comes again", async () => {
    const { root, world, tidy } = setUp({ current: 3, open: [3] });
    await tidy();
    world.nowMs = KEPT_YOUNGER_THAN_MS;
    const unlock = createSnapshotDisk(root).lock();
    expect(await tidy()).toEqual([]);
    unlock();
    expect(await tidy()).toHaveLength(2);
  });

  it("says nothing against a root that is not there", async () => {
    const disk = createSnapshotDisk(join(temporaryRoot(), "none"));
    expect(await createCopyTidier({ disk, open: () => [], nowMs: () => 0 })()).toEqual([]);
  });
});

describe("createCopyGivingUp", () => {
  const damage = new SnapshotError("SNAPSHOT_INVALID", "index.sqlite: wrong hash");

  function setUp() {
    const root = rootOf([1, 2], 2);
    const world = { nowMs: 0 };
    const copy = createCopyGivingUp(createSnapshotDisk(root), () => world.nowMs);
    return { root, world, copy };
  }

  it.each([
    { why: "no word", notes: [] },
    { why: "one refusal, which may be a moment's", notes: [damage] },
    { why: "a refusal that was followed by a good opening", notes: [damage, undefined, damage] },
    { why: "rollbacks", notes: Array(3).fill(new SnapshotError("SNAPSHOT_ROLLED_BACK", "older")) },
    { why: "missing signatures", notes: Array(3).fill(new SnapshotError("SNAPSHOT_UNSIGNED", "none")) },
    { why: "faults of this program", notes: Array(3).fill(new TypeError("no")) },
  ])("keeps the copy after $why", async ({ notes }) => {
    const { root, copy } = setUp();
    for (const note of notes) copy.note(note);
    expect(await copy.giveUp()).toBe(false);
    expect(sequencesIn(root)).toEqual([1, 2]);
  });

  it("deletes it whole, pointer last, and a second one only after a while that doubles", async () => {
    const { root, world, copy } = setUp();
    const deleteAgain = async () => {
      copy.note(damage);
      copy.note(damage);
      return copy.giveUp();
    };
    expect(await deleteAgain()).toBe(true);
    expect(readdirSync(root)).toEqual(["publish.lock"]);
    expect(await copy.giveUp()).toBe(false);
    const given: number[] = [];
    for (world.nowMs = 0; world.nowMs <= 200_000; world.nowMs += 10_000)
      if (await deleteAgain()) given.push(world.nowMs);
    expect(given).toEqual([60_000, 180_000]);
  });

  it("does nothing while somebody else pulls", async () => {
    const { root, copy } = setUp();
    copy.note(damage);
    copy.note(damage);
    const unlock = createSnapshotDisk(root).lock();
    expect(await copy.giveUp()).toBe(false);
    unlock();
    expect(sequencesIn(root)).toEqual([1, 2]);
    expect(await copy.giveUp()).toBe(true);
  });
});

describe("keepRoom", () => {
  it("takes what leaves enough free, and refuses as a full disk would what does not", async () => {
    const root = emptyRoot();
    let freeBytes = 20_000_100;
    const room = keepRoom(createSnapshotDisk(root), 100, () => freeBytes);
    const file = await room.disk.create("file");
    const piece = Buffer.alloc(10_000_000);
    await file.write(piece);
    freeBytes -= piece.length;
    expect(room.shortage()).toBe(undefined);
    await file.write(piece);
    freeBytes -= piece.length;
    await expect(file.write(piece)).rejects.toMatchObject({ code: "ENOSPC" });
    await file.close();
    expect(room.shortage()).toMatchObject({ name: "NoRoomError" });
    expect(room.shortage()?.message).not.toContain(root);
    expect(readFileSync(join(root, "file"))).toHaveLength(20_000_000);
  });

  it("asks the disk itself", async () => {
    const room = keepRoom(createSnapshotDisk(emptyRoot()), Number.MAX_SAFE_INTEGER);
    const file = await room.disk.create("file");
    await expect(file.write(Buffer.alloc(1))).rejects.toMatchObject({ code: "ENOSPC" });
    await file.close();
  });
});

describe("isServed", () => {
  const shared = sharedRoot();
  beforeAll(async () => {
    await publishFixture(shared.root);
    return () => shared.remove();
  });

  it("takes the index and the listings of days, which is all that serving reads", () => {
    const { manifest } = locateVersion(copyOf(shared.root));
    const paths = manifest.files.map(({ path }) => path).filter(isServed);
    expect(paths).toContain("index.sqlite");
    expect(paths.filter((path) => path !== "index.sqlite")).toEqual(
      manifest.files.map(({ path }) => path).filter((path) => /\/\d{4}-\d{2}-\d{2}\.json$/.test(path)),
    );
    expect(paths.length).toBeGreaterThan(2);
    expect(paths.length).toBeLessThan(manifest.files.length);
  });
});
