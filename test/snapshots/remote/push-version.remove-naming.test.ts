import { expect, it } from "vitest";
import { removeNaming } from "../../../snapshots/remote/push-version.ts";
import { redactSnapshot } from "../../../snapshots/store/maintain/redact-snapshot.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_ENTITY_ID } from "../../support/published-set.ts";
import { temporaryRoot } from "../store/temporary-root.ts";
import { memoryRemote } from "./memory-remote.ts";
import { codeOf, publishNth, pull, push, remoteStage } from "./remote-stage.ts";

const { place } = remoteStage();
const isHidden = (entityId: string): boolean => entityId === FIXTURE_ENTITY_ID;

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
  await redactSnapshot(createSnapshotDisk(root), {
    runId: "0123456789abcdef",
    isHidden,
    known: [],
    isDryRun: false,
    signer: undefined,
    whileReadersFollow: async () => {},
  });
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
