import { cpSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeNaming } from "../../../snapshots/remote/push-version.ts";
import { redactSnapshot } from "../../../snapshots/store/maintain/redact-snapshot.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, FIXTURE_ENTITY_ID } from "../../support/published-set.ts";
import { WISH } from "../store/redact-stage.ts";
import { bytesByPath, copyOf, sharedRoot, temporaryRoot } from "../store/temporary-root.ts";
import { type MemoryContent, type MemoryFault, memoryRemote } from "./memory-remote.ts";
import { codeOf, publishNth, pull, push, remoteStage, smallSet } from "./remote-stage.ts";

describe("cuts", () => {
  const first = sharedRoot();
  const second = sharedRoot();
  const copied = sharedRoot();
  /** The place after the first version, and after the second. */
  const contents: MemoryContent[] = [];

  beforeAll(async () => {
    const remote = memoryRemote();
    await publishNth(first.root, 1, smallSet(FIXTURE_AS_OF_MS - 24 * 3_600_000));
    await push(first.root, remote.writer);
    contents.push(new Map(remote.content));
    await pull(copied.root, remote.writer);
    cpSync(first.root, second.root, { recursive: true });
    await publishNth(second.root, 2);
    await push(second.root, remote.writer);
    contents.push(new Map(remote.content));
  });

  afterAll(() => {
    for (const { remove } of [first, second, copied]) remove();
  });

  const FAULTS: readonly MemoryFault[] = ["before", "after"];

  /** Every object that the pointer of a place leads to, as whoever mirrors it would have it. */
  async function mirrored(content: MemoryContent): Promise<number> {
    const root = temporaryRoot();
    const { writer } = memoryRemote(content);
    await pull(root, writer);
    const { problems, sequence } = await verifySnapshot(root);
    expect(problems).toEqual([]);
    return sequence ?? 0;
  }

  describe.each(FAULTS)("a push that is cut %s a call is taken", (fault) => {
    it.each([
      { why: "once", isLasting: false },
      { why: "and all after it", isLasting: true },
    ])("leaves the old version or the new one, and the next push ends well: $why", async ({ isLasting }) => {
      const clean = memoryRemote(new Map(contents[0]));
      await push(second.root, clean.writer);
      const total = clean.calls().length;
      expect(total).toBeGreaterThan(20);
      for (let cutAt = 1; cutAt <= total; cutAt += 1) {
        const { writer, content, controls, calls } = memoryRemote(new Map(contents[0]));
        controls.fault = ({ number }) =>
          number === cutAt || (isLasting && number > cutAt) ? fault : undefined;
        const code = await codeOf(push(second.root, writer));
        const line = calls()[cutAt - 1] ?? "";
        const sequence = Number(JSON.parse((content.get("current.json")?.bytes ?? "").toString()).sequence);
        const isMoved = line === "swap current.json" && fault === "after";
        const isDone = isMoved && !isLasting;
        // A probe that could not be tidied up is no reason to stop.
        const isHarmless = line === "remove 1" && !isLasting;
        expect({ cutAt, line, code, sequence }).toEqual({
          cutAt,
          line,
          code: isDone || isHarmless ? "none" : "REMOTE_AWAY",
          sequence: isMoved || isDone || isHarmless ? 2 : 1,
        });
        controls.fault = () => undefined;
        const retry = memoryRemote(content);
        const again = await push(second.root, retry.writer);
        expect(again).toMatchObject({ kind: sequence === 2 ? "unchanged" : "pushed", sequence: 2 });
        if (cutAt % 8 === 0) expect(await mirrored(content)).toBe(2);
      }
    });
  });

  describe.each(FAULTS)("a pull that is cut %s a call is answered", (fault) => {
    it("keeps the version before current and whole, and the next takes up what came", async () => {
      const clean = memoryRemote(new Map(contents[1]));
      await pull(copyOf(copied.root), clean.writer);
      const total = clean.calls().length;
      expect(total).toBeGreaterThan(6);
      const expected = bytesByPath(second.root);
      let keptMost = 0;
      for (let cutAt = 1; cutAt <= total; cutAt += 1) {
        const root = copyOf(copied.root);
        const { writer, controls } = memoryRemote(new Map(contents[1]));
        controls.fault = ({ number }) => (number >= cutAt ? fault : undefined);
        expect(await codeOf(pull(root, writer))).toBe("REMOTE_AWAY");
        expect(readPointer(root).sequence).toBe(1);
        if (cutAt % 4 === 0) expect(await verifySnapshot(root)).toMatchObject({ problems: [] });
        controls.fault = () => undefined;
        const pulled = await pull(root, writer);
        expect(pulled).toMatchObject({ kind: "pulled", sequence: 2 });
        if (pulled.kind === "pulled") keptMost = Math.max(keptMost, pulled.kept);
        const files = bytesByPath(root);
        for (const [path, sha256] of expected)
          if (path !== "publish.lock") expect(files.get(path), path).toBe(sha256);
        expect(readdirSync(root).filter((name) => name.startsWith(".staging"))).toEqual([]);
      }
      expect(keptMost).toBeGreaterThan(0);
    });

    it("goes on by itself where one connection breaks once", async () => {
      const root = temporaryRoot();
      const { writer, controls } = memoryRemote(new Map(contents[1]));
      let cuts = 0;
      controls.fault = ({ line }) => {
        if (!line.endsWith("index.sqlite") || cuts > 0) return undefined;
        cuts += 1;
        return fault;
      };
      expect(await pull(root, writer)).toMatchObject({ kind: "pulled", sequence: 2 });
      expect(cuts).toBe(1);
      expect(await verifySnapshot(root)).toMatchObject({ problems: [] });
    });
  });
});

const { server, place, again, rootOf } = remoteStage();

/** Two roots that hold the same first version and each a second one of its own. */
async function rivals(): Promise<readonly [string, string]> {
  const roots = [await rootOf(1), await rootOf(1)] as const;
  await publishNth(roots[0], 2, smallSet(FIXTURE_AS_OF_MS - 3_600_000));
  await publishNth(roots[1], 3, smallSet(FIXTURE_AS_OF_MS - 7_200_000));
  return roots;
}

const pointerIn = (content: MemoryContent) =>
  JSON.parse((content.get("current.json")?.bytes ?? Buffer.from("{}")).toString("utf8"));

describe.each([
  { why: "that refuses conditional writes", isEnforcing: true },
  { why: "that takes them all", isEnforcing: false },
])("two publishers at a place $why", ({ isEnforcing }) => {
  it.each([
    { why: "the first", order: [0, 1] },
    { why: "the second", order: [1, 0] },
  ])(
    "one after the other: $why wins, the other is told who is there, and goes on after a pull",
    async ({ order }) => {
      const roots = await rivals();
      const { writer, content, controls } = memoryRemote();
      controls.isEnforcing = isEnforcing;
      await push(await rootOf(1), writer);
      const winner = roots[order[0] ?? 0] ?? "";
      const loser = roots[order[1] ?? 0] ?? "";
      await push(winner, writer);
      const before = new Map(content);
      const { version, sequence, published_at: publishedAt } = readPointer(winner);
      await expect(push(loser, writer)).rejects.toMatchObject({
        code: "REMOTE_MOVED",
        message: expect.stringContaining(`${version} (sequence ${sequence}, published at ${publishedAt})`),
      });
      expect(content).toEqual(before);
      const versionOfLoser = readPointer(loser).version;
      await pull(loser, writer);
      expect(readPointer(loser)).toEqual(readPointer(winner));
      expect(await verifySnapshot(loser, { version: versionOfLoser })).toMatchObject({ problems: [] });
      await publishNth(loser, 9);
      expect(await push(loser, writer)).toMatchObject({ kind: "pushed", sequence: 3 });
      expect(pointerIn(content)).toMatchObject({ sequence: 3 });
    },
  );

  it("the other one before the last step: the winner's pointer stands", async () => {
    const [winner, loser] = await rivals();
    const shared: MemoryContent = new Map();
    const other = memoryRemote(shared);
    const { writer, controls } = memoryRemote(shared);
    for (const control of [other.controls, controls]) control.isEnforcing = isEnforcing;
    await push(await rootOf(1), writer);
    // Where nothing is refused, all that can be done is to look immediately before.
    controls.fault = ({ line }) => {
      if (line.endsWith("manifest.json") && line.startsWith("write")) isSealed = true;
      return undefined;
    };
    let isSealed = false;
    const lost = push(loser, {
      ...writer,
      readSmall: async (...args) => {
        if (isSealed) await push(winner, other.writer);
        return writer.readSmall(...args);
      },
    });
    expect(await codeOf(lost)).toBe("REMOTE_MOVED");
    expect(pointerIn(shared).version).toBe(readPointer(winner).version);
    const copy = temporaryRoot();
    await pull(copy, other.writer);
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
  });
});

it("both at the very same moment: exactly one wins where the place refuses", async () => {
  const [one, two] = await rivals();
  const content: MemoryContent = new Map();
  const first = memoryRemote(content);
  await push(await rootOf(1), first.writer);
  let waiting = 0;
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  const meet = () => {
    waiting += 1;
    if (waiting === 2) release();
    return both;
  };
  const second = memoryRemote(content);
  for (const { controls } of [first, second]) controls.beforeSwap = meet;
  const codes = await Promise.all([codeOf(push(one, first.writer)), codeOf(push(two, second.writer))]);
  expect(codes.toSorted()).toEqual(["REMOTE_MOVED", "none"]);
  const winner = codes[0] === "none" ? one : two;
  expect(pointerIn(content).version).toBe(readPointer(winner).version);
});

it("a swap whose answer never came, and somebody else was quicker: they are named", async () => {
  const [winner, loser] = await rivals();
  const { writer, content, controls } = memoryRemote();
  await push(await rootOf(1), writer);
  const other = memoryRemote(content);
  controls.fault = ({ line }) => (line === "swap current.json" ? "after" : undefined);
  controls.beforeSwap = async () => void (await push(winner, other.writer));
  expect(await codeOf(push(loser, writer))).toBe("REMOTE_MOVED");
  expect(pointerIn(content).version).toBe(readPointer(winner).version);
});

it.each([
  { why: "that a file is new", ignores: (etag: string | undefined) => etag === undefined },
  { why: "that it is still the same", ignores: (etag: string | undefined) => etag !== undefined },
])("warns of a storage that does not check $why", async ({ ignores }) => {
  const { writer, controls } = memoryRemote();
  const warned: string[] = [];
  const swap: typeof writer.swap = (path, bytes, etag) => {
    controls.isEnforcing = !ignores(etag);
    return writer.swap(path, bytes, etag);
  };
  await push(await rootOf(1), { ...writer, swap }, { warn: (message) => warned.push(message) });
  expect(warned).toHaveLength(1);
});

describe("over HTTP", () => {
  it("a storage that refuses lets one of two win, and one that does not is warned of", async () => {
    const [one, two] = await rivals();
    const writer = await place();
    const other = await again(writer);
    const warned: string[] = [];
    server().enforceConditions(true);
    await push(await rootOf(1), writer, { warn: (message) => warned.push(message) });
    expect(warned).toEqual([]);
    const codes = await Promise.all([codeOf(push(one, writer)), codeOf(push(two, other))]);
    expect(codes.toSorted()).toEqual(["REMOTE_MOVED", "none"]);
    expect(
      server()
        .records()
        .filter(({ status, path }) => status === 412 && path.endsWith("current.json")),
    ).toHaveLength(1);
    server().enforceConditions(false);
    const loose = await again(writer);
    const loser = codes[0] === "none" ? two : one;
    await pull(loser, loose);
    await publishNth(loser, 9);
    await push(loser, loose, { warn: (message) => warned.push(message) });
    expect(warned).toEqual([expect.stringContaining("use only one publisher")]);
    // The probe is gone, both times.
    expect(await loose.list(".govdata")).toEqual([]);
  });

  it("a cut after the storage took the pointer is read back and found done", async () => {
    const writer = await place();
    const root = await rootOf(1);
    server().enforceConditions(true);
    server().meet(({ method, path }) =>
      method === "PUT" && path.endsWith("current.json") ? { kind: "cut", when: "after" } : undefined,
    );
    expect(await push(root, writer)).toMatchObject({ kind: "pushed" });
    const swaps = server()
      .records()
      .filter(({ method, path }) => method === "PUT" && path.endsWith("current.json"));
    expect(swaps).toHaveLength(1);
  });

  it("takes up an upload that was cut: what arrived whole is not sent again", async () => {
    const writer = await place();
    const root = await rootOf(1);
    server().meet(({ path }) =>
      path.endsWith("unscored.json") ? { kind: "cut", when: "before" } : undefined,
    );
    expect(await codeOf(push(root, writer))).toBe("REMOTE_AWAY");
    server().meet();
    const files = bytesByPath(root).size - 3;
    const pushed = await push(root, writer);
    expect(pushed.skipped).toBeGreaterThan(0);
    expect(pushed.skipped + pushed.files).toBe(files);
    const copy = temporaryRoot();
    await pull(copy, writer);
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
  });

  it("sends again what lies there with other bytes, whatever its size", async () => {
    const writer = await place();
    const root = await rootOf(1);
    const { version } = readPointer(root);
    const bytes = Buffer.from("{}");
    await writer
      .write(`${version}/daos.json`, {
        content: bytes,
        bytes: 2,
        sha256: "0".repeat(64),
        mediaType: "application/json",
      })
      .catch(() => {});
    expect(await push(root, writer)).toMatchObject({ kind: "pushed", skipped: 0 });
  });
});

describe("removeNaming", () => {
  const { isHidden } = WISH;

  /** A root whose first and second version name somebody, pushed both; then redacted. */
  async function redactedAfter(push: (root: string) => Promise<unknown>): Promise<{
    readonly root: string;
    readonly named: readonly string[];
  }> {
    const root = temporaryRoot();
    const named: string[] = [];
    for (const nth of [1, 2]) {
      named.push((await publishNth(root, nth)).version);
      await push(root);
    }
    await redactSnapshot(createSnapshotDisk(root), WISH);
    return { root, named };
  }

  it("deletes every version that names somebody, once the pointer has moved, and nothing else", async () => {
    // This server stumbles over many deletions at once, and the SDK asks again.
    const writer = await place({ attemptsMax: 5 });
    const { root, named } = await redactedAfter((copy) => push(copy, writer));
    // The pointer still leads to one of them: that one must be replaced first.
    expect(await removeNaming(writer, isHidden)).toEqual(named.slice(0, 1));
    await push(root, writer);
    expect(await removeNaming(writer, isHidden)).toEqual(named.slice(1));
    const { version } = readPointer(root);
    const left = await writer.list("");
    expect(left.every(({ path }) => path === "current.json" || path.startsWith(`${version}/`))).toBe(true);
    const copy = temporaryRoot();
    await pull(copy, writer);
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [], version });
    expect(await removeNaming(writer, isHidden)).toEqual([]);
  });

  it("that is cut anywhere is finished by the next call", async () => {
    const made = memoryRemote();
    const { root } = await redactedAfter((copy) => push(copy, made.writer));
    await push(root, made.writer);
    const clean = memoryRemote(new Map(made.content));
    await removeNaming(clean.writer, isHidden);
    const total = clean.calls().length;
    for (let cutAt = 1; cutAt <= total; cutAt += 1) {
      for (const fault of ["before", "after"] as const) {
        const { writer, content, controls } = memoryRemote(new Map(made.content));
        controls.fault = ({ number }) => (number === cutAt ? fault : undefined);
        expect(await codeOf(removeNaming(writer, isHidden))).toBe("REMOTE_AWAY");
        controls.fault = () => undefined;
        await removeNaming(writer, isHidden);
        expect(content).toEqual(clean.content);
      }
    }
  });

  it("finds an upload that was never finished", async () => {
    const { writer, content, controls } = memoryRemote();
    controls.fault = ({ line }) => (line.endsWith("run.json") ? "before" : undefined);
    const named = temporaryRoot();
    const { version } = await publishNth(named, 2);
    expect(await codeOf(push(named, writer))).toBe("REMOTE_AWAY");
    controls.fault = () => undefined;
    expect([...content.keys()].some((path) => path.startsWith(`${version}/entities/`))).toBe(true);
    expect(await removeNaming(writer, isHidden)).toEqual([version]);
    expect([...content.keys()]).toEqual([]);
  });

  it("finds an upload wherever it was cut, as nothing names anybody before the file that tells of it", async () => {
    const named = temporaryRoot();
    await publishNth(named, 2);
    const clean = memoryRemote();
    await push(named, clean.writer);
    const total = clean.calls().length;
    let left = 0;
    for (let cutAt = 1; cutAt < total; cutAt += 1) {
      const { writer, content, controls } = memoryRemote();
      controls.fault = ({ number }) => (number >= cutAt ? "before" : undefined);
      expect(await codeOf(push(named, writer))).toBe("REMOTE_AWAY");
      controls.fault = () => undefined;
      left += content.size;
      await removeNaming(writer, isHidden);
      const naming = [...content].filter(
        ([path, { bytes }]) => path.endsWith("index.sqlite") || bytes.includes(FIXTURE_ENTITY_ID),
      );
      expect({ cutAt, naming: naming.map(([path]) => path) }).toEqual({ cutAt, naming: [] });
    }
    expect(left).toBeGreaterThan(0);
  });
});
