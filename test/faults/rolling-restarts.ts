import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import {
  makeKey,
  type ProxyPlaces,
  type ProxyProcess,
  startProxyProcess,
} from "../proxy/support/proxy-process.ts";
import { publishFixture } from "../support/published-set.ts";
import { ENDLESS } from "./proxy-process.ts";
import { openLane } from "./quota-lane.ts";

/** Callers that ask without a pause, and such that leave their connection idle for a while in between. */
const PAUSES_MS = [5, 10, 10, 20, 40, 120, 300];
const PATHS = [
  "/v1/daos",
  "/v1/dgi",
  "/v1/daos/tidewater.example",
  "/v1/daos/tidewater.example/delegates?limit=50",
];
const LOOK_EVERY_MS = 50;

/**
 * Restarts two proxies on one home in turn, behind one address, while callers that honour `Connection: close` go on
 * asking. An answer is charged, or it is 503 with a `Retry-After`, the one failure a caller may see.
 */
export async function rollingRestarts(restarts: number) {
  const folder = mkdtempSync(join(tmpdir(), "govdata-rolling-"));
  const places: ProxyPlaces = {
    home: join(folder, "home"),
    snapshots: join(folder, "published"),
    optouts: join(folder, "optouts.db"),
  };
  await publishFixture(places.snapshots);
  const key = await makeKey(places, "--account", "rolling", "--tier", "enterprise", ...ENDLESS);
  const start = () => startProxyProcess(places);
  const proxies = [await start(), await start()];
  const forwarder = await forwardTo(proxies);
  const callers = PAUSES_MS.map((pauseMs, first) => call(forwarder.port, { key, pauseMs, first }));
  const broken: string[] = [];
  let slowestStopMs = 0;
  for (let turn = 0; turn < restarts; turn += 1) {
    const parity = turn % 2;
    const startedMs = performance.now();
    const code = await proxies[parity]?.stop();
    slowestStopMs = Math.max(slowestStopMs, performance.now() - startedMs);
    if (code !== 0) broken.push(`restart ${turn}: the process ended with ${code}`);
    proxies[parity] = await start();
    await pause(LOOK_EVERY_MS * 3);
  }
  const tallies = await Promise.all(callers.map((caller) => caller.stop()));
  await forwarder.close();
  for (const proxy of proxies) if ((await proxy.stop()) !== 0) broken.push("a last process did not end well");
  const ledger = openQuotaLedger(join(places.home, "quota.db"));
  const used = ledger.usage("rolling", "0000-01-01").reduce((sum, day) => sum + day.used, 0);
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
  const sum = (key: "charged" | "unavailable") => tallies.reduce((total, tally) => total + tally[key], 0);
  broken.push(...tallies.flatMap((tally) => tally.broken));
  if (used !== sum("charged")) broken.push(`${sum("charged")} answers were charged, but ${used} units used`);
  return { restarts, charged: sum("charged"), unavailable: sum("unavailable"), used, slowestStopMs, broken };
}

/** One caller with one kept connection, asking again and again until it is stopped. */
function call(port: number, { key, pauseMs, first }: { key: string; pauseMs: number; first: number }) {
  const lane = openLane(`http://127.0.0.1:${port}`, key);
  const tally = { charged: 0, unavailable: 0, broken: [] as string[] };
  let isOver = false;
  const running = (async () => {
    for (let turn = first; !isOver; turn += 1) {
      const answer = await lane.ask(PATHS[turn % PATHS.length]);
      if (answer?.status === 200) tally.charged += 1;
      else if (answer?.status === 503 && answer.saysWhen) tally.unavailable += 1;
      else tally.broken.push(`caller ${first}: ${answer?.status ?? "a connection ended without an answer"}`);
      await pause(pauseMs);
    }
    lane.close();
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return tally;
    },
  };
}

/**
 * One address in front of several processes: passes bytes on, to whoever said `/readyz` last time it was asked. A
 * reset on one side becomes a reset on the other, so that none goes unseen.
 */
async function forwardTo(proxies: readonly ProxyProcess[]) {
  let ready = proxies.map((proxy) => proxy.address);
  let turn = 0;
  let isClosed = false;
  const looking = (async () => {
    while (!isClosed) {
      const answers = await Promise.all(proxies.map(({ address }) => isReady(address)));
      ready = proxies.map((proxy) => proxy.address).filter((_, index) => answers[index]);
      await pause(LOOK_EVERY_MS);
    }
  })();
  const server = createServer({ allowHalfOpen: true }, (caller) => {
    // The second is for one that is gone since it was asked: nothing was sent to it, so nothing is lost.
    const choices = [ready[turn % ready.length], ready[(turn + 1) % ready.length]];
    turn += 1;
    joinTo(caller, choices);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      isClosed = true;
      await looking;
      server.close();
    },
  };
}

async function isReady(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/readyz`, { headers: { connection: "close" } });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

function joinTo(caller: Socket, [address, ...others]: readonly (string | undefined)[]): void {
  if (address === undefined) {
    caller.resetAndDestroy();
    return;
  }
  const queued = connect({ host: "127.0.0.1", port: Number(new URL(address).port), allowHalfOpen: true });
  queued.once("connect", () => {
    queued.removeAllListeners("error");
    queued.on("error", () => caller.resetAndDestroy());
    caller.on("error", () => queued.resetAndDestroy());
    caller.pipe(queued);
    queued.pipe(caller);
  });
  queued.once("error", () => joinTo(caller, others));
}
