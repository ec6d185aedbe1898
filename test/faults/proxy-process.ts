import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeKey, type ProxyPlaces, startProxyProcess } from "../proxy/support/proxy-process.ts";
import { publishFixture } from "../support/published-set.ts";

/** Enough for any campaign: what is tried here is not the quota. */
export const ENDLESS = ["--daily-limit", "100000000"] as const;

export type AttackedProxy = Awaited<ReturnType<typeof startAttackedProxy>>;

/** Starts the real program with the fixture published and one key for each tier, for callers who mean no good. */
export async function startAttackedProxy() {
  const folder = mkdtempSync(join(tmpdir(), "govdata-attacked-"));
  const places = {
    home: join(folder, "proxy"),
    snapshots: join(folder, "published"),
    optouts: join(folder, "optouts.db"),
  };
  await publishFixture(places.snapshots);
  const keyOf = (tier: string, ...limit: readonly string[]) =>
    makeKey(places, "--account", tier, "--tier", tier, ...limit);
  const keys = {
    free: await keyOf("free"),
    pro: await keyOf("pro"),
    enterprise: await keyOf("enterprise", ...ENDLESS),
  };
  const logPath = join(folder, "log");
  const { address, pid, stop } = await startLoggingTo(logPath, places);
  return {
    port: Number(new URL(address).port),
    keys,
    /** All of its log, once it has ended. */
    logPath,
    state: () => stateOf(pid),
    /** How it ended. */
    stop,
    /** Clears up. */
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a proxy whose log goes into a file, as it may be longer than a text can be. */
export async function startLoggingTo(logPath: string, places: ProxyPlaces) {
  const log = openSync(logPath, "w");
  try {
    const environment = { GOVDATA_PROXY_DRAIN_SECONDS: "0" };
    const { process, ...proxy } = await startProxyProcess(places, { environment, log });
    return { ...proxy, pid: process.pid ?? 0 };
  } finally {
    closeSync(log);
  }
}

/** Whether the kernel tells what a process holds. */
export const hasProc = existsSync("/proc/self/fd");

/** What the kernel says about a process; nothing where it does not say it. */
export function stateOf(pid: number) {
  if (!hasProc) return { rssMb: 0, descriptors: 0, sockets: new Set<string>() };
  const folder = `/proc/${pid}`;
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`${folder}/status`, "utf8"))?.[1] ?? "0";
  const names = readdirSync(`${folder}/fd`);
  const links = names.map((name) => {
    try {
      return readlinkSync(`${folder}/fd/${name}`);
    } catch {
      // Closed between the two looks.
      return "";
    }
  });
  const sockets = new Set(links.filter((link) => link.startsWith("socket:")));
  return { rssMb: Number(rss) / 1024, descriptors: names.length, sockets };
}
