import { setTimeout as sleep } from "node:timers/promises";
import { openLane } from "./quota-lane.ts";
import { type QuotaStage, type StagedProxy, startAtNoon } from "./quota-stage.ts";
import { seededRandom } from "./seeded-random.ts";

const CONNECTIONS = 200;

/** Where the lanes of a run find their proxy: it has another address after each start. */
interface Slot {
  proxy: StagedProxy;
  isDown: boolean;
}

/**
 * F8 and F9: 200 connections, spread over processes on one file, use up an account of `limit` a day: in each run exactly
 * the limit is answered and counted; in the runs in which processes are killed, never above it. A unit is lost if it was
 * counted for an answer that nobody got; 503 is busy, and is asked again.
 */
export async function quotaBoundary(
  stage: QuotaStage,
  options: {
    /** How many processes share the file; each number in turn. */
    readonly proxies: readonly number[];
    readonly limit: number;
    /** Runs for each number of processes. */
    readonly runs: number;
    readonly seed: number;
    /** After those, on all of the processes: runs in each of which so many are killed. */
    readonly killRuns: number;
    readonly kills: number;
  },
) {
  const random = seededRandom(options.seed);
  const slots: Slot[] = [];
  const tally = { runs: 0, answers: 0, kills: 0, busy: 0, lost: 0, broken: [] as string[] };
  const runOnce = async (count: number, kills: number): Promise<void> => {
    tally.runs += 1;
    const account = `boundary-${options.limit}-${count}-${tally.runs}`;
    const thresholds = Array.from({ length: kills }, () => Math.floor(random() * options.limit));
    const seen = await useUp(stage, slots.slice(0, count), {
      key: stage.issueKey(account, options.limit).key,
      // Counted from what was answered, not from a clock: the machine may be busy with something else.
      killAt: thresholds.toSorted((a, b) => a - b),
      random,
    });
    const used = [...stage.usedBy(account).values()].reduce((sum, count) => sum + count, 0);
    tally.answers += seen.served;
    tally.kills += seen.kills;
    tally.busy += seen.busy;
    tally.lost += used - seen.served;
    const isExact = seen.served === options.limit && used === options.limit;
    const isBelow = seen.served <= used && used <= options.limit;
    if (!(kills === 0 ? isExact : isBelow)) {
      tally.broken.push(`${account}: ${seen.served} answered and ${used} counted of ${options.limit}`);
    }
    for (const [status, times] of seen.other)
      tally.broken.push(`${account}: ${times} answers were ${status}`);
  };
  try {
    const most = Math.max(...options.proxies);
    for (let n = 0; n < most; n += 1) slots.push({ proxy: await startAtNoon(stage), isDown: false });
    for (const count of options.proxies) {
      for (let run = 0; run < options.runs; run += 1) await runOnce(count, 0);
    }
    for (let run = 0; run < options.killRuns; run += 1) await runOnce(most, options.kills);
  } finally {
    for (const { proxy } of slots) await proxy.kill();
  }
  return tally;
}

async function useUp(
  stage: QuotaStage,
  slots: readonly Slot[],
  { key, killAt, random }: { key: string; killAt: number[]; random: () => number },
) {
  const seen = { served: 0, busy: 0, kills: 0 };
  const other = new Map<number, number>();
  const restarts: Promise<void>[] = [];
  const killOne = (): void => {
    const slot = slots[Math.floor(random() * slots.length)];
    if (slot === undefined || slot.isDown) return;
    slot.isDown = true;
    seen.kills += 1;
    slot.proxy.child.process.kill("SIGKILL");
    restarts.push(
      slot.proxy.child.ended.then(async () => {
        slot.proxy = await startAtNoon(stage);
        slot.isDown = false;
      }),
    );
  };
  const runLane = async (slot: Slot): Promise<void> => {
    let lane = openLane(slot.proxy.address, key);
    for (;;) {
      const answer = await lane.ask();
      if (answer === undefined) {
        lane.close();
        await sleep(20);
        while (slot.isDown) await sleep(20);
        lane = openLane(slot.proxy.address, key);
        continue;
      }
      if (answer.status === 200) seen.served += 1;
      else if (answer.status === 503) seen.busy += 1;
      else if (answer.status !== 429) other.set(answer.status, (other.get(answer.status) ?? 0) + 1);
      while ((killAt[0] ?? Number.POSITIVE_INFINITY) <= seen.served) {
        killAt.shift();
        killOne();
      }
      // Busy is a fair answer of a counter that several hold; the next request is another try.
      if (answer.status === 200 || answer.status === 503) continue;
      lane.close();
      return;
    }
  };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => {
      const slot = slots[n % slots.length];
      if (slot === undefined) throw new Error("there is no proxy");
      return runLane(slot);
    }),
  );
  await Promise.all(restarts);
  return { ...seen, other };
}
