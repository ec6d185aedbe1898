import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

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
  readonly pid: number;
  readonly address: string;
  readonly keys: readonly string[];
  readonly stop: () => void;
}

const SERVER = fileURLToPath(new URL("./server-process.ts", import.meta.url));
const CLOCK_TICKS_PER_SECOND = 100;

/** Starts one of our own comparisons; see `server-process.ts`. */
export async function startContestant(kind: string, folder: string, keyCount: number): Promise<Contestant> {
  const child = spawn(process.execPath, ["--import", "tsx", SERVER, kind, folder, String(keyCount)], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address, keys } = JSON.parse(String(line));
  const name = keyCount > 1 ? `${kind}, ${keyCount} keys` : kind;
  return { name, pid: child.pid ?? 0, address, keys, stop: () => void child.kill("SIGKILL") };
}

/** Processor time a process has used, in seconds. Linux only: it reads /proc. */
function cpuSeconds(pid: number): number {
  const after = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(after[11]) + Number(after[12])) / CLOCK_TICKS_PER_SECOND;
}

const MILLIS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 };

function millis(text: string, percent: number): number {
  const [, amount, unit = ""] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
  return Number(amount) * (MILLIS_PER_UNIT[unit] ?? Number.NaN);
}

/** Loads one server for some seconds with wrk, every connection with the keys in turn. */
export function loadOnce(
  { pid, address, keys }: Contestant,
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
  const before = cpuSeconds(pid);
  const text = execFileSync(
    "wrk",
    ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, `${address}${target}`],
    { encoding: "utf8" },
  );
  const used = cpuSeconds(pid) - before;
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    cpuMicros: (used / requests) * 1e6,
    p50Ms: millis(text, 50),
    p99Ms: millis(text, 99),
    errors: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}
