import { cpSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { FIXTURE_AS_OF_MS } from "../../support/published-set.ts";
import { bytesByPath, sharedRoot, temporaryRoot } from "../store/temporary-root.ts";
import { type MemoryContent, type MemoryFault, memoryRemote } from "./memory-remote.ts";
import { codeOf, publishNth, pull, push, smallSet } from "./remote-stage.ts";

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

/** The root as it was, for a test that changes it. */
function copyOf({ root }: { readonly root: string }): string {
  const copy = temporaryRoot();
  cpSync(root, copy, { recursive: true });
  return copy;
}

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
    await pull(copyOf(copied), clean.writer);
    const total = clean.calls().length;
    expect(total).toBeGreaterThan(6);
    const expected = bytesByPath(second.root);
    let keptMost = 0;
    for (let cutAt = 1; cutAt <= total; cutAt += 1) {
      const root = copyOf(copied);
      const { writer, controls } = memoryRemote(new Map(contents[1]));
      controls.fault = ({ number }) => (number >= cutAt ? fault : undefined);
      expect(await codeOf(pull(root, writer))).toBe("REMOTE_AWAY");
      expect(readPointer(root).sequence).toBe(1);
      if (cutAt % 4 === 0) expect(await verifySnapshot(root)).toMatchObject({ problems: [] });
      controls.fault = () => undefined;
      const pulled = await pull(root, writer);
      expect(pulled).toMatchObject({ kind: "pulled", sequence: 2 });
      if (pulled.kind === "pulled") keptMost = Math.max(keptMost, pulled.kept);
      const found = bytesByPath(root);
      for (const [path, sha256] of expected)
        if (path !== "publish.lock") expect(found.get(path), path).toBe(sha256);
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
