import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import type { RunningServer } from "../../../proxy/server/start-server.ts";
import type { PublishedVersions } from "../../../proxy/snapshot/snapshot-source.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../snapshots/optouts/opt-out-store.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../support/published-set.ts";
import { parseRaw, rawRequest } from "../support/raw-request.ts";
import { proKeyIn, startTestServer } from "../support/started-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { NOON_MS, PEPPER } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const published = join(folder, "published");

beforeAll(async () => {
  await publishFixture(published);
});

interface Started {
  readonly server: RunningServer;
  readonly home: string;
  readonly key: string;
  readonly lines: string[];
  /** What the server does each second. */
  readonly poll: () => Promise<void>;
}

async function start(options: {
  root?: string;
  home?: string;
  optouts?: string;
  host?: string;
  versions?: (real: PublishedVersions) => PublishedVersions;
}): Promise<Started> {
  const home = options.home ?? mkdtempSync(join(folder, "home-"));
  const root = options.root ?? published;
  const lines: string[] = [];
  let poll = async () => {};
  const real: PublishedVersions = {
    readPointer: () => readPointer(root),
    open: (sequenceMin) => openSnapshot(root, { sequenceMin }),
  };
  const { host = "127.0.0.1", optouts = join(home, "optouts.db") } = options;
  createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const server = await startTestServer(
    { home, snapshots: root, optouts },
    {
      flags: { host },
      logStream: { write: (line) => void lines.push(line) },
      versions: options.versions?.(real) ?? real,
      repeat: (task) => {
        poll = task;
        return () => {};
      },
    },
  );
  const key = proKeyIn(home);
  return { server, home, key, lines, poll };
}

describe("a key store that is replaced under a running server", () => {
  it("lets in whom the new one knows, and nobody else", async () => {
    const { server, home, key } = await start({});
    const restored = openKeyTable(join(home, "restored.db"), 100);
    restored.acceptsPeppers([PEPPER]);
    const options = {
      account: "acme",
      terms: { tier: "pro" },
      environment: "live",
      expiresAtMs: null,
    } as const;
    const { key: known } = createKey(
      { table: restored, pepper: PEPPER, nowMs: NOON_MS, randomBytes },
      options,
    );
    restored.close();
    for (const file of ["keys.db", "keys.db-wal", "keys.db-shm"]) rmSync(join(home, file), { force: true });
    renameSync(join(home, "restored.db"), join(home, "keys.db"));
    const statusWith = async (presented: string) =>
      (await fetch(`${server.address}/v1/daos`, { headers: { "x-api-key": presented } })).status;
    try {
      expect(await statusWith(known)).toBe(200);
      expect(await statusWith(key)).toBe(401);
    } finally {
      await server.stop();
    }
  });
});

describe("following the pointer", () => {
  const readyz = async ({ server }: Started) => {
    const answer = await fetch(`${server.address}/readyz`);
    return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) } as Record<
      string,
      unknown
    >;
  };
  const asOf = async ({ server, key }: Started) => {
    const answer = await fetch(`${server.address}/v1/dgi`, { headers: { "x-api-key": key } });
    const body = (await answer.json()) as { data: { calculated_at: string } };
    return [answer.status, answer.headers.get("x-snapshot-version"), body.data.calculated_at];
  };

  it("serves what is published next; keeps the last good one when that is broken; refuses to go back", async () => {
    const root = join(folder, "moving");
    const first = await publishFixture(root);
    const before = join(folder, "before");
    cpSync(root, before, { recursive: true });
    const started = await start({ root });
    expect((await asOf(started))[1]).toBe(first.version);

    const second = await publishFixture(root, { set: publishedSet(FIXTURE_AS_OF_MS + DAY_MS) });
    await started.poll();
    expect(await asOf(started)).toEqual([200, second.version, "2026-04-01T23:59:59.999Z"]);

    const third = await publishFixture(root, { set: publishedSet(FIXTURE_AS_OF_MS + 2 * DAY_MS) });
    const index = join(root, third.version, "index.sqlite");
    const bytes = readFileSync(index);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    rmSync(index);
    writeFileSync(index, bytes);
    await started.poll();
    expect(await readyz(started)).toMatchObject({
      status: "degraded",
      reason: "SNAPSHOT_INVALID",
      sequence: 2,
    });
    expect((await asOf(started))[1]).toBe(second.version);

    rmSync(root, { recursive: true });
    cpSync(before, root, { recursive: true });
    await started.poll();
    expect(await readyz(started)).toMatchObject({ status: "degraded", reason: "SNAPSHOT_ROLLED_BACK" });
    expect((await asOf(started))[0]).toBe(200);
    await started.server.stop();

    const again = await start({ root, home: started.home });
    expect(await readyz(again)).toMatchObject({ status: "unavailable", reason: "SNAPSHOT_ROLLED_BACK" });
    await again.server.stop();
  });
});

describe("stopping", () => {
  it("finishes the request under way, then closes; a second stop of the same finds nothing open", async () => {
    let stopping: Promise<void> | undefined;
    const started: Started = await start({
      versions: (real) => ({
        ...real,
        open: async (sequenceMin) => {
          const reader = await real.open(sequenceMin);
          return {
            ...reader,
            document: (kind, id) => {
              stopping = started.server.stop();
              return reader.document(kind, id);
            },
          };
        },
      }),
    });
    const answer = await rawRequest(
      started.server.address,
      `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${started.key}\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).data.composite).toBe(5.25);
    await stopping;
    await expect(rawRequest(started.server.address, "GET / HTTP/1.1\r\n\r\n")).rejects.toThrow(
      "ECONNREFUSED",
    );
    // Stores closed cleanly leave no write-ahead log behind.
    expect(readdirSync(started.home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  it("answers a request that was begun on a kept connection before it stopped listening", async () => {
    const started = await start({});
    const { port } = new URL(started.server.address);
    const request = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${started.key}\r\n`;
    const chunks: string[] = [];
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("data", (chunk) => chunks.push(chunk.toString("utf8")));
    socket.write(`${request}\r\n`);
    while (!chunks.join("").endsWith("}\n")) await once(socket, "data");
    chunks.length = 0;
    // The next request has begun when the server is told to stop, and is finished afterwards.
    socket.write(request);
    expect((await fetch(`${started.server.address}/healthz`)).status).toBe(200);
    const stopping = started.server.stop();
    const isListening = () => fetch(`${started.server.address}/healthz`).then(Boolean, () => false);
    await expect.poll(isListening).toBe(false);
    socket.write("\r\n");
    await closed;
    await stopping;
    const answer = parseRaw(chunks.join(""));
    expect([answer.status, answer.headers["connection"]]).toEqual([200, "close"]);
  });
});

describe("starting", () => {
  it("says so when the port is taken, and leaves nothing open", async () => {
    const started = await start({});
    const port = new URL(started.server.address).port;
    const home = mkdtempSync(join(folder, "home-"));
    const second = startTestServer({ home, snapshots: published }, { flags: { port } });
    await expect(second).rejects.toMatchObject({ code: "ADDRESS_UNUSABLE" });
    expect(existsSync(join(home, "keys.db-wal"))).toBe(false);
    await started.server.stop();
  });

  it("listens on one address of a name, so that every connection is tended", async () => {
    const { server, key } = await start({ host: "localhost" });
    const port = Number(new URL(server.address).port);
    const isTaken = async (host: string) => {
      const socket = connect({ host, port });
      const isOpen = await once(socket, "connect").then(
        () => true,
        () => false,
      );
      socket.destroy();
      return isOpen;
    };
    expect((await Promise.all(["127.0.0.1", "::1"].map(isTaken))).filter(Boolean)).toHaveLength(1);
    const answer = await fetch(`${server.address}/v1/dgi`, { headers: { "x-api-key": key } });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    await server.stop();
  });

  it("starts without a snapshot, and serves the first one published", async () => {
    const root = join(folder, "later");
    const started = await start({ root });
    expect((await fetch(`${started.server.address}/readyz`)).status).toBe(503);
    await publishFixture(root);
    await started.poll();
    expect((await fetch(`${started.server.address}/readyz`)).status).toBe(200);
    await started.server.stop();
  });
});
