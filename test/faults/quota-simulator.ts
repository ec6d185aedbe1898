import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { quotaDayOf } from "../../proxy/quota/daily-quota.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import type { Admitted, Refused } from "../../proxy/request/admit.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import {
  type Sabotage,
  type SimulatedFault,
  type SimulatedProxy,
  simulatedProxy,
} from "./quota-simulated-proxy.ts";
import { seededRandom } from "./seeded-random.ts";

const START_MS = Date.parse("2026-04-01T20:00:00.000Z");
const HOUR_MS = 3_600_000;
const ACCOUNTS = ["acme", "birch", "cedar"];
const KEYS = ACCOUNTS.flatMap((account) => [1, 2].map((n) => [`${account}-${n}`, account] as const));
const LIMITS = [0, 1, 3, 8, 20];
const FAULTS: readonly SimulatedFault[] = ["busy", "fails", "fails-after", "crashes", "crashes-after"];

/** More than a proxy refuses from memory before it asks the file again. */
const REFUSALS_TO_LOOK_AGAIN = 60;

/** One world: a clock, accounts with keys and limits, one file, and proxies that come and go. */
function createSimulation(random: () => number, sabotage: Sabotage) {
  const tally = { requests: 0, served: 0, crashes: 0, faults: 0, refunds: 0 };
  const refused: Record<string, number> = {};
  const broken: string[] = [];
  const home = mkdtempSync(join(HOME, "govdata-simulated-"));
  const path = join(home, "quota.db");
  let nowMs = START_MS;
  const limits = new Map(ACCOUNTS.map((account) => [account, 8]));
  /** Keys by name; rotation adds one, and takes one away. */
  const keys = new Map<string, string>(KEYS);
  let keysMade = 0;
  let proxies: SimulatedProxy[] = [];
  const servedOf = new Map<string, number>();
  /** The highest limit under which somebody was served, and under which somebody asked. */
  const limitMax = new Map<string, number>();
  const askedMax = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  const inside: { admitted: Admitted; name: string }[] = [];

  function below(count: number): number {
    return Math.floor(random() * count);
  }

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  function start(): SimulatedProxy {
    return simulatedProxy({
      path,
      sabotage,
      nowMs: () => nowMs,
      lookup: (key) => {
        const account = keys.get(key);
        if (account === undefined) return undefined;
        return { keyId: key, account, tier: "pro", dailyLimit: limits.get(account) ?? 0 };
      },
    });
  }

  async function step(): Promise<void> {
    const die = random();
    if (die < 0.5) burst();
    else if (die < 0.58) moveClock();
    else if (die < 0.64) limits.set(pick(ACCOUNTS), pick(LIMITS));
    else if (die < 0.68) rotate();
    else if (die < 0.78) refundOne();
    else if (die < 0.88) pick(proxies).fault = pick(FAULTS);
    else if (die < 0.92) crash(below(proxies.length));
    else await new Promise(setImmediate);
    if (random() < 0.3) await new Promise(setImmediate);
    replaceDead();
  }

  function burst(): void {
    const proxy = pick(proxies);
    const count = 1 + below(12);
    for (let n = 0; n < count; n += 1) {
      const key = random() < 0.05 ? "nobody" : pick([...keys.keys()]);
      ask(proxy, key);
    }
  }

  function ask(proxy: SimulatedProxy, key: string): void {
    tally.requests += 1;
    const { day } = quotaDayOf(nowMs);
    const account = keys.get(key);
    const limit = limits.get(account ?? "") ?? 0;
    const name = `${account} ${day}`;
    askedMax.set(name, Math.max(limit, askedMax.get(name) ?? 0));
    const answered = Promise.resolve(proxy.admit(["x-api-key", key])).then((decision) => {
      // What a dead process would have said nobody hears.
      if (!proxy.isAlive) return;
      look(proxy, decision, { name, limit });
    });
    const tracked = answered.finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  function look(
    proxy: SimulatedProxy,
    decision: Admitted | Refused,
    asked: { name: string; limit: number },
  ): void {
    const { name, limit } = asked;
    if ((decision.quota?.remaining ?? 0) < 0) broken.push(`${name}: fewer than none remain`);
    if (decision.kind === "refused") {
      refused[decision.problem] = (refused[decision.problem] ?? 0) + 1;
      return;
    }
    proxy.released += 1;
    if (proxy.released > proxy.committed) broken.push(`${name}: released before a commit`);
    limitMax.set(name, Math.max(limit, limitMax.get(name) ?? 0));
    const served = (servedOf.get(name) ?? 0) + 1;
    servedOf.set(name, served);
    tally.served += 1;
    if (served > (limitMax.get(name) ?? 0)) broken.push(`${name}: ${served} served, above ${limit}`);
    inside.push({ admitted: decision, name });
  }

  function refundOne(): void {
    const [one] = inside.splice(below(inside.length), 1);
    if (one === undefined) return;
    one.admitted.leave();
    // An answer that was our own failure is no longer one that was charged, whether or not its unit comes back.
    servedOf.set(one.name, (servedOf.get(one.name) ?? 0) - 1);
    tally.refunds += 1;
    const refunded = one.admitted.refund().then(({ remaining, limit }) => {
      if (remaining < 0 || remaining > limit) broken.push(`${one.name}: a refund leaves ${remaining}`);
    });
    const tracked = refunded.finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  function moveClock(): void {
    const toMidnightMs = quotaDayOf(nowMs).resetAtMs - nowMs;
    nowMs += pick([1, 1000, 60_000, toMidnightMs - 1, toMidnightMs, -HOUR_MS, 25 * HOUR_MS]);
  }

  function rotate(): void {
    const [key, account] = pick([...keys]);
    keysMade += 1;
    keys.set(`${account}-rotated-${keysMade}`, account);
    keys.delete(key);
  }

  function crash(index: number): void {
    const proxy = proxies[index];
    if (proxy === undefined) return;
    proxy.die();
  }

  /** A process that ended is started again, with nothing in its memory. */
  function replaceDead(): void {
    proxies = proxies.map((proxy) => {
      if (proxy.isAlive) return proxy;
      tally.crashes += 1;
      tally.faults += proxy.faults;
      return start();
    });
  }

  /** When all is well again, every account gets the rest of its day, and not one more. */
  async function end(): Promise<void> {
    await Promise.all(pending);
    replaceDead();
    for (const proxy of proxies) proxy.fault = undefined;
    const { day } = quotaDayOf(nowMs);
    for (const account of ACCOUNTS) {
      const key = [...keys].find(([, owner]) => owner === account)?.[0] ?? "";
      const limit = limits.get(account) ?? 0;
      const before = usedBy(account, day);
      // What one refuses from memory for a while, after another gave a unit back, must not be refused for good.
      for (let n = 0; n < limit + REFUSALS_TO_LOOK_AGAIN; n += 1) {
        for (const proxy of proxies) ask(proxy, key);
        if (n % 20 === 0) await Promise.all(pending);
      }
      await Promise.all(pending);
      const after = usedBy(account, day);
      if (after !== Math.max(before, limit)) {
        broken.push(`${account} ${day}: ${before} were used, and then ${after} of ${limit}`);
      }
    }
    for (const [name, served] of servedOf) {
      const [account = "", owner = ""] = name.split(" ");
      const used = usedBy(account, owner);
      if (used < served) broken.push(`${name}: ${served} served, and only ${used} counted`);
      if (used > (askedMax.get(name) ?? 0)) broken.push(`${name}: ${used} counted, above every limit`);
    }
    for (const { admitted } of inside) admitted.leave();
    for (const proxy of proxies) {
      tally.faults += proxy.faults;
      if (!proxy.isEmpty()) broken.push("a place under the cap was lost");
      proxy.close();
    }
  }

  function usedBy(account: string, day: string): number {
    const ledger = openQuotaLedger(path);
    const used = ledger.usage(account, day).find((row) => row.day === day)?.used ?? 0;
    ledger.close();
    return used;
  }

  function remove(): void {
    for (const proxy of proxies) proxy.die();
    rmSync(home, { recursive: true, force: true });
  }

  const count = 1 + below(4);
  for (let n = 0; n < count; n += 1) proxies.push(start());
  return { tally, refused, broken, step, end, remove };
}

/** Runs `runs` simulations, each from a seed that `seed` gives, of `steps` steps each. `broken` says what must never be. */
export async function simulateQuota(options: {
  readonly runs: number;
  readonly steps: number;
  readonly seed: number;
  readonly sabotage?: Sabotage;
}) {
  const total = { requests: 0, served: 0, crashes: 0, faults: 0, refunds: 0 };
  const refused: Record<string, number> = {};
  const broken: string[] = [];
  for (let run = 0; run < options.runs; run += 1) {
    const seed = (options.seed + run * 7919) >>> 0;
    const world = createSimulation(seededRandom(seed), options.sabotage);
    try {
      for (let step = 0; step < options.steps; step += 1) await world.step();
      await world.end();
    } finally {
      world.remove();
    }
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += world.tally[name];
    for (const [name, count] of Object.entries(world.refused)) refused[name] = (refused[name] ?? 0) + count;
    broken.push(...world.broken.map((line) => `seed ${seed}: ${line}`));
  }
  return { runs: options.runs, ...total, refused, broken };
}
