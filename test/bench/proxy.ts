import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contestant, loadOnce, type Stretch, startContestant, startNginx } from "./proxy/load.ts";
import { type BodySize, publishSized, SIZED_TARGETS } from "./proxy/sized-version.ts";

// Requests per second, processor time and latency of the proxy against others on this machine, interleaved: every
// round loads each server once, so that what disturbs one disturbs all. `tsx test/bench/proxy.ts [ROUNDS] [SECONDS]`.
const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 3);
const CONNECTIONS = 64;
const KEYS = 1_000;
const NGINX_PORT = 18_787;
const REDIS_PORT = 16_379;
const RIVALS = process.env["GOVDATA_BENCH_RIVALS"] ?? "rivals";

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const spread = (values: readonly number[]) =>
  `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`;

const folder = mkdtempSync(join(tmpdir(), "govdata-proxy-bench-"));
const contestants: Contestant[] = [];
const missing: string[] = [];

async function enter(
  name: string,
  starting: Promise<Contestant | undefined>,
): Promise<Contestant | undefined> {
  const contestant = await starting;
  if (contestant === undefined) missing.push(name);
  else contestants.push(contestant);
  return contestant;
}

/** Redis for the rival that counts in it, on a port of its own, as the rival is meant to be used: without a flush each time. */
const redis = spawn("redis-server", ["--port", String(REDIS_PORT), "--save", "", "--appendonly", "no"], {
  stdio: "ignore",
});
redis.once("error", () => missing.push("redis-server"));

try {
  const published = join(folder, "published");
  await publishSized(published);
  const own = (kind: string, keys = 1) =>
    startContestant(keys > 1 ? `${kind}, ${keys} keys` : kind, [
      "server-process",
      kind,
      folder,
      String(keys),
    ]);
  const bare = await enter("bare", own("bare"));
  if (bare === undefined) throw new Error("there is nothing to compare with");
  for (const kind of ["fastify", "ours"]) await enter(kind, own(kind));
  await enter("ours, 1000 keys", own("ours", KEYS));
  await enter("nginx, a file", startNginx(folder, NGINX_PORT));
  for (const rival of ["@fastify/rate-limit on Redis", "http-proxy", "express-gateway"]) {
    const args = [rival, folder, RIVALS, bare.address, String(REDIS_PORT)];
    await enter(rival, startContestant(rival, ["rivals-process", ...args]));
  }
  if (missing.length > 0) {
    process.stdout.write(
      `not here: ${missing.join(", ")} (packages of rivals are looked for in the folder GOVDATA_BENCH_RIVALS)\n\n`,
    );
  }
  process.stdout.write(
    `${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections; ratio: of the bare server's requests in the same round\n\n`,
  );
  process.stdout.write(
    "| body | server | requests/s | ratio (median, range) | CPU µs | p50 ms | p99 ms | errors |\n",
  );
  process.stdout.write("|---|---|---|---|---|---|---|---|\n");
  for (const size of Object.keys(SIZED_TARGETS) as BodySize[]) compare(size, contestants, bare);
} finally {
  redis.kill("SIGKILL");
  for (const each of contestants) each.stop();
  rmSync(folder, { recursive: true, force: true });
}

function compare(size: BodySize, all: readonly Contestant[], bare: Contestant): void {
  const { target } = SIZED_TARGETS[size];
  const load = { target, connections: CONNECTIONS, folder };
  const stretches = new Map<Contestant, Stretch[]>(all.map((each) => [each, []]));
  for (const each of all) loadOnce(each, { ...load, seconds: 1 });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const each of all) stretches.get(each)?.push(loadOnce(each, { ...load, seconds: SECONDS }));
  }
  const ofBare = stretches.get(bare) ?? [];
  for (const each of all) {
    const own = stretches.get(each) ?? [];
    const ratios = own.map(
      (stretch, round) => stretch.requestsPerSecond / (ofBare[round]?.requestsPerSecond ?? Number.NaN),
    );
    const of = (key: keyof Stretch) => median(own.map((stretch) => stretch[key]));
    process.stdout.write(
      `| ${size} | ${each.name} | ${of("requestsPerSecond").toFixed(0)} | ${median(ratios).toFixed(2)} (${spread(ratios)}) | ` +
        `${of("cpuMicros").toFixed(1)} | ${of("p50Ms").toFixed(2)} | ${of("p99Ms").toFixed(2)} | ${own.reduce((sum, { errors }) => sum + errors, 0)} |\n`,
    );
  }
}
