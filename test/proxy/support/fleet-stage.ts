import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lane, type LaneAnswer, openLane } from "../../faults/quota-lane.ts";
import { HOME } from "../../snapshots/store/temporary-root.ts";
import { publishFixture } from "../../support/published-set.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { type ProxyProcess, startProxyProcess } from "./proxy-process.ts";

const PEPPER = "pepper-canary-of-the-fleet-0123456789";

export type Fleet = Awaited<ReturnType<typeof setFleet>>;

/** Publishes the fixture, for proxies on hosts of one fleet, each with its own home. */
export async function setFleet() {
  const folder = mkdtempSync(join(HOME, "govdata-fleet-"));
  const snapshots = join(folder, "published");
  await publishFixture(snapshots);
  const running: ProxyProcess[] = [];
  const environmentOf = (url: string) => ({
    GOVDATA_QUOTA: url,
    GOVDATA_PEPPER: PEPPER,
    GOVDATA_PROXY_DRAIN_SECONDS: "0",
  });
  /** Runs a command on another host. */
  const command = async (url: string, ...words: readonly string[]): Promise<string> => {
    const { code, ...said } = await runProxyCommand(["--home", join(folder, "commands"), ...words], {
      environment: environmentOf(url),
      nowMs: () => Date.now(),
    });
    if (code !== 0) throw new Error(`${words.join(" ")}: ${said.stderr}`);
    return said.stdout.trim();
  };
  return {
    command,
    /** Makes an Enterprise account with one key, and gives the key. */
    makeKey: (url: string, account: string, dailyLimit: number) => {
      const terms = ["--tier", "enterprise", "--daily-limit", String(dailyLimit)];
      return command(url, "key", "create", "--account", account, ...terms);
    },
    /** Starts a proxy on a host of its own, whose Redis is at `url`. */
    start: async (url: string) => {
      const home = mkdtempSync(join(folder, "host-"));
      const places = { home, snapshots, optouts: join(home, "optouts.db") };
      const proxy = await startProxyProcess(places, { environment: environmentOf(url) });
      running.push(proxy);
      return proxy;
    },
    /** Ends what still runs, and removes everything. */
    end: async () => {
      await Promise.all(running.map((proxy) => proxy.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What came of spending an account. */
export interface Spent {
  readonly served: number;
  /** 503: asked again. */
  readonly unavailable: number;
  /** Those of them that came only when the proxy had waited for Redis in vain: Redis may have counted them all the same. */
  readonly timedOut: number;
  /** 429: the lane has ended. */
  readonly refused: number;
  readonly other: readonly number[];
}

/** A proxy waits 250 ms for Redis; the timers of a process may be a little early. */
const WAITED_MS = 245;

/**
 * Spends an account on so many kept connections, spread over the proxies, until each of them is refused. `onAnswer` is
 * told of every answer, with what came so far.
 */
export async function spend(
  proxies: readonly ProxyProcess[],
  key: string,
  { connections, onAnswer = () => {} }: { connections: number; onAnswer?: (seen: Spent) => void },
): Promise<Spent> {
  const seen = { served: 0, unavailable: 0, timedOut: 0, refused: 0, other: [] as number[] };
  const runLane = async (proxy: ProxyProcess): Promise<void> => {
    const lane = laneTo(proxy, key);
    for (;;) {
      const { status, sentAtMs, gotAtMs } = await lane.ask();
      if (status === 200) seen.served += 1;
      else if (status === 429) seen.refused += 1;
      else if (status === 503) seen.unavailable += 1;
      else seen.other.push(status);
      if (status === 503 && gotAtMs - sentAtMs >= WAITED_MS) seen.timedOut += 1;
      onAnswer(seen);
      if (status === 503) await sleep(10);
      else if (status !== 200) return lane.close();
    }
  };
  await Promise.all(
    Array.from({ length: connections }, (_, n) => {
      const proxy = proxies[n % proxies.length];
      if (proxy === undefined) throw new Error("there is no proxy");
      return runLane(proxy);
    }),
  );
  return seen;
}

/** A caller of a fleet, in which no proxy ends: an answer that does not come is an error. */
export interface FleetLane extends Pick<Lane, "close"> {
  readonly ask: () => Promise<LaneAnswer>;
}

export function laneTo(proxy: ProxyProcess, key: string): FleetLane {
  const lane = openLane(proxy.address, key);
  return {
    ask: async () => {
      const answer = await lane.ask();
      if (answer === undefined) throw new Error("a connection ended without an answer");
      return answer;
    },
    close: lane.close,
  };
}

/** Asks a proxy until it answers with this status. */
export async function until(proxy: ProxyProcess, key: string, status: number): Promise<void> {
  const lane = await laneTo(proxy, key);
  // A refusal takes nothing: without a pause it would be all that this machine does.
  while ((await lane.ask()).status !== status) await sleep(5);
  lane.close();
}

export const readinessOf = async (proxy: ProxyProcess) => (await fetch(`${proxy.address}/readyz`)).text();
