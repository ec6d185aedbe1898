import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { closeDays } from "../../../proxy/quota/sqlite/edit-counts.ts";
import { waitUntilLeft } from "../../../proxy/server/listening.ts";
import { publishFixture } from "../../support/published-set.ts";
import { parseRaw, rawRequest } from "../support/raw-request.ts";
import { proKeyIn, startTestServer } from "../support/started-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("stop", () => {
  const folder = temporaryFolder();
  const published = join(folder, "published");

  beforeAll(async () => {
    await publishFixture(published);
  });

  /** `hasEnded` resolves when it no longer listens: from then on nobody looks for a new version. */
  async function start() {
    let ended = () => {};
    const hasEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const home = mkdtempSync(join(folder, "home-"));
    const lines: string[] = [];
    const server = await startTestServer(
      { home, snapshots: published },
      {
        flags: { adminPort: "0" },
        logStream: { write: (line) => void lines.push(line) },
        repeat: () => ended,
      },
    );
    const key = proKeyIn(home);
    return { server, key, lines, hasEnded };
  }

  /** A kept connection, asked once: the way to ask again, and its end. */
  async function keptConnection(address: string, key: string) {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port) });
    const closed = once(socket, "close");
    const ask = async () => {
      let text = "";
      const read = (chunk: Buffer) => (text += chunk.toString("utf8"));
      socket.on("data", read);
      socket.write(`GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
      while (!text.endsWith("}\n")) await once(socket, "data");
      socket.off("data", read);
      return parseRaw(text);
    };
    await ask();
    return { ask, closed };
  }

  describe("draining", () => {
    it("serves on, says no on /readyz, tells every caller to leave, and ends when the last has left", async () => {
      const { server, key, lines } = await start();
      const kept = await keptConnection(server.address, key);
      const stopping = server.stop(60_000);
      const ready = await rawRequest(server.address, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
      expect([ready.status, JSON.parse(ready.body).reason]).toEqual([503, "SHUTTING_DOWN"]);
      const operator = await fetch(`${server.adminAddress}/readyz`, { headers: { connection: "close" } });
      expect(operator.status).toBe(503);
      const fresh = await rawRequest(
        server.address,
        `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`,
      );
      expect([fresh.status, fresh.headers["connection"]]).toEqual([200, "close"]);
      const last = await kept.ask();
      expect([last.status, last.headers["connection"]]).toEqual([200, "close"]);
      await kept.closed;
      await stopping;
      expect(lines.map((line) => JSON.parse(line).msg)).toContain("stopped");
      await expect(rawRequest(server.address, "GET / HTTP/1.1\r\n\r\n")).rejects.toThrow("ECONNREFUSED");
      await expect(fetch(`${server.adminAddress}/healthz`)).rejects.toThrow();
    });

    it("waits no longer than it was told for a caller who does not leave", async () => {
      const { server, key } = await start();
      const kept = await keptConnection(server.address, key);
      await server.stop(200);
      await kept.closed;
    });
  });

  it("answers callers whom the system had accepted and the server had not, and resets none", async () => {
    const { server, key } = await start();
    const request = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
    const answers = Array.from({ length: 40 }, () => rawRequest(server.address, request));
    const stopping = server.stop();
    for (const { status, headers } of await Promise.all(answers)) {
      expect([status, headers["connection"]]).toEqual([200, "close"]);
    }
    await stopping;
  });

  it.each([
    { why: "has connected and asks only then", before: () => "" },
    { why: "has sent a part of its first request", before: (request: string) => request.slice(0, 9) },
    {
      why: "has had an answer and sent a part of its next request",
      isAnswered: true,
      before: (request: string) => request.slice(0, 9),
    },
  ])("answers a caller who, when it stopped listening, $why", async ({ before, isAnswered = false }) => {
    const { server, key, hasEnded } = await start();
    const request = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(server.address).port) });
    await once(socket, "connect");
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
    });
    if (isAnswered) {
      socket.write(request);
      while (!text.endsWith("}\n")) await once(socket, "data");
      text = "";
    }
    const sent = before(request);
    socket.write(sent);
    const stopping = server.stop();
    await hasEnded;
    socket.write(request.slice(sent.length));
    await once(socket, "close");
    const { status, headers } = parseRaw(text);
    expect([status, headers["connection"]]).toEqual([200, "close"]);
    await stopping;
  });

  describe("waitUntilLeft", () => {
    it.each([
      { why: "not at all with no time", mostMs: 0, isHeld: true },
      { why: "not at all where nobody is", mostMs: 60_000, isHeld: false },
      { why: "no longer than it may", mostMs: 120, isHeld: true },
    ])("waits $why", async ({ mostMs, isHeld }) => {
      const server = createServer(() => {}).listen(0, "127.0.0.1");
      await once(server, "listening");
      const socket = isHeld ? connect((server.address() as AddressInfo).port, "127.0.0.1") : undefined;
      if (socket !== undefined) await once(server, "connection");
      await waitUntilLeft(server, mostMs);
      socket?.destroy();
      server.close();
      await once(server, "close");
    });
  });
});

const folder = temporaryFolder();
const [FIRST, SECOND] = ["first".repeat(8), "second".repeat(8)];
const NOW = 1_000;

/** A home with keys under both peppers: of the first one active, one revoked, one expired. */
function homeWithKeys(): string {
  const home = mkdtempSync(join(folder, "home-"));
  const store = openKeyTable(join(home, "keys.db"), 100);
  const keyUnder = (pepper: string, expiresAtMs: number | null) =>
    createKey(
      { table: store, pepper, nowMs: 0, randomBytes },
      { account: "a", terms: { tier: "pro" }, environment: "live", expiresAtMs },
    ).record.keyId;
  keyUnder(FIRST, NOW + 1);
  keyUnder(FIRST, NOW);
  revokeKey(store, keyUnder(FIRST, null), 0);
  keyUnder(SECOND, null);
  store.close();
  return home;
}

interface Start {
  readonly closedThrough?: string;
  readonly home?: string;
  readonly port?: number;
  readonly host?: string;
}

async function startWith(pepper: string, openFilesMax: number | undefined, start: Start = {}) {
  const { closedThrough, home = homeWithKeys(), port = 0, host = "127.0.0.1" } = start;
  if (closedThrough !== undefined) closeDays(join(home, "quota.db"), closedThrough);
  const lines: string[] = [];
  const snapshots = join(home, "none");
  const server = await startTestServer(
    { home, snapshots },
    {
      flags: { port: String(port), host },
      nowMs: () => NOW,
      logStream: { write: (line) => void lines.push(line) },
      pepper,
      openFilesMax,
    },
  );
  await server.stop();
  return { warnings: server.warnings, log: lines.join("") };
}

it.each([
  { why: "both peppers and many files", pepper: `${SECOND}\n${FIRST}`, files: 1_000_000, says: [] },
  { why: "nobody knows how many files", pepper: `${SECOND}\n${FIRST}`, files: undefined, says: [] },
  {
    why: "the old pepper was taken away too early",
    pepper: SECOND,
    files: undefined,
    says: ["1 active key was stored with a pepper that is missing here"],
  },
  {
    why: "few files and the new pepper gone",
    pepper: FIRST,
    files: 1024,
    says: ["only 896 connections", "1 active key was"],
  },
])("tells the operator at the start: $why", async ({ pepper, files, says }) => {
  const { warnings, log } = await startWith(pepper, files);
  expect(warnings).toEqual(says.map((words) => expect.stringContaining(words)));
  for (const words of says) expect(log).toContain(words);
});

it.each([
  { why: "the day before", closedThrough: "1969-12-31", says: [] },
  { why: "today", closedThrough: "1970-01-01", says: ["at its limit until 1970-01-02T00:00:00.000Z"] },
  { why: "a clock that is behind", closedThrough: "1970-01-02", says: ["until 1970-01-03T00:00:00.000Z"] },
])("tells the operator of a day that a restore has closed: $why", async ({ closedThrough, says }) => {
  const { warnings } = await startWith(`${SECOND}\n${FIRST}`, undefined, { closedThrough });
  expect(warnings).toEqual(says.map((words) => expect.stringContaining(words)));
});

it("tells the operator that there is no key here: of many machines, one may not know where they are", async () => {
  const { warnings, log } = await startWith(FIRST, undefined, { home: mkdtempSync(join(folder, "home-")) });
  expect(warnings).toEqual([expect.stringContaining("there is no key in this home")]);
  expect(log).toContain('"keysAndQuota":"files in the home"');
});

it.each([
  { host: "127.0.0.1", isWarned: false },
  { host: "localhost", isWarned: false },
  { host: "0.0.0.0", isWarned: true },
])("warns that keys travel in clear where it listens beyond loopback: $host", async ({ host, isWarned }) => {
  const { warnings } = await startWith(`${SECOND}\n${FIRST}`, undefined, { host });
  expect(warnings).toEqual(isWarned ? [expect.stringContaining("without TLS, so keys travel in clear")] : []);
});

it("does not start where hardly a connection would fit, and has not touched a store", async () => {
  const home = homeWithKeys();
  await expect(startWith(FIRST, 100, { home })).rejects.toMatchObject({ code: "OPEN_FILES_TOO_FEW" });
  // An open store has its log beside it, and a server makes its counter.
  expect(readdirSync(home)).toEqual(["keys.db"]);
});

it("leaves nothing open where the port is taken", async () => {
  const home = homeWithKeys();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    await expect(startWith(FIRST, undefined, { home, port })).rejects.toMatchObject({
      code: "ADDRESS_UNUSABLE",
    });
  } finally {
    await new Promise((resolve) => taken.close(resolve));
  }
  expect(readdirSync(home).sort()).toEqual(["keys.db", "quota.db"]);
});
