import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { PullTask } from "../../../proxy/snapshot/pull-copy.ts";
import { pullInThread } from "../../../proxy/snapshot/pull-in-thread.ts";
import { openRemoteWriter } from "../../../snapshots/remote/open-remote.ts";
import { pushVersion } from "../../../snapshots/remote/push-version.ts";
import { manifestSigner } from "../../../snapshots/store/read/manifest-signature.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { publishFixture } from "../../support/published-set.ts";
import { type S3TestServer, startS3Server } from "../../support/s3-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const SOURCE = resolve(import.meta.dirname, "../../../proxy/snapshot/pull-in-thread.ts");
let storage: S3TestServer;
let address: string;
/** The compiled one, which starts a thread; as it is written it works in this one. */
let compiled: typeof pullInThread;

beforeAll(async () => {
  storage = await startS3Server();
  address = `s3://${storage.bucket}/threads`;
  const root = join(folder, "published");
  await publishFixture(root);
  const writer = await openRemoteWriter(address, { environment: storage.environment });
  await pushVersion({ root, writer, warn: () => {} });
  writer.close();
  compiled = ((await import(compileCopy(SOURCE))) as { pullInThread: typeof pullInThread }).pullInThread;
});

afterEach(() => storage.meet());

afterAll(() => storage.close());

const taskOf = (more: Partial<PullTask> = {}): PullTask => ({
  address,
  root: mkdtempSync(join(folder, "copy-")),
  sequenceMin: 0,
  trustedKeys: undefined,
  roomKeptBytes: 0,
  ...more,
});

const never = new AbortController().signal;

const strangersKey = () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  return [manifestSigner(pem.toString())?.publicKey ?? ""];
};

describe("a pull in a thread of its own", () => {
  it("comes to what it comes to here", async () => {
    const [here, there] = [taskOf(), taskOf()];
    const result = await pullInThread(here, storage.environment, never);
    expect(await compiled(there, storage.environment, never)).toEqual(result);
    expect(readdirSync(there.root, { recursive: true }).toSorted()).toEqual(
      readdirSync(here.root, { recursive: true }).toSorted(),
    );
    expect(await compiled(there, storage.environment, never)).toMatchObject({ kind: "unchanged" });
  });

  it.each([
    { why: "an older pointer than was seen", name: "SnapshotError", task: () => taskOf({ sequenceMin: 2 }) },
    {
      why: "a signature that is missing",
      name: "SnapshotError",
      task: () => taskOf({ trustedKeys: strangersKey() }),
    },
    {
      why: "a disk that would be too full",
      name: "NoRoomError",
      task: () => taskOf({ roomKeptBytes: Number.MAX_SAFE_INTEGER }),
    },
    { why: "a place that is empty", name: "RemoteError", task: () => taskOf({ address: `${address}/none` }) },
  ])("fails with the same words: $why", async ({ name, task }) => {
    const told = task();
    const wordsOf = (pulling: Promise<unknown>) =>
      pulling.catch((error) => [error.name, error.code, error.message, error.path]);
    const here = await wordsOf(pullInThread(told, storage.environment, never));
    expect(here).toHaveProperty("0", name);
    expect(await wordsOf(compiled(told, storage.environment, never))).toEqual(here);
  });

  it("leaves to another what another pulls", async () => {
    const task = taskOf();
    mkdirSync(task.root, { recursive: true });
    const unlock = createSnapshotDisk(task.root).lock();
    await expect(compiled(task, storage.environment, never)).rejects.toMatchObject({
      code: "PUBLISH_LOCKED",
    });
    unlock();
  });

  it("ends at once when it is told to, gives the lock back, and is taken up by the next", async () => {
    const task = taskOf();
    const ending = new AbortController();
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    storage.meet(({ path }) => {
      if (!path.endsWith("index.sqlite")) return undefined;
      asked();
      return { kind: "stall", when: "within", until };
    });
    const pulling = expect(compiled(task, storage.environment, ending.signal)).rejects.toThrow("enough");
    await isAsked;
    ending.abort(new Error("enough"));
    await pulling;
    release();
    storage.meet();
    expect(readdirSync(task.root)).not.toContain("current.json");
    expect(await compiled(task, storage.environment, never)).toMatchObject({ kind: "pulled" });
    await expect(compiled(task, storage.environment, ending.signal)).rejects.toThrow("enough");
  });
});
