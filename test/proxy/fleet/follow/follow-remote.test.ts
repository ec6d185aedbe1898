import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { followRemote, type RemoteEvent } from "../../../../proxy/fleet/follow/follow-remote.ts";
import { openHome } from "../../../../proxy/home.ts";
import { versionsIn } from "../../../../proxy/snapshot/snapshot-source.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { SEQUENCE_LEAD_MAX } from "../../../../snapshots/format/limits.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../../snapshots/optouts/opt-out-store.ts";
import { openRemoteWriter } from "../../../../snapshots/remote/open-remote.ts";
import { pushVersion } from "../../../../snapshots/remote/push-version.ts";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { manifestSigner, parseTrustedKeys } from "../../../../snapshots/store/read/manifest-signature.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { copyOf, replaceFile, sealAgain, sharedRoot } from "../../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, FIXTURE_ENTITY_ID, publishFixture } from "../../../support/published-set.ts";
import { type S3TestServer, startS3Server } from "../../../support/s3-server.ts";
import { parsePrometheus, sampleIn } from "../../support/prometheus-text.ts";
import { proKeyIn, startTestServer } from "../../support/started-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { NOON_MS } from "../../support/test-proxy.ts";

const folder = temporaryFolder();
/** A root with one version, made once. */
const first = sharedRoot();
let storage: S3TestServer;
let places = 0;

beforeAll(async () => {
  storage = await startS3Server();
  await publishFixture(first.root);
});

afterAll(async () => {
  await storage.close();
  first.remove();
});

/** The publisher's side: a root of its own, and a prefix that nobody else uses, to which its first version is pushed. */
async function publisherAt(from = first.root) {
  places += 1;
  const address = `s3://${storage.bucket}/place-${places}`;
  const root = copyOf(from);
  let hours = 1;
  const push = async () => {
    const writer = await openRemoteWriter(address, { environment: storage.environment });
    await pushVersion({ root, writer, warn: () => {} });
    writer.close();
  };
  /** One more version of the same day. */
  const publish = async () => {
    hours += 1;
    const createdAtMs = FIXTURE_AS_OF_MS + DAY_MS + hours * 3_600_000;
    return (await publishFixture(root, { createdAtMs })).version;
  };
  if (from === first.root) await push();
  return { root, address, push, publish };
}

type Follower = Awaited<ReturnType<typeof follow>>;
const running = new Set<Follower>();

/** A proxy whose clock, polls and waits are the test's. */
async function follow(
  address: string,
  options: {
    home?: string;
    publicKey?: string;
    sequenceMin?: number;
    roomKeptBytes?: number;
    /** Whether the server serves a plain folder, and knows nothing of who copies into it. */
    isByHand?: boolean;
  } = {},
) {
  const {
    home = mkdtempSync(join(folder, "home-")),
    publicKey,
    sequenceMin = 0,
    roomKeptBytes = 0,
  } = options;
  const copy = join(home, "published");
  const optouts = join(home, "optouts.db");
  if (!existsSync(optouts)) createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  openHome(home);
  const clock = { nowMs: NOON_MS };
  const nowMs = () => clock.nowMs;
  const events: RemoteEvent[] = [];
  const trustedKeys = publicKey === undefined ? undefined : parseTrustedKeys(publicKey);
  let next = () => {};
  let turned = () => {};
  const nextTurn = () => new Promise<void>((resolve) => (turned = resolve));
  const firstTurn = nextTurn();
  const ending = new AbortController();
  const following = await followRemote(
    { address, root: copy, home, trustedKeys, sequenceMin, roomKeptBytes },
    {
      environment: storage.environment,
      nowMs,
      rest: (signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
          next = resolve;
          turned();
        }),
      onEvent: (event) => events.push(event),
    },
    ending.signal,
  );
  const run = following.run();
  await firstTurn;
  let poll = async () => {};
  const server = await startTestServer(
    { home, snapshots: copy },
    {
      flags: { adminPort: "0" },
      environment: publicKey === undefined ? {} : { GOVDATA_PUBLIC_KEY: publicKey },
      nowMs,
      versions: {
        ...versionsIn(copy, trustedKeys),
        ...(options.isByHand === true ? {} : { remote: following.status }),
      },
      repeat: (task) => {
        poll = task;
        return () => {};
      },
    },
  );
  const key = proKeyIn(home);
  const get = (path: string) => fetch(`${server.address}${path}`, { headers: { "x-api-key": key } });
  const follower = {
    server,
    events,
    home,
    copy,
    clock,
    get,
    /** Follows once more, then looks at the copy once more. */
    turn: async () => {
      clock.nowMs += 1_000;
      const done = nextTurn();
      next();
      await done;
      await poll();
    },
    served: async () => (await get("/v1/daos")).headers.get("x-snapshot-version"),
    readiness: async (): Promise<{ status: string; reason?: string; version?: string }> =>
      (await fetch(`${server.address}/readyz`)).json() as never,
    stop: async () => {
      ending.abort();
      await Promise.all([run, server.stop()]);
      running.delete(follower);
    },
  };
  running.add(follower);
  return follower;
}

beforeEach(() => {
  storage.forget();
});

afterEach(async () => {
  storage.meet();
  for (const each of [...running]) await each.stop();
});

const currentOf = (root: string) => readPointer(root).version;
const kindsOf = ({ events }: Follower) =>
  events.map((event) => ("problem" in event ? event.problem : event.kind));

describe("a proxy that follows a storage", () => {
  it("pulls what is published before it listens, for its owner alone, and no file that it does not serve", async () => {
    const publisher = await publisherAt();
    storage.forget();
    const proxy = await follow(publisher.address);
    expect(await proxy.served()).toBe(currentOf(publisher.root));
    expect(await proxy.readiness()).toMatchObject({ status: "ready", version: currentOf(publisher.root) });
    const version = currentOf(proxy.copy);
    const names = readdirSync(join(proxy.copy, version)).toSorted();
    expect(names).toEqual(["delegates", "index.sqlite", "manifest.json"]);
    expect(statSync(proxy.home).mode & 0o777).toBe(0o700);
    const answer = await proxy.get("/v1/daos/tidewater.example/delegates?date=2026-03-29");
    expect(answer.status).toBe(200);
    // Half of the files or more stay where they are.
    const all = readFileSync(join(publisher.root, version, "manifest.json"), "utf8").match(/"path"/g);
    const asked = storage.records().filter(({ method }) => method === "GET").length;
    expect(asked).toBeLessThan((all?.length ?? 0) / 2);
  });

  it("switches to the next version, asks for unchanged pointers without a body, and links what stays", async () => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address);
    storage.forget();
    for (let turns = 0; turns < 3; turns += 1) await proxy.turn();
    expect(storage.records().map(({ status, bytesSent }) => [status, bytesSent])).toEqual([
      [304, 0],
      [304, 0],
      [304, 0],
    ]);
    const next = await publisher.publish();
    await publisher.push();
    await proxy.turn();
    expect(await proxy.served()).toBe(next);
    expect(proxy.events.at(-1)).toMatchObject({ kind: "pulled", version: next });
    expect((proxy.events.at(-1) as { linked: number }).linked).toBeGreaterThan(0);
    expect(await proxy.readiness()).toMatchObject({ status: "ready" });
  });

  it.each([
    { why: "is away", fault: { kind: "cut", when: "before" }, reason: "REMOTE_AWAY" },
    {
      why: "lets nobody in",
      fault: { kind: "refuse", status: 403, code: "AccessDenied" },
      reason: "REMOTE_REFUSED",
    },
    {
      why: "sends a pointer without an end",
      fault: { kind: "change", change: () => Buffer.alloc(100_000, "{") },
      reason: "REMOTE_INVALID",
    },
  ] as const)(
    "serves on when the storage $why, says so once, and starts again from its copy",
    async (row) => {
      const publisher = await publisherAt();
      const proxy = await follow(publisher.address);
      const version = currentOf(publisher.root);
      await publisher.publish();
      await publisher.push();
      storage.meet(() => row.fault);
      for (let turns = 0; turns < 2; turns += 1) await proxy.turn();
      expect(await proxy.served()).toBe(version);
      const found = await fetch(`${proxy.server.address}/readyz`);
      expect([found.status, await found.json()]).toMatchObject([
        200,
        { status: "degraded", reason: row.reason },
      ]);
      expect(kindsOf(proxy)).toEqual(["pulled", row.reason]);
      const scrape = parsePrometheus(await (await fetch(`${proxy.server.adminAddress}/metrics`)).text());
      expect(sampleIn(scrape, "govdata_proxy_remote_problem", { reason: row.reason })).toBe(1);
      expect(sampleIn(scrape, "govdata_proxy_remote_age_seconds")).toBe(2);
      expect(sampleIn(scrape, "govdata_proxy_remote_pulled_bytes_total")).toBeGreaterThan(10_000);
      expect(sampleIn(scrape, "govdata_proxy_snapshot_refused")).toBe(undefined);
      await proxy.stop();
      // Nothing but the copy is there now.
      const again = await follow(publisher.address, { home: proxy.home });
      expect(await again.served()).toBe(version);
      expect(await again.readiness()).toMatchObject({ status: "degraded", reason: row.reason });
      storage.meet();
      again.clock.nowMs += 60_000;
      await again.turn();
      expect(await again.served()).toBe(currentOf(publisher.root));
      expect(await again.readiness()).toMatchObject({ status: "ready" });
      expect(kindsOf(again)).toEqual([row.reason, "pulled", "followed again"]);
    },
  );

  it("answers 503 where there is neither copy nor storage, and serves as soon as there is one", async () => {
    const publisher = await publisherAt();
    storage.meet(() => ({ kind: "cut", when: "before" }));
    const proxy = await follow(publisher.address);
    expect((await proxy.get("/v1/daos")).status).toBe(503);
    const found = await fetch(`${proxy.server.address}/readyz`);
    expect([found.status, await found.json()]).toMatchObject([503, { reason: "SNAPSHOT_MISSING" }]);
    storage.meet();
    await proxy.turn();
    expect(await proxy.served()).toBe(currentOf(publisher.root));
  });

  it("goes back for no older pointer, of the storage or of a cache before it", async () => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address);
    const next = await publisher.publish();
    await publisher.push();
    await proxy.turn();
    storage.meet(({ path }) => (path.endsWith("current.json") ? { kind: "stale" } : undefined));
    await proxy.turn();
    expect(await proxy.served()).toBe(next);
    expect(await proxy.readiness()).toMatchObject({ status: "degraded", reason: "REMOTE_STALE" });
    storage.meet();
    await proxy.turn();
    expect(await proxy.readiness()).toMatchObject({ status: "ready" });
    // The copy is lost, and what is offered is older than what was served.
    await proxy.stop();
    const lost = mkdtempSync(join(folder, "home-"));
    for (const name of ["highest-sequence", "keys.db"])
      writeFileSync(join(lost, name), readFileSync(join(proxy.home, name)));
    storage.meet(({ path }) => (path.endsWith("current.json") ? { kind: "stale" } : undefined));
    const again = await follow(publisher.address, { home: lost });
    expect((await again.get("/v1/daos")).status).toBe(503);
    expect(existsSync(join(again.copy, "current.json"))).toBe(false);
  });

  /** Publishes a second version under a sequence of the forger's own choice; gives the way to put the honest pointer back. */
  async function forge(publisher: Awaited<ReturnType<typeof publisherAt>>, sequence: number) {
    const honest = readFileSync(join(publisher.root, "current.json"));
    const forger = await publisherAt(publisher.root);
    await forger.publish();
    const raise = (path: string) =>
      replaceFile(path, readFileSync(path, "utf8").replace('"sequence":2,', `"sequence":${sequence},`));
    raise(join(forger.root, currentOf(forger.root), "manifest.json"));
    sealAgain(forger.root, "manifest.json");
    raise(join(forger.root, "current.json"));
    const writer = await openRemoteWriter(publisher.address, { environment: storage.environment });
    await pushVersion({ root: forger.root, writer, warn: () => {} });
    return {
      version: currentOf(forger.root),
      putBack: async () => {
        const forged = await writer.readSmall("current.json", 4096);
        await writer.swap("current.json", honest, typeof forged === "object" ? forged.etag : undefined);
        writer.close();
      },
    };
  }

  it.each([
    { why: "follow is started by serve", isByHand: false },
    { why: "follow is started by hand", isByHand: true },
  ])("gets over an unsigned jump that it took, also when started again: $why", async ({ isByHand }) => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address, { isByHand });
    expect(await proxy.readiness()).toMatchObject({ signatures: "unchecked" });
    const honest = await proxy.served();
    const forged = await forge(publisher, SEQUENCE_LEAD_MAX);
    await proxy.turn();
    expect(await proxy.served()).toBe(forged.version);
    await forged.putBack();
    await proxy.turn();
    expect(await proxy.served()).toBe(forged.version);
    if (!isByHand)
      expect(await proxy.readiness()).toMatchObject({ status: "degraded", reason: "REMOTE_STALE" });
    // Ten minutes, but for a second.
    proxy.clock.nowMs += 598_000;
    await proxy.turn();
    expect(await proxy.served(), "a second too early").toBe(forged.version);
    proxy.clock.nowMs += 60_000;
    await proxy.turn();
    expect(await proxy.served()).toBe(honest);
    expect(await proxy.readiness()).toMatchObject({ status: "ready", sequence: 1 });
    expect(kindsOf(proxy)).toEqual([
      "pulled",
      "pulled",
      "REMOTE_STALE",
      "pulled",
      "went back",
      "followed again",
    ]);
    const next = await publisher.publish();
    await publisher.push();
    await proxy.turn();
    expect(await proxy.served()).toBe(next);
    await proxy.stop();
    const again = await follow(publisher.address, { home: proxy.home, isByHand });
    expect(await again.served()).toBe(next);
  });

  it.each([
    { why: "a lowest sequence above what is there", sequenceMin: 2, status: 503, problem: "REMOTE_STALE" },
    { why: "the sequence that is there", sequenceMin: 1, status: 200, problem: undefined },
  ])("takes on a new machine that was given $why: $status", async ({ sequenceMin, status, problem }) => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address, { sequenceMin });
    expect((await proxy.get("/v1/daos")).status).toBe(status);
    expect(kindsOf(proxy)).toEqual([problem ?? "pulled"]);
  });

  it("takes no version that nobody it trusts has signed", async () => {
    const publisher = await publisherAt();
    const { privateKey } = generateKeyPairSync("ed25519");
    const signer = manifestSigner(privateKey.export({ format: "pem", type: "pkcs8" }).toString());
    const proxy = await follow(publisher.address, { publicKey: signer?.publicKey ?? "" });
    expect((await proxy.get("/v1/daos")).status).toBe(503);
    expect(kindsOf(proxy)).toEqual(["SNAPSHOT_UNSIGNED"]);
    expect(readdirSync(proxy.copy).filter((name) => name !== "publish.lock")).toEqual([]);
  });

  it("has nothing more of an entity that was redacted, a minute later", async () => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address);
    expect((await proxy.get(`/v1/entities/${FIXTURE_ENTITY_ID}`)).status).toBe(200);
    await redactSnapshot(createSnapshotDisk(publisher.root), {
      runId: "redaction",
      isHidden: (id) => id === FIXTURE_ENTITY_ID,
      known: [],
      isDryRun: false,
      whileReadersFollow: async () => {},
    });
    await publisher.push();
    await proxy.turn();
    expect(await proxy.served()).toBe(currentOf(publisher.root));
    expect((await proxy.get(`/v1/entities/${FIXTURE_ENTITY_ID}`)).status).toBe(404);
    await proxy.turn();
    proxy.clock.nowMs += 60_000;
    await proxy.turn();
    expect(readdirSync(proxy.copy).toSorted()).toEqual([
      currentOf(publisher.root),
      "current.json",
      "publish.lock",
    ]);
    const bytes = readFileSync(join(proxy.copy, currentOf(proxy.copy), "index.sqlite"));
    expect(bytes.includes(FIXTURE_ENTITY_ID)).toBe(false);
    expect(proxy.events.at(-1)).toMatchObject({ kind: "tidied" });
  });

  it.each([
    {
      why: "its index was cut",
      damage: (at: string) => writeFileSync(join(at, "index.sqlite"), "no database"),
    },
    {
      why: "its manifest was changed",
      damage: (at: string) => writeFileSync(join(at, "manifest.json"), "{}\n"),
    },
    { why: "it is gone", damage: (at: string) => rmSync(at, { recursive: true }) },
  ])("checks a damaged copy file by file, and fetches what is not right, where $why", async ({ damage }) => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address);
    const version = currentOf(proxy.copy);
    await proxy.stop();
    damage(join(proxy.copy, version));
    const again = await follow(publisher.address, { home: proxy.home });
    expect((await again.get("/v1/daos")).status).toBe(503);
    for (let turns = 0; turns < 3; turns += 1) await again.turn();
    expect(await again.served()).toBe(version);
    expect(kindsOf(again)).toEqual(["given up", "pulled"]);
  });

  it("takes nothing that would fill the disk, and leaves nothing of it", async () => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address, { roomKeptBytes: Number.MAX_SAFE_INTEGER });
    expect((await proxy.get("/v1/daos")).status).toBe(503);
    expect(kindsOf(proxy)).toEqual(["REMOTE_NO_ROOM"]);
    expect(readdirSync(proxy.copy)).toEqual(["publish.lock"]);
  });

  it("serves on, and pulls nothing again, when a whole version is one that cannot be served", async () => {
    const publisher = await publisherAt();
    const proxy = await follow(publisher.address);
    const version = await proxy.served();
    await publisher.publish();
    replaceFile(join(publisher.root, currentOf(publisher.root), "index.sqlite"), "no database at all");
    sealAgain(publisher.root, "index.sqlite");
    await publisher.push();
    for (let turns = 0; turns < 4; turns += 1) await proxy.turn();
    expect(await proxy.served()).toBe(version);
    expect(await proxy.readiness()).toMatchObject({ status: "degraded", reason: "SNAPSHOT_INVALID" });
    expect(kindsOf(proxy)).toEqual(["pulled", "pulled"]);
  });

  it("is no use to two processes of one home but once: the second finds what the first pulled", async () => {
    const publisher = await publisherAt();
    const one = await follow(publisher.address);
    const two = await follow(publisher.address, { home: one.home });
    const next = await publisher.publish();
    await publisher.push();
    await Promise.all([one.turn(), two.turn()]);
    await Promise.all([one.turn(), two.turn()]);
    expect([await one.served(), await two.served()]).toEqual([next, next]);
    const pulls = [...one.events, ...two.events].filter(({ kind }) => kind === "pulled");
    expect(pulls).toHaveLength(2);
    expect([...kindsOf(one), ...kindsOf(two)].every((kind) => kind === "pulled")).toBe(true);
  });
});
