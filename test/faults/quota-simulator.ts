import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Admitted, Refused } from "../../proxy/access/access.ts";
import { quotaDayOf } from "../../proxy/quota/quota-day.ts";
import { openQuotaLedger } from "../../proxy/quota/quota-ledger.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { type SimulatedFault, type SimulatedProxy, simulatedProxy } from "./quota-simulated-proxy.ts";
import { seededRandom } from "./seeded-random.ts";

/** What simulated days came to; `broken` says what must never be, with the run's seed. */
export interface SimulationTally {
  readonly runs: number;
  readonly requests: number;
  readonly served: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly crashes: number;
  readonly faults: number;
  readonly refunds: number;
  readonly broken: readonly string[];
}

/** Ways to break the counter on purpose: a simulator that does not notice them is worth nothing. */
export type Sabotage = "grants-without-commit" | "forgets-a-unit" | "negative-remainder" | undefined;

const START_MS = Date.parse("2026-04-01T20:00:00.000Z");
const HOUR_MS = 3_600_000;
const ACCOUNTS = ["acme", "birch", "cedar"];
const KEYS = ACCOUNTS.flatMap((each) => [1, 2].map((n) => [`${each}-${n}`, each] as const));
const LIMITS = [0, 1, 3, 8, 20];
const FAULTS: readonly SimulatedFault[] = ["busy", "fails", "fails-after", "crashes", "crashes-after"];

/** Runs `runs` simulations, each from a seed that `seed` gives, of `steps` steps each. */
export async function simulateQuota(options: {
  readonly runs: number;
  readonly steps: number;
  readonly seed: number;
  readonly sabotage?: Sabotage;
}): Promise<SimulationTally> {
  const total = { requests: 0, served: 0, crashes: 0, faults: 0, refunds: 0 };
  const refused: Record<string, number> = {};
  const broken: string[] = [];
  for (let run = 0; run < options.runs; run += 1) {
    const seed = (options.seed + run * 7919) >>> 0;
    const world = new Simulation(seededRandom(seed), options.sabotage);
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

/** More than a proxy refuses from memory before it asks the file again. */
const REFUSALS_TO_LOOK_AGAIN = 60;

/** One world: a clock, accounts with keys and limits, one file, and proxies that come and go. */
class Simulation {
  readonly tally = { requests: 0, served: 0, crashes: 0, faults: 0, refunds: 0 };
  readonly refused: Record<string, number> = {};
  readonly broken: string[] = [];
  private readonly random: () => number;
  private readonly sabotage: Sabotage;
  private readonly home = mkdtempSync(join(HOME, "govdata-simulated-"));
  private readonly path = join(this.home, "quota.db");
  private nowMs = START_MS;
  private readonly limits = new Map(ACCOUNTS.map((account) => [account, 8]));
  /** Keys by name; rotation adds one, and takes one away. */
  private readonly keys = new Map<string, string>(KEYS);
  private keysMade = 0;
  private proxies: SimulatedProxy[] = [];
  private readonly served = new Map<string, number>();
  /** The highest limit under which somebody was served, and under which somebody asked. */
  private readonly limitMax = new Map<string, number>();
  private readonly askedMax = new Map<string, number>();
  private readonly pending = new Set<Promise<void>>();
  private readonly inside: { admitted: Admitted; name: string }[] = [];

  constructor(random: () => number, sabotage: Sabotage) {
    this.random = random;
    this.sabotage = sabotage;
    const count = 1 + this.below(4);
    for (let n = 0; n < count; n += 1) this.proxies.push(this.start());
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }

  private pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  private start(): SimulatedProxy {
    return simulatedProxy({
      path: this.path,
      sabotage: this.sabotage,
      nowMs: () => this.nowMs,
      lookup: (key) => {
        const account = this.keys.get(key);
        if (account === undefined) return undefined;
        return { keyId: key, account, tier: "pro", dailyLimit: this.limits.get(account) ?? 0 };
      },
    });
  }

  async step(): Promise<void> {
    const die = this.random();
    if (die < 0.5) this.burst();
    else if (die < 0.58) this.moveClock();
    else if (die < 0.64) this.limits.set(this.pick(ACCOUNTS), this.pick(LIMITS));
    else if (die < 0.68) this.rotate();
    else if (die < 0.78) this.refundOne();
    else if (die < 0.88) this.pick(this.proxies).fault = this.pick(FAULTS);
    else if (die < 0.92) this.crash(this.below(this.proxies.length));
    else await new Promise(setImmediate);
    if (this.random() < 0.3) await new Promise(setImmediate);
    this.replaceDead();
  }

  private burst(): void {
    const proxy = this.pick(this.proxies);
    const count = 1 + this.below(12);
    for (let n = 0; n < count; n += 1) {
      const key = this.random() < 0.05 ? "nobody" : this.pick([...this.keys.keys()]);
      this.ask(proxy, key);
    }
  }

  private ask(proxy: SimulatedProxy, key: string): void {
    this.tally.requests += 1;
    const { day } = quotaDayOf(this.nowMs);
    const account = this.keys.get(key);
    const limit = this.limits.get(account ?? "") ?? 0;
    const name = `${account} ${day}`;
    this.askedMax.set(name, Math.max(limit, this.askedMax.get(name) ?? 0));
    const answered = proxy.access(["x-api-key", key]).then((decision) => {
      // What a dead process would have said nobody hears.
      if (!proxy.isAlive) return;
      this.look(proxy, decision, { name, limit });
    });
    const tracked = answered.finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
  }

  private look(
    proxy: SimulatedProxy,
    decision: Admitted | Refused,
    asked: { name: string; limit: number },
  ): void {
    const { name, limit } = asked;
    if ((decision.standing?.remaining ?? 0) < 0) this.broken.push(`${name}: fewer than none remain`);
    if (decision.kind === "refused") {
      this.refused[decision.situation] = (this.refused[decision.situation] ?? 0) + 1;
      return;
    }
    proxy.released += 1;
    if (proxy.released > proxy.committed) this.broken.push(`${name}: released before a commit`);
    this.limitMax.set(name, Math.max(limit, this.limitMax.get(name) ?? 0));
    const served = (this.served.get(name) ?? 0) + 1;
    this.served.set(name, served);
    this.tally.served += 1;
    if (served > (this.limitMax.get(name) ?? 0))
      this.broken.push(`${name}: ${served} served, above ${limit}`);
    this.inside.push({ admitted: decision, name });
  }

  private refundOne(): void {
    const [one] = this.inside.splice(this.below(this.inside.length), 1);
    if (one === undefined) return;
    one.admitted.leave();
    // An answer that was our own failure is no longer one that was charged, whether or not its unit comes back.
    this.served.set(one.name, (this.served.get(one.name) ?? 0) - 1);
    this.tally.refunds += 1;
    const refunded = one.admitted.refund().then(({ remaining, limit }) => {
      if (remaining < 0 || remaining > limit) this.broken.push(`${one.name}: a refund leaves ${remaining}`);
    });
    const tracked = refunded.finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
  }

  private moveClock(): void {
    const toMidnightMs = quotaDayOf(this.nowMs).resetAtMs - this.nowMs;
    this.nowMs += this.pick([1, 1000, 60_000, toMidnightMs - 1, toMidnightMs, -HOUR_MS, 25 * HOUR_MS]);
  }

  private rotate(): void {
    const [key, account] = this.pick([...this.keys]);
    this.keysMade += 1;
    this.keys.set(`${account}-rotated-${this.keysMade}`, account);
    this.keys.delete(key);
  }

  private crash(place: number): void {
    const proxy = this.proxies[place];
    if (proxy === undefined) return;
    proxy.die();
  }

  /** A process that ended is started again, with nothing in its memory. */
  private replaceDead(): void {
    this.proxies = this.proxies.map((proxy) => {
      if (proxy.isAlive) return proxy;
      this.tally.crashes += 1;
      this.tally.faults += proxy.faults;
      return this.start();
    });
  }

  /** When all is well again, every account gets the rest of its day, and not one more. */
  async end(): Promise<void> {
    await Promise.all(this.pending);
    this.replaceDead();
    for (const proxy of this.proxies) proxy.fault = undefined;
    const { day } = quotaDayOf(this.nowMs);
    for (const account of ACCOUNTS) {
      const key = [...this.keys].find(([, owner]) => owner === account)?.[0] ?? "";
      const limit = this.limits.get(account) ?? 0;
      const before = this.usedBy(account, day);
      // What one refuses from memory for a while, after another gave a unit back, must not be refused for good.
      for (let n = 0; n < limit + REFUSALS_TO_LOOK_AGAIN; n += 1) {
        for (const proxy of this.proxies) this.ask(proxy, key);
        if (n % 20 === 0) await Promise.all(this.pending);
      }
      await Promise.all(this.pending);
      const after = this.usedBy(account, day);
      if (after !== Math.max(before, limit)) {
        this.broken.push(`${account} ${day}: ${before} were used, and then ${after} of ${limit}`);
      }
    }
    for (const [name, served] of this.served) {
      const [account = "", of = ""] = name.split(" ");
      const used = this.usedBy(account, of);
      if (used < served) this.broken.push(`${name}: ${served} served, and only ${used} counted`);
      if (used > (this.askedMax.get(name) ?? 0))
        this.broken.push(`${name}: ${used} counted, above every limit`);
    }
    for (const { admitted } of this.inside) admitted.leave();
    for (const proxy of this.proxies) {
      this.tally.faults += proxy.faults;
      if (!proxy.isEmpty()) this.broken.push("a place under the cap was lost");
      proxy.close();
    }
  }

  private usedBy(account: string, day: string): number {
    const ledger = openQuotaLedger(this.path);
    const used = ledger.usage(account, day).find((row) => row.day === day)?.used ?? 0;
    ledger.close();
    return used;
  }

  remove(): void {
    for (const proxy of this.proxies) proxy.die();
    rmSync(this.home, { recursive: true, force: true });
  }
}
