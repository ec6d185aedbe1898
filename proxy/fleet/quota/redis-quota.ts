import { closedDayWarning, quotaDayOf, type UnitsGranted } from "../../quota/daily-quota.ts";
import {
  type ClosableQuota,
  createGroupCommit,
  type GroupCommitParts,
  type QuotaLedger,
} from "../../quota/group-commit.ts";
import { assertDurableRedis, type RedisLink } from "../redis/redis-link.ts";
import { failureAgain, isStoreFailure, type StoreFailure } from "../redis/store-failure.ts";
import {
  COUNTS_LOST,
  type CountedIn,
  clocksApart,
  createStoreClock,
  openQuotaGuard,
  type QuotaGuard,
  type StoreClock,
  wholeNumbers,
} from "./quota-guard.ts";
import { countKey, countsAround, dayNumberOf, dayOfNumber, GRANT, REFUND } from "./quota-scripts.ts";

const invalidCount = (account: string): string =>
  `the count of account ${account} in Redis is no whole number, so it gets nothing: \`account usage ${account} --set N\` sets it`;

const NOT_REMEMBERED =
  "quota-epoch in the home cannot be written: after a restart, an older copy of the counts in Redis might not be noticed";

export type RedisQuota = Awaited<ReturnType<typeof openRedisQuota>>;

/**
 * Opens the counter that proxies on several hosts share: starts one in Redis if there is none yet, and closes the day if
 * Redis lost counts. `onWarning` is called when it lost them later, and when `quota-epoch` cannot be written.
 */
export async function openRedisQuota(
  parts: CountedIn & Omit<GroupCommitParts, "ledger"> & { readonly onWarning: (warning: string) => void },
) {
  const { link, onWarning } = parts;
  const clock = createStoreClock(parts.tickMs);
  const warningOf = (closedThrough: number): string | undefined =>
    closedThrough < 0 ? undefined : closedDayWarning(dayOfNumber(closedThrough), clock.nowMs(), COUNTS_LOST);
  const guard = await openQuotaGuard(parts, clock, (closedThrough) =>
    onWarning(warningOf(closedThrough) ?? COUNTS_LOST),
  );
  const invalid = new Set<string>();
  const ledger = createRedisLedger(guard, clock, (account, isValid) => {
    if (isValid) invalid.delete(account);
    else if (!invalid.has(account)) onWarning(invalidCount(account));
    if (!isValid) invalid.add(account);
  });
  const save = createSave(guard.save, onWarning);
  let unfit: StoreFailure | undefined;
  const settle: QuotaLedger["settle"] = async (asked, returned) => {
    if (unfit !== undefined) throw failureAgain(unfit);
    return ledger.settle(asked, returned);
  };
  const quota = createGroupCommit({ ...parts, ledger: { settle, close: save } });
  return {
    quota: onStoreTime(quota, clock),
    /**
     * Uses Redis like a request, but grants nothing. Without `mayWrite` it only reads, and does not check the settings of
     * Redis. Rejects if a request would fail.
     */
    probe: async (mayWrite: boolean): Promise<void> => {
      await ledger.probe(mayWrite);
      if (!mayWrite) return;
      unfit = await unfitness(link);
      if (unfit !== undefined) throw unfit;
      await save();
    },
    /** Whether the count of an account is no count, so that it gets nothing. */
    hasInvalidCount: () => invalid.size > 0,
    /** A warning for the operator at the start; undefined if there is none. */
    warning: warningOf(guard.state().closedThrough),
  };
}

/** The error if Redis' settings became unfit at run time: it counts nothing until they are fixed. */
async function unfitness(link: Pick<RedisLink, "call">): Promise<StoreFailure | undefined> {
  try {
    await assertDurableRedis(link.call);
    return undefined;
  } catch (error) {
    if (isStoreFailure(error, "REDIS_REFUSED")) return error;
    throw error;
  }
}

/** A save that never rejects: a failed one can be repeated later, so it only warns, once per outage. */
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

/**
 * The same counter, with the day of the store's clock instead of the proxy's. Refusals from memory also
 * contain the time of that clock.
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

/** Settles a group in one write: a script per account, then the guard's. Resolves if all replies are valid. */
function createRedisLedger(
  guard: QuotaGuard,
  clock: StoreClock,
  onCount: (account: string, isValid: boolean) => void,
) {
  const settle: QuotaLedger["settle"] = async (asked, returned) => {
    const { epoch, closedThrough } = guard.state();
    // The count of a closed day is unknown, or was set by an operator: refunds do not apply to it.
    const back = returned.filter(({ day }) => dayNumberOf(day) > closedThrough);
    if (back.length + asked.length === 0) return [];
    const calls = [
      ...back.map(({ account, day, units }) => REFUND.run([countKey(account, day)], [units, epoch])),
      ...asked.map(({ account, day, limit, units }) => {
        const { keys, firstDay } = countsAround(account, day);
        return GRANT.run(keys, [firstDay, units, limit, closedThrough, epoch]);
      }),
    ];
    const replies = await guard.send(calls, "write");
    return asked.map(({ account }, index): UnitsGranted => {
      const [countedAtMs = 0, used = 0, granted = 0] = wholeNumbers(replies[back.length + index], 3);
      clock.set(countedAtMs);
      if (used === -2) throw clocksApart(countedAtMs);
      onCount(account, used !== -3);
      return { used: used === -1 || used === -3 ? Number.POSITIVE_INFINITY : used, granted, countedAtMs };
    });
  };
  return {
    settle,
    /** Uses Redis like `settle`, but grants nothing; without `mayWrite` it only reads. */
    probe: async (mayWrite: boolean): Promise<void> => {
      const [time] = await guard.send([["TIME"]], mayWrite ? "write" : "read");
      const [seconds = 0, micros = 0] = wholeNumbers(Array.isArray(time) ? time.map(Number) : time, 2);
      clock.set(seconds * 1000 + Math.floor(micros / 1000));
    },
  };
}
