import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../../snapshots/optouts/opt-out-store.ts";
import { openRemoteWriter } from "../../../../snapshots/remote/open-remote.ts";
import { pushVersion } from "../../../../snapshots/remote/push-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { compileCopy } from "../../../support/compiled-copy.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { type S3TestServer, startS3Server } from "../../../support/s3-server.ts";
import { makeKey, type ProxyPlaces, startProxyProcess } from "../../support/proxy-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const KILLS = 8;
const SOURCES = resolve(import.meta.dirname, "../../../../");
let storage: S3TestServer;
const children: ChildProcess[] = [];

beforeAll(async () => {
  storage = await startS3Server();
  storage.enforceConditions(true);
});

afterEach(() => {
  storage.meet();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

afterAll(() => storage.close());

function newHome(address: string): ProxyPlaces {
  const home = mkdtempSync(join(folder, "home-"));
  const optouts = join(home, "optouts.db");
  createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  return { home, snapshots: address, optouts };
}

/** A root that gets a version of another day each time; what each of them answers is kept. */
function publisherOf(name: string) {
  const root = join(folder, name);
  mkdirSync(root);
  const bodies = new Map<string, string>();
  let days = 0;
  return {
    root,
    address: `s3://${storage.bucket}/${name}`,
    bodies,
    publish: async (): Promise<string> => {
      days += 1;
      const set = publishedSet(FIXTURE_AS_OF_MS + days * DAY_MS);
      const { version } = await publishFixture(root, {
        set,
        createdAtMs: Date.parse(set.asOf) + days * 60_000,
      });
      const reader = await openSnapshot(root);
      bodies.set(version, reader.document("daos", "all")?.identity.bytes.toString() ?? "");
      reader.close();
      return version;
    },
  };
}

/** Pushes the current version of a root, in a process of its own, which can be killed. */
function startPush(
  root: string,
  address: string,
): { readonly child: ChildProcess; readonly ended: Promise<unknown[]> } {
  const compiled = (path: string) => compileCopy(join(SOURCES, path));
  const program = `
    const { openRemoteWriter } = await import(${JSON.stringify(compiled("snapshots/remote/open-remote.ts"))});
    const { pushVersion } = await import(${JSON.stringify(compiled("snapshots/remote/push-version.ts"))});
    const writer = await openRemoteWriter(${JSON.stringify(address)});
    await pushVersion({ root: ${JSON.stringify(root)}, writer, warn: () => {} });
    writer.close();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], ...storage.environment },
  });
  children.push(child);
  return { child, ended: once(child, "exit") };
}

async function pushWhole(root: string, address: string): Promise<void> {
  const writer = await openRemoteWriter(address, { environment: storage.environment });
  await pushVersion({ root, writer, warn: () => {} });
  writer.close();
}

/** Starts `govdata-proxy follow`; `said` is everything it printed so far. */
function startFollow({ home, snapshots }: ProxyPlaces) {
  const child = spawn(
    process.execPath,
    [compileCopy(join(SOURCES, "proxy/main.ts")), "--home", home, "--snapshots", snapshots, "follow"],
    { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"], ...storage.environment } },
  );
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = once(child, "close").then(([code]) => code as number);
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { child, said: () => said, ended, stop };
}

/** Starts a proxy and the `follow` that belongs to it; resolves when it serves. */
async function startFollower(places: ProxyPlaces) {
  const follow = startFollow(places);
  const proxy = await startProxyProcess(places, {
    environment: { ...storage.environment, GOVDATA_PROXY_DRAIN_SECONDS: "0" },
  });
  children.push(proxy.process);
  await expect.poll(async () => (await fetch(`${proxy.address}/readyz`)).status).toBe(200);
  const stop = async () => [await follow.stop(), await proxy.stop()];
  const readiness = async () => (await fetch(`${proxy.address}/readyz`)).json();
  return { ...proxy, follow, stop, readiness };
}

describe("two proxies that follow one bucket, each with a home of its own", () => {
  it("serve one whole version always, and the newest in the end, while publishers are killed in the middle of a push", async () => {
    const publisher = publisherOf("killed");
    const { root, address, bodies } = publisher;
    await publisher.publish();
    await pushWhole(root, address);
    const places = [newHome(address), newHome(address)];
    const proxies = await Promise.all(places.map(startFollower));
    const keys = await Promise.all(
      places.map((each) => makeKey(each, "--account", "acme", "--tier", "enterprise")),
    );
    const [points = []] = fc.sample(
      fc.array(fc.integer({ min: 1, max: 24 }), { minLength: KILLS, maxLength: KILLS }),
      1,
    );
    const ask = async (at: number): Promise<string> => {
      const answer = await fetch(`${proxies[at]?.address}/v1/daos`, {
        headers: { "x-api-key": keys[at] ?? "" },
      });
      const body = await answer.text();
      const version = answer.headers.get("x-snapshot-version") ?? "";
      expect(answer.status).toBe(200);
      expect(body, `killed at ${points}`).toBe(bodies.get(version));
      return version;
    };
    let isOver = false;
    const sequences = [0, 0];
    const versions = [...bodies.keys()];
    const watching = Promise.all(
      [0, 1].map(async (at) => {
        while (!isOver) {
          const index = versions.indexOf(await ask(at));
          expect(index).toBeGreaterThanOrEqual(sequences[at] ?? 0);
          sequences[at] = index;
          await pause(50);
        }
      }),
    );
    for (const point of points) {
      versions.push(await publisher.publish());
      const { child, ended } = startPush(root, address);
      let writes = 0;
      storage.meet(({ method }) => {
        if (method === "GET") return undefined;
        writes += 1;
        if (writes === point) child.kill("SIGKILL");
        return undefined;
      });
      await ended;
      storage.meet();
    }
    await pushWhole(root, address);
    const newest = readPointer(root).version;
    for (const at of [0, 1])
      await expect.poll(() => ask(at), { message: `the newest; killed at ${points}` }).toBe(newest);
    isOver = true;
    await watching;
    const ends = await Promise.all(proxies.map((proxy) => proxy.stop()));
    expect(ends).toEqual([
      [0, 0],
      [0, 0],
    ]);
    // Each keeps its own copies, few of them, and nothing half done.
    for (const { home } of places) {
      const names = readdirSync(join(home, "published"));
      expect(names).toContain(newest);
      expect(names.filter((name) => name.startsWith("."))).toEqual([]);
    }
  });
});

describe("follow that is told to stop in the middle of a pull", () => {
  /** Holds what is asked of the index until the end; comes back when it is asked for. */
  function holdIndex() {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      storage.meet(({ method, path }) => {
        if (method !== "GET" || !path.endsWith("index.sqlite")) return undefined;
        resolve();
        return { kind: "stall", when: "within", until };
      });
    });
    return { asked, release };
  }

  it("ends well while it serves, and the next start pulls the rest", async () => {
    const publisher = publisherOf("stopped");
    await publisher.publish();
    await pushWhole(publisher.root, publisher.address);
    const places = newHome(publisher.address);
    const proxy = await startFollower(places);
    const next = await publisher.publish();
    const { asked, release } = holdIndex();
    await pushWhole(publisher.root, publisher.address);
    await asked;
    expect(await proxy.stop()).toEqual([0, 0]);
    release();
    storage.meet();
    const again = await startFollower(places);
    await expect.poll(again.readiness).toMatchObject({ status: "ready", version: next });
    expect(await again.stop()).toEqual([0, 0]);
  });
});

describe("a proxy beside which nobody follows any more", () => {
  it("serves on and says so, until follow is started again", async () => {
    const publisher = publisherOf("killed-follower");
    const version = await publisher.publish();
    await pushWhole(publisher.root, publisher.address);
    const places = newHome(publisher.address);
    const { readiness, follow, stop } = await startFollower(places);
    follow.child.kill("SIGKILL");
    const alone = { status: "degraded", reason: "REMOTE_NOT_FOLLOWED", version };
    await expect.poll(readiness).toMatchObject(alone);
    const next = await publisher.publish();
    await pushWhole(publisher.root, publisher.address);
    const second = startFollow(places);
    await expect.poll(readiness).toMatchObject({ status: "ready", version: next, signatures: "unchecked" });
    expect(second.said()).toContain(
      `following ${publisher.address} into ${join(places.home, "published")}\n`,
    );
    expect(second.said()).toContain("GOVDATA_PUBLIC_KEY is not set");
    expect(await second.stop()).toBe(0);
    expect((await readiness()).reason, "told at once where it was stopped").toBe("REMOTE_NOT_FOLLOWED");
    await stop();
  });
});
