import { assertDurableRedis } from "../../redis/assert-durable-redis.ts";
import { RedisError } from "../../redis/redis-error.ts";
import type { RedisLink } from "../../redis/redis-link.ts";
import { closedDayWarning, quotaDayOf } from "../daily-quota.ts";
import { type ClosableQuota, createGroupCommit, type QuotaLedger } from "../group-commit.ts";
import type { EpochMemory } from "./epoch-memory.ts";
import { COUNTS_LOST, openQuotaGuard } from "./quota-guard.ts";
import { dayOfNumber } from "./quota-scripts.ts";
import { createRedisLedger } from "./redis-ledger.ts";

/** What the counter in Redis needs. */
export interface RedisQuotaParts {
  /** One that has loaded `QUOTA_SCRIPTS`. */
  readonly link: Pick<RedisLink, "call">;
  readonly memory: EpochMemory;
  /** Any clock that only goes forward. */
  readonly tickMs: () => number;
  /** A name that nobody had before: 32 hex digits. */
  readonly newEpoch: () => string;
  /** Told what an operator must know: Redis lost what was counted, or that could not be remembered. */
  readonly onWarning: (warning: string) => void;
  readonly onError: (error: unknown) => void;
  /** Puts something between the counter and its ledger: to count the commits. */
  readonly watch?: (ledger: QuotaLedger) => QuotaLedger;
}

/** The counter that proxies of several hosts share. */
export interface RedisQuota {
  readonly quota: ClosableQuota;
  /**
   * Does to Redis what a request does, and grants nothing; every fifth time with a write, and with a look at its settings.
   * Rejects where a request would fail.
   */
  readonly probe: () => Promise<void>;
  /** What an operator should hear at the start. */
  readonly warning: string | undefined;
}

/** To look is a read, each second; to write as a grant does, less often. */
const WRITE_EVERY = 5;

const NOT_REMEMBERED =
  "quota-epoch in the home cannot be written: after a restart, an older copy of the counts in Redis might not be noticed";

/** Opens the counter: it begins in Redis where nobody counted before, and closes the day where Redis lost what was. */
export async function openRedisQuota(parts: RedisQuotaParts): Promise<RedisQuota> {
  const { link, memory, onWarning, onError } = parts;
  const clock = createStoreClock(parts.tickMs);
  const warningOf = (closedThrough: number): string | undefined =>
    closedThrough < 0 ? undefined : closedDayWarning(dayOfNumber(closedThrough), clock.nowMs(), COUNTS_LOST);
  const guard = await openQuotaGuard({
    link,
    memory,
    newEpoch: parts.newEpoch,
    onTime: clock.set,
    latestMs: clock.latestMs,
    onLost: ({ closedThrough }) => onWarning(warningOf(closedThrough) ?? COUNTS_LOST),
  });
  const ledger = createRedisLedger({ link, guard, onTime: clock.set });
  const save = createSave(guard.save, onWarning);
  let unfit: RedisError | undefined;
  const settle: QuotaLedger["settle"] = async (asked, returned) => {
    if (unfit !== undefined) throw new RedisError(unfit.code, unfit.reason, unfit.message);
    return ledger.settle(asked, returned);
  };
  const { watch = (same) => same, tickMs } = parts;
  const quota = createGroupCommit({ ledger: watch({ settle, close: save }), tickMs, onError });
  let looks = 0;
  let isWell = false;
  return {
    quota: onStoreTime(quota, clock),
    probe: async () => {
      const mayWrite = !isWell || looks % WRITE_EVERY === 0;
      looks += 1;
      isWell = false;
      await ledger.probe(mayWrite);
      if (mayWrite) {
        unfit = await unfitness(link);
        if (unfit !== undefined) throw unfit;
        await save();
      }
      isWell = true;
    },
    warning: warningOf(guard.standing().closedThrough),
  };
}

/** Its settings can be changed while it runs: then nothing more is counted in it, until they are right again. */
async function unfitness(link: Pick<RedisLink, "call">): Promise<RedisError | undefined> {
  try {
    await assertDurableRedis(link.call);
    return undefined;
  } catch (error) {
    if (error instanceof RedisError && error.code === "REDIS_REFUSED") return error;
    throw error;
  }
}

/** What is not remembered can be remembered later: it stops nobody, and is told once. */
function createSave(save: () => Promise<void>, onWarning: (warning: string) => void): () => Promise<void> {
  let isTold = false;
  return async () => {
    try {
      await save();
      isTold = false;
    } catch {
      if (!isTold) onWarning(NOT_REMEMBERED);
      isTold = true;
    }
  };
}

/** What Redis' clock says, told by what it said last and by ours, which nobody sets. */
interface StoreClock {
  readonly nowMs: () => number;
  readonly set: (atMs: number) => void;
  /** The latest it was ever set to. */
  readonly latestMs: () => number | undefined;
}

/** A clock that goes on from the last time it was set; `tickMs` is any clock that only goes forward. */
function createStoreClock(tickMs: () => number): StoreClock {
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
function onStoreTime(quota: ClosableQuota, clock: StoreClock): ClosableQuota {
  return {
    ...quota,
    charge: (request) => quota.charge({ ...request, day: quotaDayOf(clock.nowMs()).day }),
    refuseKnown: (request) => {
      const nowMs = clock.nowMs();
      const answer = quota.refuseKnown({ ...request, day: quotaDayOf(nowMs).day });
      return answer && { ...answer, countedAtMs: nowMs };
    },
  };
}
