import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createKey } from "../../proxy/keys/key-ring.ts";
import { openKeyStore } from "../../proxy/keys/key-store.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../snapshots/optouts/opt-out-book.ts";
import { startRedisServer } from "../support/redis-server.ts";
import { type FleetStretch, loadTogether } from "./fleet/load-together.ts";
import { publishSized, SIZED_TARGETS } from "./proxy/sized-version.ts";

// One, two and four proxies on one quota.db against the same on one Redis: requests, processor time of the proxies and
// of Redis for each request, turns a request. Rounds are interleaved. The compiled program runs: `npm run build`, then
// `tsx test/bench/fleet.ts [ROUNDS] [SECONDS] [KEYS]`.
const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 4);
const KEYS = Number(process.argv[4] ?? 1_000);
const CONNECTIONS = 64;
const SIZES = [1, 2, 4];
const PROGRAM = join(import.meta.dirname, "../../dist/proxy/main.js");
const PEPPER = "a pepper for a bench, of 32 characters or more";

const folder = mkdtempSync(join(tmpdir(), "govdata-fleet-bench-"));
const snapshots = join(folder, "published");
const optouts = join(folder, "optouts.db");
const running: ChildProcess[] = [];

interface Fleet {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly pids: readonly number[];
  readonly stop: () => void;
}

function makeKeys(home: string): readonly string[] {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const store = openKeyStore(join(home, "keys.db"), 1_000);
  const ring = { store, pepper: PEPPER, nowMs: Date.now(), randomBytes };
  const terms = { tier: "enterprise", dailyLimit: 999_999_999 } as const;
  const keys = Array.from(
    { length: KEYS },
    (_, index) =>
      createKey(ring, { account: `bench-${index}`, terms, environment: "live", expiresAtMs: null }).key,
  );
  store.close();
  return keys;
}

async function startProxy(
  home: string,
  quota: string | undefined,
): Promise<{ address: string; pid: number }> {
  const child = spawn(
    process.execPath,
    [PROGRAM, "--home", home, "--snapshots", snapshots, "--optouts", optouts, "serve", "--port", "0"],
    {
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        PATH: process.env["PATH"],
        GOVDATA_PEPPER: PEPPER,
        ...(quota === undefined ? {} : { GOVDATA_QUOTA: quota }),
      },
    },
  );
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { address: String(line).replace("listening on ", ""), pid: child.pid ?? 0 };
}

async function startFleet(name: string, homes: readonly string[], quota?: string): Promise<Fleet> {
  const proxies = await Promise.all(homes.map((home) => startProxy(home, quota)));
  const started = running.slice(-homes.length);
  return {
    name,
    addresses: proxies.map(({ address }) => address),
    pids: proxies.map(({ pid }) => pid),
    stop: () => started.forEach((child) => void child.kill("SIGKILL")),
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const onDisk = join(folder, "redis");
mkdirSync(onDisk);
// On the disk that quota.db lies on: a flush must cost both the same.
const redis = await startRedisServer({ dir: onDisk });
const redisPid = Number(/process_id:(\d+)/.exec(String(await redis.ask("INFO", "server")))?.[1]);

/** How many turns Redis was sent: each asks for the epoch once, and no script of the counter does so. */
async function turns(): Promise<number> {
  const told = String(await redis.ask("INFO", "commandstats"));
  return Number(/cmdstat_hget:calls=(\d+)/.exec(told)?.[1] ?? 0);
}

try {
  await publishSized(snapshots);
  createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const fileHome = join(folder, "file");
  const fileKeys = makeKeys(fileHome);
  const moved = join(folder, "moved");
  const redisKeys = makeKeys(moved);
  execFileSync(process.execPath, [PROGRAM, "--home", moved, "move"], {
    env: { PATH: process.env["PATH"], GOVDATA_PEPPER: PEPPER, GOVDATA_QUOTA: redis.url },
    stdio: "ignore",
  });
  const { target } = SIZED_TARGETS["2 KB"];
  process.stdout.write(
    `${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections in all, ${KEYS} accounts; the load runs on the same machine\n\n` +
      "| store | proxies | requests/s | against one on the file | proxy µs | Redis µs | p50 ms | p99 ms | turns a request | errors |\n" +
      "|---|---|---|---|---|---|---|---|---|---|\n",
  );
  const found = new Map<string, { stretch: FleetStretch; turnsPerRequest: number }[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const size of SIZES) {
      for (const store of ["quota.db", "Redis"]) {
        const homes = Array.from({ length: size }, (_, index) =>
          store === "Redis" ? join(folder, `redis-${index}`) : fileHome,
        );
        const fleet = await startFleet(store, homes, store === "Redis" ? redis.url : undefined);
        const load = {
          addresses: fleet.addresses,
          proxies: fleet.pids.map((pid) => ({ pid })),
          store: store === "Redis" ? { pid: redisPid } : undefined,
          keys: store === "Redis" ? redisKeys : fileKeys,
          target,
          connections: CONNECTIONS,
          folder,
        };
        await loadTogether({ ...load, seconds: 1 });
        const turnsBefore = await turns();
        const stretch = await loadTogether({ ...load, seconds: SECONDS });
        const sent = (await turns()) - turnsBefore;
        fleet.stop();
        const name = `${store} ${size}`;
        const all = found.get(name) ?? [];
        all.push({ stretch, turnsPerRequest: sent / (stretch.requestsPerSecond * SECONDS) });
        found.set(name, all);
      }
    }
  }
  const first = found.get("quota.db 1") ?? [];
  for (const [name, rounds] of found) {
    const [store, size] = name.split(" ");
    const of = (key: keyof FleetStretch) => median(rounds.map(({ stretch }) => stretch[key]));
    const ratio = median(
      rounds.map(
        ({ stretch }, round) =>
          stretch.requestsPerSecond / (first[round]?.stretch.requestsPerSecond ?? Number.NaN),
      ),
    );
    process.stdout.write(
      `| ${store} | ${size} | ${of("requestsPerSecond").toFixed(0)} | ${ratio.toFixed(2)} | ${of("proxyMicros").toFixed(1)} | ` +
        `${of("storeMicros").toFixed(1)} | ${of("p50Ms").toFixed(2)} | ${of("p99Ms").toFixed(2)} | ` +
        `${median(rounds.map(({ turnsPerRequest }) => turnsPerRequest)).toFixed(3)} | ` +
        `${rounds.reduce((sum, { stretch }) => sum + stretch.errors, 0)} |\n`,
    );
  }
} finally {
  for (const child of running) child.kill("SIGKILL");
  await redis.remove();
  rmSync(folder, { recursive: true, force: true });
}
