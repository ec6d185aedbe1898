import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { waitUntilLeft } from "../../../proxy/server/listening.ts";
import { versionsIn } from "../../../proxy/snapshot/snapshot-source.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { parseRaw, rawRequest } from "../support/raw-request.ts";
import { startWithKey } from "../support/started-server.ts";

const { folder, published } = folderWithFixture();

/** `hasEnded` resolves when it no longer listens: from then on nobody looks for a new version. */
async function start() {
  let ended = () => {};
  const hasEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const started = await startWithKey({
    folder,
    snapshots: published,
    flags: { adminPort: "0" },
    repeat: () => ended,
  });
  const request = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${started.key}\r\n\r\n`;
  return { ...started, request, hasEnded };
}

/** A kept connection, asked once: the way to ask again, and its end. */
async function keptConnection(address: string, request: string) {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port) });
  const closed = once(socket, "close");
  const ask = async () => {
    let text = "";
    const read = (chunk: Buffer) => (text += chunk.toString("utf8"));
    socket.on("data", read);
    socket.write(request);
    while (!text.endsWith("}\n")) await once(socket, "data");
    socket.off("data", read);
    return parseRaw(text);
  };
  await ask();
  return { ask, closed };
}

describe("draining", () => {
  it("serves on, says no on /readyz, tells every caller to leave, and ends when the last has left", async () => {
    const { server, request, lines } = await start();
    const kept = await keptConnection(server.address, request);
    const stopping = server.stop(60_000);
    const ready = await rawRequest(server.address, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect([ready.status, JSON.parse(ready.body).reason]).toEqual([503, "SHUTTING_DOWN"]);
    const operator = await fetch(`${server.adminAddress}/readyz`, { headers: { connection: "close" } });
    expect(operator.status).toBe(503);
    const fresh = await rawRequest(server.address, request);
    expect([fresh.status, fresh.headers["connection"]]).toEqual([200, "close"]);
    const last = await kept.ask();
    expect([last.status, last.headers["connection"]]).toEqual([200, "close"]);
    await kept.closed;
    await stopping;
    expect(lines.map(({ msg }) => msg)).toContain("stopped");
    await expect(rawRequest(server.address, "GET / HTTP/1.1\r\n\r\n")).rejects.toThrow("ECONNREFUSED");
    await expect(fetch(`${server.adminAddress}/healthz`)).rejects.toThrow();
  });

  it("waits no longer than it was told for a caller who does not leave", async () => {
    const { server, request } = await start();
    const kept = await keptConnection(server.address, request);
    await server.stop(200);
    await kept.closed;
  });
});

it("finishes the request under way, then closes; its stores leave no log behind", async () => {
  let stopping: Promise<void> | undefined;
  const real = versionsIn(published, undefined);
  const started = await startWithKey({
    folder,
    snapshots: published,
    versions: {
      ...real,
      open: async (sequenceMin) => {
        const reader = await real.open(sequenceMin);
        const document: typeof reader.document = (kind, id) => {
          stopping = started.server.stop();
          return reader.document(kind, id);
        };
        return { ...reader, document };
      },
    },
  });
  const request = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${started.key}\r\n\r\n`;
  const answer = await rawRequest(started.server.address, request);
  expect([answer.status, JSON.parse(answer.body).data.composite]).toEqual([200, 5.25]);
  await stopping;
  await expect(rawRequest(started.server.address, request)).rejects.toThrow("ECONNREFUSED");
  expect(readdirSync(started.home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

it("answers callers whom the system had accepted and the server had not, and resets none", async () => {
  const { server, request } = await start();
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
  const { server, request, hasEnded } = await start();
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
