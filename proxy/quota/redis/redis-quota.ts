import type { RedisLink } from "../../redis/redis-link.ts";
import { closedDayWarning } from "../close-days.ts";
import { type ClosableQuota, createGroupCommitQuota, type OpenLedger } from "../group-commit-quota.ts";
import type { EpochMemory } from "./epoch-memory.ts";
import { COUNTS_LOST, openQuotaGuard } from "./quota-guard.ts";
import { dayOfNumber } from "./quota-keys.ts";
import { createRedisLedger } from "./redis-ledger.ts";
import { createStoreClock, onStoreTime } from "./store-clock.ts";

/** What the counter in Redis needs. */
export interface RedisQuotaParts {
  readonly link: Pick<RedisLink, "call">;
  readonly memory: EpochMemory;
  /** Any clock that only goes forward. */
  readonly tickMs: () => number;
  /** A name that nobody had before: 32 hex digits. */
  readonly newEpoch: () => string;
  /** Told what an operator must know: Redis lost what was counted, so the day is closed. */
  readonly onLost: (warning: string) => void;
  readonly onError: (error: unknown) => void;
  /** Puts something between the counter and its ledger: to count the commits. */
  readonly watch?: (ledger: OpenLedger) => OpenLedger;
}

/** The counter that proxies of several hosts share. */
export interface RedisQuota {
  readonly quota: ClosableQuota;
  /** Does to Redis what a request does, and grants nothing; every fifth time with a write. Rejects where a request would fail. */
  readonly probe: () => Promise<void>;
  /** What an operator should hear at the start. */
  readonly warning: string | undefined;
}

/** To look is a read, each second; to write as a grant does, less often. */
const WRITE_EVERY = 5;

/** Opens the counter: it begins in Redis where nobody counted before, and closes the day where Redis lost what was. */
export async function openRedisQuota(parts: RedisQuotaParts): Promise<RedisQuota> {
  const { link, memory } = parts;
  const clock = createStoreClock(parts.tickMs);
  const warningOf = (closedThrough: number): string | undefined =>
    closedThrough < 0 ? undefined : closedDayWarning(dayOfNumber(closedThrough), clock.nowMs(), COUNTS_LOST);
  const guard = await openQuotaGuard({
    link,
    memory,
    newEpoch: parts.newEpoch,
    onTime: clock.set,
    onLost: ({ closedThrough }) => parts.onLost(warningOf(closedThrough) ?? COUNTS_LOST),
  });
  const ledger = createRedisLedger({ link, guard, onTime: clock.set });
  const { watch = (same) => same, onError } = parts;
  const quota = createGroupCommitQuota({
    openLedger: () => watch({ settle: ledger.settle, close: guard.save }),
    onError,
  });
  let looks = 0;
  let isWell = false;
  return {
    quota: onStoreTime(quota, clock),
    probe: async () => {
      const mayWrite = !isWell || looks % WRITE_EVERY === 0;
      looks += 1;
      isWell = false;
      await ledger.probe(mayWrite);
      if (mayWrite) guard.save();
      isWell = true;
    },
    warning: warningOf(guard.standing().closedThrough),
  };
}
