import { describe, expect, it } from "vitest";
import { createFollower, type FollowerEvent } from "../../../../proxy/fleet/follow/follower.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { FORMAT_VERSION } from "../../../../snapshots/format/limits.ts";
import type { Pointer } from "../../../../snapshots/format/manifest.ts";
import type { PullResult } from "../../../../snapshots/remote/pull-version.ts";
import { remoteFailure } from "../../../../snapshots/remote/remote-store.ts";
import { snapshotFailure } from "../../../../snapshots/store/read/snapshot-error.ts";
import { pointerTo, versionOf } from "../../support/fake-reader.ts";

/** As the guide says: ten minutes. */
const BELIEVED_AFTER_MS = 600_000;

/** A follower of a made-up place; what goes wrong next is set by hand, and so is the clock. */
function setUp({
  here = undefined as number | undefined,
  highest = 0,
  isUnsigned = true,
  sequenceMin = 0,
} = {}) {
  const world = {
    nowMs: 0,
    format: FORMAT_VERSION as Pointer["format"],
    there: 1 as number | undefined,
    here,
    highest,
    lookFails: undefined as Error | undefined,
    pullFails: undefined as Error | undefined,
    hasEtags: true,
    looks: [] as (string | undefined)[],
    pulls: 0,
    wentBack: 0,
    events: [] as FollowerEvent[],
  };
  const follower = createFollower({
    look: async (knownEtag) => {
      world.looks.push(knownEtag);
      if (world.lookFails !== undefined) throw world.lookFails;
      if (world.there === undefined) return undefined;
      const etag = world.hasEtags ? `"${world.there}"` : undefined;
      return etag !== undefined && etag === knownEtag
        ? "unchanged"
        : { pointer: { ...pointerTo(world.there), format: world.format }, etag };
    },
    pull: async (isOlder): Promise<PullResult> => {
      world.pulls += 1;
      if (isOlder) world.wentBack += 1;
      if (world.pullFails !== undefined) throw world.pullFails;
      const sequence = world.there ?? 0;
      world.here = sequence;
      const version = versionOf(sequence);
      return { kind: "pulled", version, sequence, bytes: 10, files: 2, linked: 1, kept: 0 };
    },
    here: () => (world.here === undefined ? undefined : pointerTo(world.here)),
    highest: () => world.highest,
    isUnsigned,
    sequenceMin,
    nowMs: () => world.nowMs,
    onEvent: (event) => world.events.push(event),
  });
  /** Steps each second within so long. */
  const runFor = async (spanMs: number): Promise<void> => {
    for (const endMs = world.nowMs + spanMs; world.nowMs < endMs; world.nowMs += 1_000) await follower.step();
  };
  const kinds = () => world.events.map((event) => ("problem" in event ? event.problem : event.kind));
  return { world, follower, runFor, kinds, problem: () => follower.status().problem };
}

const away = remoteFailure("REMOTE_AWAY", "s3://bucket: current.json could not be fetched (ECONNREFUSED)");

describe("createFollower", () => {
  it("pulls nothing where the copy is what is published, and once where the place gives no ETags", async () => {
    const { world, runFor, kinds } = setUp({ here: 1, highest: 1 });
    world.hasEtags = false;
    await runFor(3_000);
    expect([world.pulls, kinds()]).toEqual([0, []]);
    world.there = 2;
    await runFor(3_000);
    expect(world.pulls).toBe(1);
  });

  it.each([
    { why: "forged", error: remoteFailure("REMOTE_INVALID", "another hash"), wait: [0, 1, 3, 7] },
    { why: "not signed", error: snapshotFailure("SNAPSHOT_UNSIGNED", "manifest.sig"), wait: [0, 1, 3, 7] },
    { why: "larger than the disk", error: new Failure("REMOTE_NO_ROOM", "too little"), wait: [0] },
    { why: "a fault of ours", error: new TypeError("/home/secret"), wait: [0, 1, 3, 7] },
  ])(
    "goes on asking each second for what is $why, and tries it again ever later",
    async ({ error, wait }) => {
      const { world, follower, problem, kinds } = setUp({ here: 1 });
      world.there = 2;
      world.pullFails = error;
      const pulledAt: number[] = [];
      for (let second = 0; second <= 8; second += 1) {
        world.nowMs = second * 1_000;
        const before = world.pulls;
        await follower.step();
        if (world.pulls > before) pulledAt.push(second);
      }
      expect(pulledAt).toEqual(wait);
      expect(world.events).toHaveLength(1);
      expect(world.events[0]).toMatchObject({ kind: "not followed", refusedVersion: versionOf(2) });
      expect(JSON.stringify(world.events)).not.toContain("secret");
      expect(follower.status().refusedVersion).toBe(versionOf(2));
      expect(world.here).toBe(1);
      // Another version is another matter, at once.
      world.there = 3;
      world.pullFails = undefined;
      await follower.step();
      expect([world.here, problem()]).toEqual([3, undefined]);
      expect(kinds().slice(1)).toEqual(["pulled", "followed again"]);
    },
  );

  it("takes an older version where nobody signs, once nothing newer was named for ten minutes, and says so", async () => {
    const { world, runFor, problem, kinds } = setUp({ here: 900, highest: 900 });
    world.there = 5;
    await runFor(BELIEVED_AFTER_MS - 1_000);
    expect([world.pulls, problem()]).toEqual([0, "REMOTE_STALE"]);
    // Each version that the honest place publishes meanwhile is as old.
    world.there = 6;
    await runFor(62_000);
    expect([world.here, world.wentBack, problem()]).toEqual([6, 1, undefined]);
    expect(kinds()).toEqual(["REMOTE_STALE", "REMOTE_STALE", "pulled", "went back", "followed again"]);
    expect(world.events).toContainEqual({ kind: "went back", sequence: 6, seen: 900 });
    // What was seen counts from there.
    world.highest = 6;
    world.there = 7;
    await runFor(1_000);
    expect([world.here, world.wentBack]).toEqual([7, 1]);
  });

  it.each([
    { why: "somebody signs", isUnsigned: false },
    { why: "it is below the lowest that the operator named", sequenceMin: 6 },
  ])("never takes an older version where $why", async ({ why: _, ...options }) => {
    const { world, runFor, problem } = setUp({ here: 9, highest: 9, ...options });
    world.there = 5;
    await runFor(3 * BELIEVED_AFTER_MS);
    expect([world.pulls, world.here, problem()]).toEqual([0, 9, "REMOTE_STALE"]);
  });

  it.each([
    { why: "a cache that shows the old pointer now and then", shows: 9 },
    { why: "a newer version in between", shows: 10 },
    { why: "a newer version that cannot be had", shows: 11 },
  ])("counts the ten minutes anew after $why", async ({ shows }) => {
    const { world, runFor } = setUp({ here: 9, highest: 9 });
    for (let round = 0; round < 3; round += 1) {
      world.there = 5;
      await runFor(BELIEVED_AFTER_MS - 1_000);
      world.there = shows;
      world.pullFails = shows === 11 ? remoteFailure("REMOTE_STALE", "no manifest") : undefined;
      await runFor(61_000);
    }
    expect([world.here, world.wentBack]).toEqual([shows === 11 ? 9 : shows, 0]);
  });

  it("waits no longer for a clock that was set back", async () => {
    const { world, runFor } = setUp({ here: 9, highest: 9 });
    world.nowMs = 10 * BELIEVED_AFTER_MS;
    world.there = 5;
    await runFor(1_000);
    world.nowMs = 0;
    await runFor(BELIEVED_AFTER_MS + 62_000);
    expect([world.here, world.wentBack]).toEqual([5, 1]);
  });

  it("says so where nothing was ever published, and asks on", async () => {
    const { world, runFor, problem } = setUp();
    world.there = undefined;
    await runFor(3_000);
    expect([problem(), world.events.length, world.looks]).toEqual([
      "REMOTE_MISSING",
      1,
      [undefined, undefined, undefined],
    ]);
    world.there = 1;
    await runFor(1_000);
    expect([problem(), world.here]).toEqual([undefined, 1]);
  });

  it("waits for another process of the same home without a word", async () => {
    const { world, runFor, problem } = setUp();
    world.pullFails = snapshotFailure("PUBLISH_LOCKED", "another process is publishing");
    await runFor(3_000);
    expect([problem(), world.events, world.pulls]).toEqual([undefined, [], 3]);
    world.here = 1;
    await runFor(1_000);
    expect([problem(), world.pulls]).toEqual([undefined, 3]);
  });

  it("tries a pull again within half a minute if the place went away in the middle of it", async () => {
    const { world, runFor, problem } = setUp({ here: 1 });
    world.there = 2;
    world.pullFails = away;
    await runFor(8_000);
    expect([problem(), world.pulls, world.events.length]).toEqual(["REMOTE_AWAY", 4, 1]);
    await runFor(120_000);
    const { pulls } = world;
    world.pullFails = undefined;
    await runFor(30_000);
    expect([problem(), world.here, world.pulls]).toEqual([undefined, 2, pulls + 1]);
  });

  it("is not held up by a clock that was set back", async () => {
    const { world, follower, problem } = setUp();
    world.nowMs = 10_000_000;
    world.pullFails = remoteFailure("REMOTE_STALE", "no manifest");
    await follower.step();
    world.pullFails = undefined;
    world.nowMs = 0;
    await follower.step();
    expect([problem(), world.here]).toEqual([undefined, 1]);
  });
});
