import { once } from "node:events";
import { Agent, get } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

// A steady load in a process of its own: `steady-load.ts ADDRESS KEY CONNECTIONS PAUSE_MS`, a target in each line of
// stdin until the first empty one. From then on each further line closes a stretch and has it told in a line of JSON.
const [address = "", key = "", connections = "20", pauseMs = "10"] = process.argv.slice(2);

/** What happened since the stretch before. */
export interface LoadStretch {
  readonly requests: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The version that the last answer came from. */
  readonly version: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const targets: string[] = [];
for (let line = await lines.next(); line.value !== ""; line = await lines.next()) targets.push(line.value);

let [latencies, failures, version, asked] = [[] as number[], 0, "", 0];

async function ask(target: string): Promise<void> {
  const startedMs = performance.now();
  const request = get(`${address}${target}`, { agent, headers: { "x-api-key": key } });
  const [answer] = await once(request, "response");
  answer.resume();
  await once(answer, "end");
  latencies.push(performance.now() - startedMs);
  version = answer.headers["x-snapshot-version"] ?? version;
  if (answer.statusCode !== 200) failures += 1;
}

async function connection(): Promise<never> {
  for (;;) {
    asked += 1;
    await ask(targets[asked % targets.length] ?? "/").catch(() => {
      failures += 1;
    });
    await wait(Number(pauseMs));
  }
}

function stretch(): LoadStretch {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const found = { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  const told = { requests: sorted.length, failures, ...found, version };
  [latencies, failures] = [[], 0];
  return told;
}

for (let index = 0; index < Number(connections); index += 1) void connection();
for await (const _line of { [Symbol.asyncIterator]: () => lines }) {
  process.stdout.write(`${JSON.stringify(stretch())}\n`);
}
process.exit();
