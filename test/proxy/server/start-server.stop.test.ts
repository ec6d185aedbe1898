import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";
import { startServer, waitUntilLeft } from "../../../proxy/server/start-server.ts";
import { readServeSettings } from "../../../proxy/settings.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { publishFixture } from "../../support/published-set.ts";
import { parseRaw, rawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PEPPER } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const published = join(folder, "published");
const NOW = Date.parse("2026-04-01T12:00:00Z");

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
  const server = await startServer(
    { home, snapshots: published, optouts: join(home, "optouts.db") },
    readServeSettings({ port: "0", adminPort: "0" }, {}),
    {
      nowMs: () => NOW,
      monotonicMs: () => NOW,
      randomBytes,
      logStream: { write: (line) => void lines.push(line) },
      pepper: PEPPER,
      versions: {
        readPointer: () => readPointer(published),
        open: (sequenceMin) => openSnapshot(published, { sequenceMin }),
      },
      repeat: () => ended,
    },
  );
  const store = openKeyStore(join(home, "keys.db"), 100);
  const options = { account: "a", terms: { tier: "pro" }, environment: "live", expiresAtMs: null } as const;
  const { key } = createKey({ store, pepper: PEPPER, nowMs: NOW, randomBytes }, options);
  store.close();
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
