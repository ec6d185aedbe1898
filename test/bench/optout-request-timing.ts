import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../proxy/keys/key-ring.ts";
import { openKeyStore } from "../../proxy/keys/key-store.ts";
import { startServer } from "../../proxy/server.ts";
import { readServeSettings } from "../../proxy/settings.ts";
import { createOptOuts, OPT_OUTS_MODES, openOptOutBook } from "../../snapshots/optouts/opt-out-book.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { FIXTURE_ENTITY_ID, publishFixture } from "../support/published-set.ts";

/**
 * The same question as `optout-timing.ts`, as a caller can ask it: whole requests to a whole server over one kept
 * socket of this machine, which is nearer than any caller will ever be. Reports Welch's t over all pairs.
 */
const PAIRS = Number(process.argv[2] ?? 100_000);
const UNKNOWN_ID = "ent_0000000000000000000lanterm";
const PEPPER = "a pepper for a bench, of 32 characters or more";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "govdata-optout-"));
const [home, snapshots, optouts] = [join(folder, "proxy"), join(folder, "published"), join(folder, "o.db")];
await publishFixture(snapshots);
createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
const book = openOptOutBook(optouts);
book.add(FIXTURE_ENTITY_ID, 1);
book.close();
const server = await startServer({ home, snapshots, optouts }, readServeSettings({ port: "0" }, {}), {
  nowMs: () => Date.now(),
  randomBytes,
  logStream: { write: () => {} },
  pepper: PEPPER,
  versions: {
    readPointer: () => readPointer(snapshots),
    open: (sequenceMin) => openSnapshot(snapshots, { sequenceMin }),
  },
  repeat: () => () => {},
});
const store = openKeyStore(join(home, "keys.db"), 1000);
const { key } = createKey(
  { store, pepper: PEPPER, nowMs: Date.now(), randomBytes },
  {
    account: "bench",
    terms: { tier: "enterprise", dailyLimit: 1_000_000_000 },
    environment: "live",
    expiresAtMs: null,
  },
);
store.close();

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
function ask(entityId: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedNs = process.hrtime.bigint();
    const options = { agent, headers: { "x-api-key": key } };
    get(`${server.address}/v1/entities/${entityId}`, options, (answer) => {
      if (answer.statusCode !== 404) reject(new Error(`answered ${answer.statusCode}`));
      answer.resume().once("end", () => resolve(Number(process.hrtime.bigint() - startedNs)));
    }).once("error", reject);
  });
}

function momentsOf(sample: readonly number[]) {
  const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length;
  const variance = sample.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (sample.length - 1);
  return { mean, error: variance / sample.length };
}

const [optedOut, unknown]: [number[], number[]] = [[], []];
for (let pair = -2_000; pair < PAIRS; pair += 1) {
  const isFirst = Math.random() < 0.5;
  const early = await ask(isFirst ? FIXTURE_ENTITY_ID : UNKNOWN_ID);
  const late = await ask(isFirst ? UNKNOWN_ID : FIXTURE_ENTITY_ID);
  if (pair < 0) continue;
  optedOut.push(isFirst ? early : late);
  unknown.push(isFirst ? late : early);
}
/** Once over everything, and once without the slowest tenth of both together: other programs and collections. */
for (const keptShare of [1, 0.9]) {
  const all = [...optedOut, ...unknown].sort((a, b) => a - b);
  const limit = all[Math.ceil(keptShare * all.length) - 1] ?? 0;
  const [a, b] = [optedOut, unknown].map((sample) => momentsOf(sample.filter((each) => each <= limit)));
  if (a === undefined || b === undefined) throw new Error("there are two samples");
  const t = (a.mean - b.mean) / Math.sqrt(a.error + b.error);
  const figures = `opted out ${(a.mean / 1000).toFixed(2)} µs  unknown ${(b.mean / 1000).toFixed(2)} µs  t ${t.toFixed(2)}`;
  process.stdout.write(`${PAIRS} pairs of requests, fastest ${100 * keptShare} %  ${figures}\n`);
}
agent.destroy();
await server.stop();
rmSync(folder, { recursive: true, force: true });
