import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { openLane } from "./quota-lane.ts";
import type { QuotaStage, StagedProxy } from "./quota-stage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Far ahead of the real clock, so that no day of it is touched. */
const EVENING_MS = Date.parse("2031-07-14T23:59:59.000Z");

/** Where the library lies that gives a program another clock, by Debian's name for this machine. */
const FAKETIME_LIBRARIES: Readonly<Record<string, string>> = {
  x64: "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  arm64: "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
};

/** The library of faketime, where it may be. */
export const FAKETIME_LIBRARY = FAKETIME_LIBRARIES[process.arch] ?? "/nowhere";

interface Clocked {
  readonly proxies: readonly StagedProxy[];
  /** Says what time it is from now on, to all of them. */
  readonly setMs: (ms: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * F11: `proxies` processes answer an account of `limit` a day over midnight, after their clock went back an hour and
 * after it jumped 25 hours ahead. No UTC day gets more than the limit, and every answer's reset is that of its own day.
 * With `faketime` the clock of the whole process is another one, otherwise it is the argument that the program takes.
 */
export async function quotaClock(
  stage: QuotaStage,
  options: {
    readonly proxies: number;
    readonly limit: number;
    readonly clock: "argument" | "faketime";
    readonly connections: number;
  },
) {
  const account = `clock-${options.clock}-${options.proxies}-${options.limit}`;
  const { key } = stage.issueKey(account, options.limit);
  const served = new Map<number, number>();
  /** Days on which somebody was refused: only then must all of the limit have been given. */
  const usedUp = new Set<number>();
  const broken: string[] = [];
  let answers = 0;
  const clocked = await (options.clock === "argument"
    ? byArgument(stage, options.proxies)
    : byFaketime(stage, options.proxies));
  try {
    const part = async (name: string, startMs: number, forMs: number): Promise<void> => {
      await clocked.setMs(startMs);
      const setAtMs = Date.now();
      const clockMs = (realMs: number) => startMs + realMs - setAtMs;
      const endMs = setAtMs + forMs;
      const runLane = async (address: string): Promise<void> => {
        const lane = openLane(address, key);
        while (Date.now() < endMs) {
          const answer = await lane.ask();
          if (answer === undefined) break;
          answers += 1;
          const { status, resetAtS, secondsToReset, sentAtMs, gotAtMs } = answer;
          if (status === 200) served.set(resetAtS, (served.get(resetAtS) ?? 0) + 1);
          else if (status === 429) usedUp.add(resetAtS);
          else broken.push(`${name}: ${status}`);
          // The answer's clock stood between these two, give or take the second it may be wrong by.
          const [early, late] = [clockMs(sentAtMs) / 1000 - 1, clockMs(gotAtMs) / 1000 + 1];
          const isOfToday =
            resetAtS * 1000 === nextMidnightMs(early * 1000) ||
            resetAtS * 1000 === nextMidnightMs(late * 1000);
          const saysNowS = resetAtS - secondsToReset;
          if (!isOfToday) broken.push(`${name}: the reset is ${resetAtS}`);
          if (saysNowS < early - 1 || saysNowS > late + 1)
            broken.push(`${name}: ${secondsToReset} s to the reset`);
          if (status !== 200) await sleep(20);
        }
        lane.close();
      };
      const addresses = Array.from(
        { length: options.connections },
        (_, n) => clocked.proxies[n % clocked.proxies.length]?.address,
      );
      await Promise.all(addresses.map((address) => runLane(address ?? "")));
    };
    await part("midnight", EVENING_MS, 2000);
    await part("back an hour", EVENING_MS + 1000 - HOUR_MS / 2, 500);
    await part("on to midnight again", EVENING_MS + 500, 1000);
    await part("ahead", EVENING_MS + 25 * HOUR_MS, 1000);
    await part("and back from there", EVENING_MS + 2000, 500);
  } finally {
    await clocked.end();
  }
  for (const [resetAtS, count] of served) {
    const day = new Date(resetAtS * 1000 - DAY_MS).toISOString().slice(0, 10);
    const used = stage.usedBy(account).get(day) ?? 0;
    const isRight = usedUp.has(resetAtS) ? count === options.limit : count <= options.limit;
    if (!isRight || used !== count) {
      broken.push(`${day}: ${count} answered and ${used} counted of ${options.limit}`);
    }
  }
  return { answers, days: served.size, broken };
}

function nextMidnightMs(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

async function startAll(stage: QuotaStage, count: number, before: readonly string[]): Promise<StagedProxy[]> {
  const proxies: StagedProxy[] = [];
  for (let n = 0; n < count; n += 1) proxies.push(await stage.start(before));
  return proxies;
}

async function byArgument(stage: QuotaStage, count: number): Promise<Clocked> {
  const proxies = await startAll(stage, count, []);
  return {
    proxies,
    setMs: async (ms) => {
      const setAtMs = Date.now();
      await Promise.all(proxies.map((proxy) => proxy.tell(`clock ${ms} ${setAtMs}`)));
    },
    end: async () => void (await Promise.all(proxies.map((proxy) => proxy.kill()))),
  };
}

async function byFaketime(stage: QuotaStage, count: number): Promise<Clocked> {
  const folder = mkdtempSync(join(HOME, "govdata-faketime-"));
  const offsetPath = join(folder, "offset");
  const writeOffset = (ms: number) => {
    const offsetS = ((ms - Date.now()) / 1000).toFixed(3);
    writeFileSync(offsetPath, `${offsetS.startsWith("-") ? "" : "+"}${offsetS}`);
  };
  writeOffset(EVENING_MS);
  const proxies = await startAll(stage, count, [
    "env",
    `LD_PRELOAD=${FAKETIME_LIBRARY}`,
    `FAKETIME_TIMESTAMP_FILE=${offsetPath}`,
    "FAKETIME_NO_CACHE=1",
    // Timers run by the clock that only ever goes on.
    "DONT_FAKE_MONOTONIC=1",
  ]);
  return {
    proxies,
    setMs: async (ms) => writeOffset(ms),
    end: async () => {
      await Promise.all(proxies.map((proxy) => proxy.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
