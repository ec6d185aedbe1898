import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createAccount } from "../../proxy/keys/account-book.ts";
import { createKey } from "../../proxy/keys/key-ring.ts";
import { openKeyStore } from "../../proxy/keys/key-store.ts";
import { publishSized } from "./proxy/sized-version.ts";

// What honest callers get beside a crowd (F26 to F29 of quality.md): `tsx test/bench/proxy-crowds.ts [SECONDS]`.
const SECONDS = Number(process.argv[2] ?? 6);
const HONEST = 8;
const PEPPER = "a pepper for a bench, of 32 characters or more";
const folder = mkdtempSync(join(tmpdir(), "govdata-proxy-crowds-"));
const children: ChildProcess[] = [];
const script = (name: string) => fileURLToPath(new URL(`./proxy/${name}.ts`, import.meta.url));
const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;

interface Proxy {
  readonly child: ChildProcess;
  readonly address: string;
  readonly port: string;
  readonly key: string;
  readonly spent: string;
  readonly lines: () => number;
}

async function startProxy(heapMb?: number): Promise<Proxy> {
  const home = mkdtempSync(join(folder, "run-"));
  const flags = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const child = spawn(
    process.execPath,
    [...flags, "--import", "tsx", script("server-process"), "ours", home, "1", folder],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  children.push(child);
  let lines = 0;
  child.stderr.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address, keys } = JSON.parse(String(line));
  const store = openKeyStore(join(home, "ours-1", "keys.db"), 1_000);
  createAccount(store, "spent", { tier: "enterprise", dailyLimit: 1 }, Date.now());
  const ring = { store, pepper: PEPPER, nowMs: Date.now(), randomBytes };
  const spent = createKey(ring, { account: "spent", terms: {}, environment: "live", expiresAtMs: null }).key;
  store.close();
  await wait(1_100);
  return { child, address, port: new URL(address).port, key: keys[0], spent, lines: () => lines };
}

function startCrowd(proxy: Proxy, count: number, key: string, kind: string): ChildProcess {
  const crowd = spawn(
    process.execPath,
    ["--import", "tsx", script("crowd-process"), proxy.port, String(count), key, kind],
    { stdio: "ignore" },
  );
  children.push(crowd);
  return crowd;
}

/** Asks with callers who connect now and go on for some seconds: how long each answer took, and what went wrong. */
async function honest(proxy: Proxy, target: string, key: string | undefined, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: HONEST });
  const endMs = performance.now() + seconds * 1_000;
  const tookMs: number[] = [];
  const wrong = new Map<string, number>();
  const note = (what: string) => wrong.set(what, (wrong.get(what) ?? 0) + 1);
  const caller = async () => {
    while (performance.now() < endMs) {
      const sinceMs = performance.now();
      try {
        const headers = key === undefined ? {} : { "x-api-key": key };
        const request = get(`${proxy.address}${target}`, { agent, headers, timeout: 10_000 });
        request.on("timeout", () => request.destroy(new Error("timeout")));
        const [answer] = await once(request, "response");
        answer.resume();
        await once(answer, "end");
        tookMs.push(performance.now() - sinceMs);
        if (answer.statusCode !== 200) note(String(answer.statusCode));
      } catch (error) {
        note((error as { code?: string }).code ?? String(error));
      }
      await wait(20);
    }
  };
  await Promise.all(Array.from({ length: HONEST }, caller));
  agent.destroy();
  tookMs.sort((a, b) => a - b);
  return { count: tookMs.length, p50: at(tookMs, 0.5), p99: at(tookMs, 0.99), max: at(tookMs, 1), wrong };
}

const peakMb = ({ child }: Proxy) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;

function print(name: string, seen: Awaited<ReturnType<typeof honest>>, more: string): void {
  const wrong = [...seen.wrong].map(([what, count]) => `${count} × ${what}`).join(", ") || "none";
  const [p50, p99, max] = [seen.p50, seen.p99, seen.max].map((ms) => ms.toFixed(0));
  process.stdout.write(`| ${name} | ${seen.count} | ${p50} | ${p99} | ${max} | ${wrong} | ${more} |\n`);
}

/** Callers of both kinds at full speed while the proxy is told to stop: how many connections were reset. */
async function stopUnderLoad(isKept: boolean): Promise<string> {
  const proxy = await startProxy();
  const ends = new Map<string, number>();
  const note = (what: string) => ends.set(what, (ends.get(what) ?? 0) + 1);
  let isOver = false;
  const lane = (): Promise<void> =>
    new Promise<void>((resolve) => {
      if (isOver) return resolve();
      const socket = connect({ host: "127.0.0.1", port: Number(proxy.port) });
      const ask = `GET /v1/daos HTTP/1.1\r\nHost: x\r\nx-api-key: ${proxy.key}\r\n${isKept ? "" : "Connection: close\r\n"}\r\n`;
      let text = "";
      let isAsked = false;
      socket.on("connect", () => {
        isAsked = true;
        socket.write(ask);
      });
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        const [head = "", ...rest] = text.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        if (rest.join("").length < length) return;
        note(head.slice(9, 12));
        text = "";
        isAsked = !/connection: close/i.test(head);
        if (isAsked) socket.write(ask);
      });
      socket.on("error", (error: NodeJS.ErrnoException) => {
        note(error.code ?? "error");
        if (error.code === "ECONNREFUSED") isOver = true;
      });
      socket.on("close", () => {
        if (isAsked) note("cut off");
        resolve();
      });
    }).then(() => (isOver ? undefined : lane()));
  const lanes = Array.from({ length: 100 }, lane);
  await wait(2_000);
  proxy.child.kill("SIGTERM");
  await Promise.race([Promise.all(lanes), wait(25_000)]);
  return [...ends].map(([what, count]) => `${count} × ${what}`).join(", ");
}

try {
  await publishSized(join(folder, "published"));
  process.stdout.write(
    "| beside | answers | p50 ms | p99 ms | max ms | wrong | more |\n|---|---|---|---|---|---|---|\n",
  );
  for (const [name, count, kind, of] of [
    ["nobody", 0, "busy", "none"],
    ["800 without a key", 800, "busy", "none"],
    ["1,500 without a key", 1_500, "busy", "none"],
    ["3,000 without a key", 3_000, "busy", "none"],
    ["3,000 with a spent key", 3_000, "busy", "spent"],
    ["100 that pipeline and do not read", 100, "pipelined", "none"],
  ] as const) {
    const proxy = await startProxy(kind === "pipelined" ? 512 : undefined);
    const crowd = startCrowd(proxy, count, of === "spent" ? proxy.spent : of, kind);
    // A flood is over soon: callers are there when it comes.
    if (kind === "busy") await wait(2_000);
    const target = kind === "pipelined" ? "/healthz" : "/v1/daos";
    const seen = await honest(proxy, target, kind === "pipelined" ? undefined : proxy.key, SECONDS);
    crowd.kill("SIGKILL");
    const alive = proxy.child.exitCode === null;
    print(
      name,
      seen,
      alive ? `peak ${peakMb(proxy).toFixed(0)} MB, ${proxy.lines()} log lines` : "the proxy died",
    );
    proxy.child.kill("SIGKILL");
  }
  for (const isKept of [true, false]) {
    const name = `SIGTERM, 100 ${isKept ? "kept connections" : "lanes of new connections"}`;
    process.stdout.write(`${name}: ${await stopUnderLoad(isKept)}\n`);
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
