import type { ClosableQuota } from "../group-commit-quota.ts";
import { quotaDayOf } from "../quota-day.ts";

/** What Redis' clock says, told by what it said last and by ours, which nobody sets. */
export interface StoreClock {
  readonly nowMs: () => number;
  readonly set: (atMs: number) => void;
  /** The latest it was ever set to. */
  readonly latestMs: () => number | undefined;
}

/** A clock that goes on from the last time it was set; `tickMs` is any clock that only goes forward. */
export function createStoreClock(tickMs: () => number): StoreClock {
  let aheadMs = 0;
  let latestMs: number | undefined;
  return {
    nowMs: () => Math.floor(tickMs() + aheadMs),
    set: (atMs) => {
      aheadMs = atMs - tickMs();
      latestMs = Math.max(atMs, latestMs ?? atMs);
    },
    latestMs: () => latestMs,
  };
}

/**
 * The same counter, asked for the day of the store's clock, whatever that of the proxy says; and where it answers
 * from memory, with the time of that clock.
 */
export function onStoreTime(quota: ClosableQuota, clock: StoreClock): ClosableQuota {
  return {
    charge: async (request) => {
      const nowMs = clock.nowMs();
      const answer = await quota.charge({ ...request, day: quotaDayOf(nowMs).day });
      return answer.countedAtMs === undefined ? { ...answer, countedAtMs: nowMs } : answer;
    },
    refund: quota.refund,
    close: quota.close,
  };
}
