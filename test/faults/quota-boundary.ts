import { setTimeout as sleep } from "node:timers/promises";
import { type Lane, openLane } from "./quota-lane.ts";
import type { QuotaStage, StagedProxy } from "./quota-stage.ts";
import { seededRandom } from "./seeded-random.ts";

/** What came of using up an account again and again. */
export interface BoundaryTally {
  readonly runs: number;
  readonly answers: number;
  readonly kills: number;
  /** Answers that were 503, because the file was held by the others for too long; they are asked again. */
  readonly busy: number;
  /** Units counted for answers that nobody got, because the process was killed between commit and answer. */
  readonly lost: number;
  readonly broken: readonly string[];
}

const CONNECTIONS = 200;

/** Where the lanes of a run find their proxy: it has another address after each start. */
interface Slot {
  proxy: StagedProxy;
  isDown: boolean;
}

/**
 * F8 and F9: 200 connections, spread over `proxies` processes on one file, use up an account of `limit` a day. Without
 * kills, exactly the limit is answered and counted; with `kills` of a process in each run, never more.
 */
export async function quotaBoundary(
  stage: QuotaStage,
  wish: {
    readonly proxies: number;
    readonly limit: number;
    readonly runs: number;
    readonly seed: number;
    readonly kills?: number;
  },
): Promise<BoundaryTally> {
  const random = seededRandom(wish.seed);
  const slots: Slot[] = [];
  for (let n = 0; n < wish.proxies; n += 1) slots.push({ proxy: await stage.start(), isDown: false });
  const tally = { answers: 0, kills: 0, busy: 0, lost: 0, broken: [] as string[] };
  try {
    for (let run = 0; run < wish.runs; run += 1) {
      const account = `boundary-${wish.proxies}-${wish.limit}-${wish.kills ?? 0}-${run}`;
      const thresholds = Array.from({ length: wish.kills ?? 0 }, () => Math.floor(random() * wish.limit));
      const { served, busy, other, kills } = await useUp(stage, slots, {
        key: stage.issueKey(account, wish.limit).key,
        // Counted from what was answered, not from a clock: the machine may be busy with something else.
        killAt: thresholds.toSorted((a, b) => a - b),
        random,
      });
      const used = [...stage.usedBy(account).values()].reduce((sum, each) => sum + each, 0);
      tally.answers += served;
      tally.kills += kills;
      tally.busy += busy;
      tally.lost += used - served;
      const isRight =
        kills === 0 ? served === wish.limit && used === wish.limit : served <= used && used <= wish.limit;
      if (!isRight) tally.broken.push(`${account}: ${served} answered and ${used} counted of ${wish.limit}`);
      tally.broken.push(
        ...[...other].map(([status, count]) => `${account}: ${count} answers were ${status}`),
      );
    }
  } finally {
    for (const { proxy } of slots) await proxy.kill();
  }
  return { runs: wish.runs, ...tally };
}

async function useUp(
  stage: QuotaStage,
  slots: readonly Slot[],
  { key, killAt, random }: { key: string; killAt: number[]; random: () => number },
): Promise<{ served: number; busy: number; other: ReadonlyMap<number, number>; kills: number }> {
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
        slot.proxy = await stage.start();
        slot.isDown = false;
      }),
    );
  };
  /** A lane of this slot, as soon as there is one. */
  const laneOf = async (slot: Slot): Promise<Lane> => {
    for (;;) {
      const lane = slot.isDown ? undefined : await openLane(slot.proxy.address, key);
      if (lane !== undefined) return lane;
      await sleep(20);
    }
  };
  const runLane = async (slot: Slot, first: Lane): Promise<void> => {
    for (let lane = first; ; ) {
      const answer = await lane.ask();
      if (answer === undefined) {
        lane = await laneOf(slot);
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
  const ready = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, n) => {
      const slot = slots[n % slots.length];
      if (slot === undefined) throw new Error("there is no proxy");
      return { slot, lane: await laneOf(slot) };
    }),
  );
  await Promise.all(ready.map(({ slot, lane }) => runLane(slot, lane)));
  await Promise.all(restarts);
  return { ...seen, other };
}
