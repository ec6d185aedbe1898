import { describe, expect, it } from "vitest";
import {
  createSnapshotSource,
  type ReloadEvent,
  type SnapshotSourceParts,
} from "../../../proxy/snapshot/snapshot-source.ts";
import { snapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { fakeReader, NOBODY_DENIED, pointerTo, versionOf } from "../support/fake-reader.ts";

type SequenceMemory = SnapshotSourceParts["memory"];

function memoryOf(start = 0): SequenceMemory & { readonly written: number[] } {
  let highest = start;
  const written: number[] = [];
  return {
    highest: () => highest,
    remember: (sequence) => {
      written.push(sequence);
      highest = sequence;
    },
    written,
  };
}

/** A source on a world of made-up versions; `broken` ones do not verify. */
function setUp(memory: SequenceMemory = memoryOf()) {
  const world = {
    nowMs: 0,
    pointer: 1 as number | undefined,
    broken: new Set<number>(),
    opened: [] as number[],
    readers: new Map<number, ReturnType<typeof fakeReader>>(),
    events: [] as ReloadEvent[],
  };
  const source = createSnapshotSource({
    denyList: NOBODY_DENIED,
    memory,
    nowMs: () => world.nowMs,
    onEvent: (event) => world.events.push(event),
    versions: {
      readPointer: () => {
        if (world.pointer === undefined)
          throw snapshotFailure("SNAPSHOT_MISSING", "current.json: is missing");
        return pointerTo(world.pointer);
      },
      open: async () => {
        const sequence = world.pointer ?? 0;
        world.opened.push(sequence);
        if (world.broken.has(sequence)) throw snapshotFailure("SNAPSHOT_INVALID", "index.sqlite: wrong hash");
        const reader = fakeReader(sequence);
        world.readers.set(sequence, reader);
        return reader;
      },
    },
  });
  const serving = () => source.status().serving?.sequence;
  return { world, source, serving };
}

describe("createSnapshotSource", () => {
  it("serves nothing before the first poll, then the current version, and opens it once", async () => {
    const { world, source, serving } = setUp();
    expect([source.shown(), serving()]).toEqual([undefined, undefined]);
    for (let turn = 0; turn < 3; turn += 1) await source.poll();
    expect(serving()).toBe(1);
    expect(world.opened).toEqual([1]);
    expect(world.events).toEqual([{ kind: "serving", version: versionOf(1), sequence: 1 }]);
  });

  it("takes a new version, and closes the old one", async () => {
    const { world, source, serving } = setUp();
    await source.poll();
    expect(source.shown()?.sequence).toBe(1);
    world.pointer = 2;
    await source.poll();
    expect([serving(), source.shown()?.sequence]).toEqual([2, 2]);
    expect([1, 2].map((sequence) => world.readers.get(sequence)?.closed())).toEqual([1, 0]);
  });

  it("keeps the last good version when the new one does not verify, and says why", async () => {
    const { world, source, serving } = setUp();
    await source.poll();
    world.pointer = 2;
    world.broken.add(2);
    await source.poll();
    expect(serving()).toBe(1);
    expect(source.status().problem).toBe("SNAPSHOT_INVALID");
    expect(world.readers.get(1)?.closed()).toBe(0);
    world.pointer = 3;
    await source.poll();
    expect([serving(), source.status().problem]).toEqual([3, undefined]);
  });

  it("looks at a refused version again after a while that doubles, and reports it once", async () => {
    const { world, source, serving } = setUp();
    world.broken.add(1);
    for (let second = 0; second <= 8; second += 1) {
      world.nowMs = second * 1000;
      await source.poll();
    }
    // At 0, 1, 3 and 7 seconds.
    expect(world.opened).toHaveLength(4);
    expect(world.events).toHaveLength(1);
    world.broken.clear();
    world.nowMs = 15_000;
    await source.poll();
    expect([serving(), source.status().problem]).toEqual([1, undefined]);
  });

  it("drops a refusal when the pointer returns to what is served", async () => {
    const { world, source } = setUp();
    await source.poll();
    world.pointer = undefined;
    await source.poll();
    expect(source.status().problem).toBe("SNAPSHOT_MISSING");
    world.pointer = 1;
    await source.poll();
    expect(source.status().problem).toBeUndefined();
  });

  it.each([
    { why: "lower than what is served", remembered: 0, first: 5, next: 4 },
    { why: "lower than what an earlier run served", remembered: 7, first: 6, next: 6 },
  ])("refuses a sequence $why, without opening it", async ({ remembered, first, next }) => {
    const { world, source, serving } = setUp(memoryOf(remembered));
    world.pointer = first;
    await source.poll();
    const before = serving();
    world.pointer = next;
    world.opened.length = 0;
    await source.poll();
    expect(world.opened).toEqual([]);
    expect(serving()).toBe(before);
    expect(source.status().problem).toBe("SNAPSHOT_ROLLED_BACK");
  });

  it("takes the same sequence again after a restart", async () => {
    const memory = memoryOf(1);
    const { source, serving } = setUp(memory);
    await source.poll();
    expect(serving()).toBe(1);
    expect(memory.written).toEqual([]);
  });

  it("does not serve what it cannot remember", async () => {
    const memory = {
      ...memoryOf(),
      remember: () => {
        throw new Error("ENOSPC");
      },
    };
    const { world, source, serving } = setUp(memory);
    await source.poll();
    expect([serving(), source.status().problem]).toEqual([undefined, "RELOAD_FAILED"]);
    expect(world.readers.get(1)?.closed()).toBe(1);
    expect(JSON.stringify(world.events)).not.toContain("ENOSPC");
  });

  it("serves nothing new that was closed while its sequence was written", async () => {
    let written = () => {};
    const writing = new Promise<void>((resolve) => {
      written = resolve;
    });
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const memory = {
      ...memoryOf(),
      remember: () => {
        begun();
        return writing;
      },
    };
    const { world, source, serving } = setUp(memory);
    const poll = source.poll();
    await beginning;
    // Remembered before it is served.
    expect(serving()).toBeUndefined();
    source.close();
    written();
    await poll;
    expect([serving(), source.shown()]).toEqual([undefined, undefined]);
    expect(world.readers.get(1)?.closed()).toBe(1);
    expect(world.events).toEqual([]);
  });

  it("polls one at a time, and leaves nothing open behind a close", async () => {
    const { world, source } = setUp();
    const polls = [source.poll(), source.poll()];
    source.close();
    await Promise.all(polls);
    expect(world.opened).toEqual([1]);
    expect(world.readers.get(1)?.closed()).toBe(1);
    expect(source.shown()).toBeUndefined();
  });
});
