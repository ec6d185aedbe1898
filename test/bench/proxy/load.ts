import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SIZED_TARGETS } from "./sized-version.ts";

/** One stretch of load on one server. */
export interface Stretch {
  readonly requestsPerSecond: number;
  /** Processor time of the server for each request. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** A server that is compared with others. */
export interface Contestant {
  readonly name: string;
  /** Whose processor time is its own. */
  readonly pids: () => readonly number[];
  readonly address: string;
  readonly keys: readonly string[];
  readonly stop: () => void;
}

const CLOCK_TICKS_PER_SECOND = 100;

/** Starts one of the programs of this folder, which says in one line where it listens; undefined where it does not start. */
export async function startContestant(
  name: string,
  [program, ...args]: readonly [program: "server-process" | "rivals-process", ...args: string[]],
): Promise<Contestant | undefined> {
  const file = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), once(child, "exit").then(() => undefined)]);
  // A rival that complains instead of saying where it listens does not run here.
  if (!String(line).startsWith('{"address"')) {
    child.kill("SIGKILL");
    return undefined;
  }
  const { address, keys } = JSON.parse(String(line));
  return { name, pids: () => [child.pid ?? 0], address, keys, stop: () => void child.kill("SIGKILL") };
}

/** nginx with one worker, serving a file of the same bytes for each target. */
export async function startNginx(folder: string, port: number): Promise<Contestant | undefined> {
  const home = join(folder, "nginx");
  mkdirSync(home, { recursive: true });
  // A query is no part of a file's name, so the three targets lead to three files.
  for (const { id, bytes } of Object.values(SIZED_TARGETS)) writeFileSync(join(home, id), "x".repeat(bytes));
  writeFileSync(
    join(home, "nginx.conf"),
    `daemon off; master_process off; worker_processes 1; pid ${home}/pid; error_log /dev/null;
events { worker_connections 512; }
http { access_log off; keepalive_requests 100000000; default_type application/json;
client_body_temp_path ${home}/a; proxy_temp_path ${home}/b; fastcgi_temp_path ${home}/c; uwsgi_temp_path ${home}/d; scgi_temp_path ${home}/e;
open_file_cache max=10; sendfile on; tcp_nopush on; map $arg_category $file { "" all; default $arg_category; }
server { listen 127.0.0.1:${port}; root ${home}; location /v1/daos { rewrite ^ /$file break; } } }
`,
  );
  const child = spawn("nginx", ["-c", join(home, "nginx.conf"), "-p", home], { stdio: "ignore" });
  const isGone = once(child, "error").then(() => true);
  const address = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const wait = new Promise((resolve) => setTimeout(resolve, 50));
    if ((await Promise.race([isGone, wait])) === true) return undefined;
    const answer = await fetch(`${address}/v1/daos`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) break;
  }
  return {
    name: "nginx, a file",
    pids: () => [child.pid ?? 0],
    address,
    keys: ["none"],
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Processor time a process has used, in seconds. Linux only: it reads /proc. */
export function cpuSecondsOf(pid: number): number {
  const after = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(after[11]) + Number(after[12])) / CLOCK_TICKS_PER_SECOND;
}

const cpuSeconds = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);

const MILLIS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 };

export function millis(text: string, percent: number): number {
  const [, amount, unit = ""] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
  return Number(amount) * (MILLIS_PER_UNIT[unit] ?? Number.NaN);
}

/** Loads one server for some seconds with wrk, every connection with the keys in turn. */
export function loadOnce(
  { pids, address, keys }: Contestant,
  {
    target,
    connections,
    seconds,
    folder,
  }: { target: string; connections: number; seconds: number; folder: string },
): Stretch {
  const script = join(folder, "keys.lua");
  writeFileSync(
    script,
    `local keys = { ${keys.map((key) => `"${key}"`).join(", ")} }
local at = 0
request = function()
  at = at % #keys + 1
  return wrk.format("GET", nil, { ["x-api-key"] = keys[at] })
end\n`,
  );
  const before = cpuSeconds(pids());
  const text = execFileSync(
    "wrk",
    ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, `${address}${target}`],
    { encoding: "utf8" },
  );
  const used = cpuSeconds(pids()) - before;
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    cpuMicros: (used / requests) * 1e6,
    p50Ms: millis(text, 50),
    p99Ms: millis(text, 99),
    errors: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}
