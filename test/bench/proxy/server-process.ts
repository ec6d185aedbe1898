import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { fastify } from "fastify";
import { createKey } from "../../../proxy/keys/key-ring.ts";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";
import { bufferLines } from "../../../proxy/observe/create-log.ts";
import { DRAIN_MS } from "../../../proxy/server/limits.ts";
import { startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings } from "../../../proxy/settings.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../snapshots/optouts/opt-out-book.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { SIZED_TARGETS } from "./sized-version.ts";

// One of the servers that are compared, in a process of its own: `server-process.ts KIND FOLDER KEYS [OTHER]`; the version
// lies in OTHER, or in FOLDER. Says one line of JSON, `{"address", "keys"}`, and serves until it is stopped or killed.
const [kind = "", folder = "", keyCount = "1", other = folder] = process.argv.slice(2);
const snapshots = join(other, "published");
const PEPPER = "a pepper for a bench, of 32 characters or more";

async function startOurs() {
  const home = join(folder, `${kind}-${keyCount}`);
  const optouts = join(folder, `${kind}-${keyCount}-optouts.db`);
  createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const lines = bufferLines(process.stderr);
  setInterval(lines.flush, 1_000).unref();
  const server = await startServer({ home, snapshots, optouts }, readServeSettings({ port: "0" }, {}), {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    randomBytes,
    logStream: lines,
    pepper: PEPPER,
    versions: {
      readPointer: () => readPointer(snapshots),
      open: (sequenceMin) => openSnapshot(snapshots, { sequenceMin }),
    },
    repeat: (task, everyMs) => {
      const timer = setInterval(() => void task(), everyMs);
      return () => clearInterval(timer);
    },
  });
  const store = openKeyStore(join(home, "keys.db"), 1_000);
  const ring = { store, pepper: PEPPER, nowMs: Date.now(), randomBytes };
  const terms = { tier: "enterprise", dailyLimit: 999_999_999 } as const;
  const keys = Array.from(
    { length: Number(keyCount) },
    (_, n) => createKey(ring, { account: `bench-${n}`, terms, environment: "live", expiresAtMs: null }).key,
  );
  store.close();
  process.once("SIGTERM", () => void server.stop(DRAIN_MS).then(() => process.exit()));
  return { address: server.address, keys };
}

/** What our own answers look like to a client, without any of the work behind them. */
async function sameBytes() {
  const { document, close } = await openSnapshot(snapshots);
  const bodies = new Map<string, { readonly bytes: Buffer; readonly lines: string[] }>();
  for (const { target, id } of Object.values(SIZED_TARGETS)) {
    const found = document("daos", id)?.identity;
    if (found === undefined) throw new Error(`no ${target}`);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
      vary: "x-api-key, accept-encoding",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-request-id": "0123456789abcdef01234567",
      "ratelimit-policy": '"daily";q=999999999;w=86400',
      ratelimit: '"daily";r=999999990;t=43200',
      "x-ratelimit-limit": "999999999",
      "x-ratelimit-remaining": "999999990",
      "x-ratelimit-reset": "1795305600",
      "x-snapshot-version": "20261121T060000Z-3f9ac2d1",
      etag: found.etag,
      "content-length": String(found.bytes.length),
    };
    bodies.set(target, { bytes: Buffer.from(found.bytes), lines: Object.entries(headers).flat() });
  }
  close();
  return bodies;
}

async function startBare() {
  const bodies = await sameBytes();
  const server = createServer((request, response) => {
    const body = bodies.get(request.url ?? "");
    response.writeHead(200, body?.lines).end(body?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { address: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, keys: ["none"] };
}

async function startFastify() {
  const bodies = await sameBytes();
  const app = fastify({ logger: false });
  app.get("/v1/daos", (request, reply) => {
    const body = bodies.get(request.url);
    for (let at = 0; at < (body?.lines.length ?? 0); at += 2) {
      reply.header(body?.lines[at] ?? "", body?.lines[at + 1]);
    }
    return reply.send(body?.bytes);
  });
  return { address: await app.listen({ host: "127.0.0.1", port: 0 }), keys: ["none"] };
}

const STARTS: Readonly<Record<string, () => Promise<{ address: string; keys: string[] }>>> = {
  bare: startBare,
  fastify: startFastify,
  ours: startOurs,
};
const start = STARTS[kind];
if (start === undefined) throw new Error(`there is no server ${kind}`);
process.stdout.write(`${JSON.stringify(await start())}\n`);
