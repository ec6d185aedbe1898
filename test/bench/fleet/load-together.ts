import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { cpuSecondsOf, millis } from "../proxy/load.ts";

/** A program whose processor time is looked at beside the load. */
export interface Watched {
  readonly pid: number;
}

/** One stretch of load on several proxies at once. */
export interface FleetStretch {
  readonly requestsPerSecond: number;
  /** Processor time of the proxies for each request. */
  readonly proxyMicros: number;
  /** Processor time of the store's own program for each request; 0 where there is none. */
  readonly storeMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** What is loaded. */
export interface FleetLoad {
  readonly addresses: readonly string[];
  readonly proxies: readonly Watched[];
  readonly store: Watched | undefined;
  readonly keys: readonly string[];
  readonly target: string;
  /** In all, shared out among the proxies. */
  readonly connections: number;
  readonly seconds: number;
  readonly folder: string;
}

/** Loads every proxy of a fleet at the same time, each with a wrk of its own. */
export async function loadTogether(load: FleetLoad): Promise<FleetStretch> {
  const { addresses, proxies, store, keys, target, connections, seconds, folder } = load;
  const script = join(folder, "fleet-keys.lua");
  // Each program begins at another key, so that no two of them ask for the same accounts in the same turn.
  writeFileSync(
    script,
    `local keys = { ${keys.map((key) => `"${key}"`).join(", ")} }
local at = 0
init = function(args) at = tonumber(args[1]) end
request = function()
  at = at % #keys + 1
  return wrk.format("GET", nil, { ["x-api-key"] = keys[at] })
end\n`,
  );
  const used = () => ({
    proxies: proxies.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0),
    store: store === undefined ? 0 : cpuSecondsOf(store.pid),
  });
  const before = used();
  const outputs = await Promise.all(
    addresses.map(async (address, index) => {
      const share = String(Math.max(1, Math.floor(connections / addresses.length)));
      const first = String(Math.floor((index * keys.length) / addresses.length));
      const child = spawn(
        "wrk",
        ["-t1", `-c${share}`, `-d${seconds}s`, "--latency", "-s", script, `${address}${target}`, "--", first],
        { stdio: ["ignore", "pipe", "ignore"] },
      );
      const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
      return output;
    }),
  );
  const after = used();
  const numbersOf = (pattern: RegExp) => outputs.map((output) => Number(pattern.exec(output)?.[1] ?? 0));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const requests = sum(numbersOf(/(\d+) requests in/));
  return {
    requestsPerSecond: sum(numbersOf(/Requests\/sec:\s+([\d.]+)/)),
    proxyMicros: ((after.proxies - before.proxies) / requests) * 1e6,
    storeMicros: ((after.store - before.store) / requests) * 1e6,
    p50Ms: Math.max(...outputs.map((output) => millis(output, 50))),
    p99Ms: Math.max(...outputs.map((output) => millis(output, 99))),
    errors: sum(numbersOf(/Non-2xx or 3xx responses: (\d+)/)),
  };
}
