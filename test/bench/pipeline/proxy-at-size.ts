import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { dateOf, spaceIdOf, writeDelegateDays, writeNext } from "../proxy/delegate-days-version.ts";
import type { LoadStretch } from "../proxy/steady-load.ts";

// The compiled proxy (`npm run build` first) on a version of 1,000 DAOs with a year of dated listings: time to the
// first answer, memory, and the longest pause while the next version is loaded. `tsx test/bench/pipeline/proxy-at-size.ts
// [DAOS] [DAYS] [RELOADS]`; GOVDATA_BENCH_DIST names another folder of compiled programs, GOVDATA_BENCH_PUBLISHED a
// snapshot root to start on instead, of which only ready time and memory are told.
const [daos = 1000, days = 365, reloads = 10] = process.argv.slice(2).map(Number);
const DIST = process.env["GOVDATA_BENCH_DIST"] ?? fileURLToPath(new URL("../../../dist", import.meta.url));
const MAIN = join(DIST, "proxy/main.js");
const GOALS = { readyMs: 2_000, rssMegabytes: 300, pauseMs: 50 };
const STARTS = 5;
const CONNECTIONS = 20;
const PAUSE_MS = 10;
const REQUESTS = 100_000;
const MEGABYTE = 1024;
const CLOCK_TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), "govdata-proxy-at-size-"));
const given = process.env["GOVDATA_BENCH_PUBLISHED"];
const published = given ?? join(folder, "published");
const env = {
  ...process.env,
  GOVDATA_PROXY_HOME: join(folder, "home"),
  GOVDATA_SNAPSHOTS: published,
  GOVDATA_LOG_LEVEL: "error",
};
const say = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Resident memory now and at its highest, in megabytes, and processor time, of a process. Linux only. */
function usageOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / MEGABYTE;
  const cpuSeconds = (Number(stat[11]) + Number(stat[12])) / CLOCK_TICKS_PER_SECOND;
  return { rss: megabytes("VmRSS"), peak: megabytes("VmHWM"), cpuSeconds };
}

async function startProxy(key: string) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve", "--port", "0", "--admin-port", "0"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () =>
    String((await lines.next()).value)
      .split(" ")
      .at(-1) ?? "";
  const [address, admin] = [await next(), await next()];
  const answer = await fetch(`${address}/v1/daos`, { headers: { "x-api-key": key } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the proxy answers ${answer.status}`);
  const readyMs = performance.now() - startedMs;
  return {
    address,
    readyMs,
    usage: () => usageOf(child.pid ?? 0),
    /** The longest the event loop was held up since it was asked the last time. */
    loopDelayMs: async () => {
      const text = await (await fetch(`${admin}/metrics`)).text();
      return 1_000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]);
    },
    stop: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function startLoad(address: string, key: string, targets: readonly string[], pauseMs: number) {
  const file = fileURLToPath(new URL("../proxy/steady-load.ts", import.meta.url));
  const args = [address, key, CONNECTIONS, pauseMs].map(String);
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const target of targets) child.stdin.write(`${target}\n`);
  child.stdin.write("\n");
  return {
    stretch: async (): Promise<LoadStretch> => {
      child.stdin.write("now\n");
      return JSON.parse(String((await lines.next()).value));
    },
    stop: () => void child.stdin.end(),
  };
}

/** One of each kind of small document for some DAOs, and a dated listing among twenty requests. */
function smallTargets(): readonly string[] {
  return Array.from({ length: 2_000 }, (_, index) => {
    const path = `/v1/daos/${spaceIdOf((index * 7) % daos)}`;
    if (index % 20 === 0) return `${path}/delegates?date=${dateOf((index * 3) % days)}`;
    return [path, `${path}/risk`, `${path}/delegates`, "/v1/dgi"][index % 4] ?? path;
  });
}

const row = (what: string, value: string, goal = "") => say(`| ${what} | ${value} | ${goal} |`);
const verdict = (value: number, goal: number) => `< ${goal}: ${value < goal ? "met" : "NOT MET"}`;

async function measureStarts(key: string) {
  const starts: { readyMs: number; rss: number; peak: number; cpuSeconds: number }[] = [];
  for (let turn = 0; turn < STARTS; turn += 1) {
    const proxy = await startProxy(key);
    starts.push({ readyMs: proxy.readyMs, ...proxy.usage() });
    await proxy.stop();
  }
  const of = (name: keyof (typeof starts)[number]) => median(starts.map((each) => each[name]));
  const readyMs = of("readyMs");
  const all = starts.map((each) => each.readyMs.toFixed(0)).join(", ");
  row("ready (first 200), ms", `${readyMs.toFixed(0)} of ${all}`, verdict(readyMs, GOALS.readyMs));
  row("processor time until ready, s", of("cpuSeconds").toFixed(2));
  row("memory when ready, MB", of("rss").toFixed(0), verdict(of("rss"), GOALS.rssMegabytes));
  row("highest memory until ready, MB", of("peak").toFixed(0), verdict(of("peak"), GOALS.rssMegabytes));
}

function stretchRow(what: string, load: LoadStretch, loopMs: number, goal = ""): void {
  const { requests, failures, p50Ms, p99Ms, maxMs } = load;
  const times = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(" / ");
  row(
    what,
    `${requests} requests, ${failures} failed; p50 / p99 / max ${times} ms; event loop ${loopMs.toFixed(0)} ms`,
    goal,
  );
}

async function measureLoad(key: string): Promise<void> {
  const proxy = await startProxy(key);
  const targets = smallTargets();
  const busy = startLoad(proxy.address, key, targets, 0);
  for (let done = 0; done < REQUESTS; done += (await busy.stretch()).requests) await wait(200);
  busy.stop();
  const { rss } = proxy.usage();
  row(`memory after ${REQUESTS} requests, MB`, rss.toFixed(0), verdict(rss, GOALS.rssMegabytes));
  const load = startLoad(proxy.address, key, targets, PAUSE_MS);
  await wait(2_000);
  const mark = async () => [await load.stretch(), await proxy.loopDelayMs()] as const;
  await mark();
  await wait(10_000);
  stretchRow("ten quiet seconds", ...(await mark()));
  const after: number[] = [];
  for (let turn = 1; turn <= reloads; turn += 1) {
    const next = await writeNext(published);
    const whileWritten = await mark();
    await next.point();
    let stretch = await mark();
    const whileLoaded = [stretch];
    while (stretch[0].version !== next.version) {
      await wait(250);
      stretch = await mark();
      whileLoaded.push(stretch);
    }
    await wait(1_000);
    whileLoaded.push(await mark());
    after.push(proxy.usage().rss);
    const worst = Math.max(...whileLoaded.map(([{ maxMs }]) => maxMs));
    const loop = Math.max(...whileLoaded.map(([, ms]) => ms));
    const failed = whileLoaded.reduce((sum, [{ failures }]) => sum + failures, 0);
    stretchRow(`while version ${turn + 1} is written`, ...whileWritten);
    row(
      `while it is loaded`,
      `longest answer ${worst.toFixed(1)} ms, event loop ${loop.toFixed(0)} ms, ${failed} failed`,
      verdict(worst, GOALS.pauseMs),
    );
  }
  const { peak } = proxy.usage();
  const last = after.at(-1) ?? Number.NaN;
  row(
    "memory after each reload, MB",
    after.map((each) => each.toFixed(0)).join(", "),
    verdict(last, GOALS.rssMegabytes),
  );
  row("highest memory, MB", peak.toFixed(0), verdict(peak, GOALS.rssMegabytes));
  load.stop();
  await proxy.stop();
}

try {
  if (given === undefined) {
    mkdirSync(published);
    const dates = Array.from({ length: days }, (_, back) => dateOf(back));
    await (await writeDelegateDays(published, daos, dates)).point();
    if (daos * days <= 20_000)
      say(`verify finds ${(await verifySnapshot(published)).problems.length} problems`);
  }
  const account = ["--account", "bench", "--tier", "enterprise", "--daily-limit", "999999999"];
  const key = execFileSync(process.execPath, [MAIN, "key", "create", ...account], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  say("| what | measured | goal |\n|---|---|---|");
  await measureStarts(key);
  if (given === undefined) await measureLoad(key);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
