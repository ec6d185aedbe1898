import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QuotaRequest } from "../../../proxy/quota/daily-quota.ts";
import { openEpochMemory } from "../../../proxy/quota/redis/quota-guard.ts";
import { QUOTA_SCRIPTS } from "../../../proxy/quota/redis/quota-scripts.ts";
import { openRedisQuota } from "../../../proxy/quota/redis/redis-quota.ts";
import { openRedisLink } from "../../../proxy/redis/redis-link.ts";
import { startRedisServer } from "../../support/redis-server.ts";
import { cpuSecondsOf } from "../proxy/load.ts";

// What one Redis carries as a counter: bytes of memory and disk for each account and day, how long it takes to come back
// with all of them, and turns a second by how many accounts wait in one and how many proxies send them.
// `tsx test/bench/fleet/redis-capacity.ts [ACCOUNTS] [SECONDS]`.
const ACCOUNTS = Number(process.argv[2] ?? 1_000_000);
const SECONDS = Number(process.argv[3] ?? 3);
const FILL = 500;
const LIMIT = 100_000;

const folder = mkdtempSync(join(tmpdir(), "govdata-redis-bench-"));
const redis = await startRedisServer({ dir: folder });

async function told(section: string, name: string): Promise<number> {
  const text = String(await redis.ask("INFO", section));
  return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)?.[1]);
}

async function openLedger(index: number) {
  const home = join(folder, `home-${index}`);
  mkdirSync(home, { recursive: true });
  const link = await openRedisLink(redis.url, { scripts: QUOTA_SCRIPTS, callTimeoutMs: 10_000 });
  const { quota } = await openRedisQuota({
    link,
    memory: openEpochMemory(home),
    tickMs: () => performance.now(),
    randomBytes,
    onWarning: () => {},
    onError: () => {},
  });
  /** One turn: all that is asked for together is settled together. */
  const settle = (asked: readonly QuotaRequest[]) => Promise.all(asked.map(quota.charge));
  return { settle, close: link.close };
}

const today = () => new Date().toISOString().slice(0, 10);
const requestsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    account: `bench-${(from + index) % ACCOUNTS}`,
    day: today(),
    limit: LIMIT,
  }));

try {
  const filler = await openLedger(0);
  const before = await told("memory", "used_memory");
  for (let from = 0; from < ACCOUNTS; from += FILL) await filler.settle(requestsOf(from, FILL));
  const held = (await told("memory", "used_memory")) - before;
  await redis.ask("BGREWRITEAOF");
  while (
    (await told("persistence", "aof_rewrite_in_progress")) +
      (await told("persistence", "aof_rewrite_scheduled")) >
    0
  ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const onDisk = await told("persistence", "aof_current_size");
  filler.close();
  await redis.kill();
  const startedMs = performance.now();
  await redis.restart();
  const backMs = performance.now() - startedMs;
  process.stdout.write(
    `${ACCOUNTS} accounts and days: ${(held / ACCOUNTS).toFixed(0)} bytes of memory and ${(onDisk / ACCOUNTS).toFixed(0)} of disk each; ` +
      `back after kill -9 in ${(backMs / 1000).toFixed(1)} s (free on this disk: ${((statfsSync(folder).bavail * statfsSync(folder).bsize) / 1e9).toFixed(0)} GB)\n\n`,
  );
  process.stdout.write(
    "| proxies | accounts in a turn | turns/s | accounts/s | Redis µs an account | ms a turn |\n|---|---|---|---|---|---|\n",
  );
  const pid = await told("server", "process_id");
  for (const proxies of [1, 2, 4]) {
    const ledgers = await Promise.all(Array.from({ length: proxies }, (_, index) => openLedger(index)));
    for (const width of [1, 16, 64, 256]) {
      const cpuBefore = cpuSecondsOf(pid);
      const endMs = performance.now() + SECONDS * 1000;
      const turnsOf = await Promise.all(
        ledgers.map(async ({ settle }, index) => {
          let turns = 0;
          for (let from = (index * ACCOUNTS) / proxies; performance.now() < endMs; from += width) {
            await settle(requestsOf(from, width));
            turns += 1;
          }
          return turns;
        }),
      );
      const turns = turnsOf.reduce((sum, each) => sum + each, 0);
      const micros = ((cpuSecondsOf(pid) - cpuBefore) / (turns * width)) * 1e6;
      process.stdout.write(
        `| ${proxies} | ${width} | ${(turns / SECONDS).toFixed(0)} | ${((turns * width) / SECONDS).toFixed(0)} | ${micros.toFixed(1)} | ${((SECONDS * 1000 * proxies) / turns).toFixed(2)} |\n`,
      );
    }
    for (const { close } of ledgers) close();
  }
} finally {
  await redis.remove();
  rmSync(folder, { recursive: true, force: true });
}
