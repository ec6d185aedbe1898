import { quotaDayOf, type UnitsGranted } from "../../quota/daily-quota.ts";
import {
  type ClosableQuota,
  createGroupCommit,
  type GroupCommitParts,
  type QuotaLedger,
} from "../../quota/group-commit.ts";
import type { RedisLink } from "../redis/redis-link.ts";
import { type CountedIn, clocksApart, openQuotaGuard, wholeNumbers } from "./quota-guard.ts";
import { countKey, countsAround, dayNumberOf, GRANT, REFUND } from "./quota-scripts.ts";

const NOT_REMEMBERED =
  "quota-epoch in the home cannot be written: after a restart, an older copy of the counts in Redis might not be noticed";

interface RedisQuotaParts extends CountedIn, Omit<GroupCommitParts, "ledger"> {
  readonly link: Pick<RedisLink, "call" | "check">;
  readonly onWarning: (warning: string) => void;
}

/**
 * Opens the counter that proxies on several hosts share: starts one in Redis if there is none yet, and closes the day if
 * Redis lost counts. `onWarning` is called when it lost them later, and when `quota-epoch` cannot be written.
 */
export async function openRedisQuota(parts: RedisQuotaParts) {
  const { link, tickMs, onWarning } = parts;
  const guard = await openQuotaGuard(parts, tickMs, onWarning);
  /** Accounts whose count is no count, so that they get nothing. */
  const invalid = new Set<string>();
  const noteInvalid = (account: string): void => {
    if (!invalid.has(account)) {
      onWarning(
        `the count of account ${account} in Redis is no whole number, so it gets nothing: \`account usage ${account} --set N\` sets it`,
      );
    }
    invalid.add(account);
  };
  let isTold = false;
  /** Never rejects: a failed save can be repeated later, so it only warns, once per outage. */
  const save = async (): Promise<void> => {
    try {
      await guard.save();
      isTold = false;
    } catch {
      if (!isTold) onWarning(NOT_REMEMBERED);
      isTold = true;
    }
  };
  /** Settles a group in one write: a script per account, then the guard's. */
  const settle: QuotaLedger["settle"] = async (asked, returned) => {
    const { epoch, closedThrough } = guard.state();
    // The count of a closed day is unknown, or was set by an operator: refunds do not apply to it.
    const back = returned.filter(({ day }) => dayNumberOf(day) > closedThrough);
    if (back.length + asked.length === 0) return [];
    const replies = await guard.send([
      ...back.map(({ account, day, units }) => REFUND.run([countKey(account, day)], [units, epoch])),
      ...asked.map(({ account, day, limit, units }) => {
        const { keys, firstDay } = countsAround(account, day);
        return GRANT.run(keys, [firstDay, units, limit, closedThrough, epoch]);
      }),
    ]);
    return asked.map(({ account }, index): UnitsGranted => {
      const [countedAtMs = 0, used = 0, granted = 0] = wholeNumbers(replies[back.length + index], 3);
      if (used === -2) throw clocksApart(countedAtMs);
      if (used === -3) noteInvalid(account);
      else invalid.delete(account);
      return { used: used < 0 ? Number.POSITIVE_INFINITY : used, granted, countedAtMs };
    });
  };
  const quota = createGroupCommit({ ...parts, ledger: { settle, close: save } });
  return {
    /** Counts by the day of Redis' clock, whatever the proxy's own says. */
    quota: {
      ...quota,
      charge: (request) => quota.charge({ ...request, day: quotaDayOf(guard.nowMs()).day }),
      refuseKnown: (request) => {
        const countedAtMs = guard.nowMs();
        const answer = quota.refuseKnown({ ...request, day: quotaDayOf(countedAtMs).day });
        return answer && { ...answer, countedAtMs };
      },
    } satisfies ClosableQuota,
    /** Writes to Redis like a request, but grants nothing. With `mayWrite` it also checks settings, and saves the epoch. */
    probe: async (mayWrite: boolean): Promise<void> => {
      await guard.send([]);
      if (!mayWrite) return;
      await link.check();
      await save();
    },
    /** Whether the count of an account is no count, so that it gets nothing. */
    hasInvalidCount: () => invalid.size > 0,
    /** A warning for the operator at the start; undefined if there is none. */
    warning: guard.warning(),
  };
}
