import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import type { DayCounts } from "../../quota/daily-quota.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";
import { COUNTS_LOST, type CountedIn, clocksApart, openQuotaGuard, wholeNumbers } from "./quota-guard.ts";
import { countKey, countsAround, dayOfNumber, GUARD_KEY, SET_COUNT } from "./quota-scripts.ts";

/** The time by Redis' clock. */
export async function redisNowMs(link: Pick<RedisLink, "call">): Promise<number> {
  const [time] = await link.call([["TIME"]]);
  const [seconds = 0] = wholeNumbers(Array.isArray(time) ? time.map(Number) : time, 2);
  return seconds * 1000;
}

/** The use of one account by the clock of Redis, which keeps a count for two days after its day. */
export async function readRedisUsage(link: Pick<RedisLink, "call">, account: string): Promise<DayCounts> {
  const nowMs = await redisNowMs(link);
  const days = [0, 1, 2].map((back) => dayOf(nowMs - back * DAY_MS));
  const [guard, ...rows] = (await link.call([
    ["HMGET", GUARD_KEY, "epoch", "closed_through"],
    ...days.map((day): RedisCall => ["HMGET", countKey(account, day), "used", "set"]),
  ])) as [string | null, string | null][];
  const [epoch, closed] = guard ?? [];
  const closedThrough = Number(closed ?? -1);
  // An operator may have reopened it for this account.
  const isOpen = closedThrough < 0 || rows[0]?.[1] === epoch;
  return {
    nowMs,
    days: rows.flatMap(([used], back) =>
      used === null ? [] : [{ day: days[back] ?? "", used: Number(used) }],
    ),
    closed: isOpen ? undefined : { through: dayOfNumber(closedThrough), since: COUNTS_LOST },
  };
}

/** Counts of one call; each is a run of a script. */
const COUNTS_MAX = 1_000;

/**
 * Sets what accounts have used today, by Redis' clock, and reopens the day for them if it is closed. With `raise` a count
 * that is already higher stays: no unit is granted twice. Resolves to the day and the counts before.
 */
export async function setRedisCounts(
  parts: CountedIn,
  counts: readonly { readonly account: string; readonly used: number }[],
  how: "set" | "raise" = "set",
): Promise<readonly { readonly day: string; readonly before: number }[]> {
  const guard = await openQuotaGuard(parts);
  const { epoch } = guard.state();
  const replies: unknown[] = [];
  for (let from = 0; from < counts.length; from += COUNTS_MAX) {
    const some = counts.slice(from, from + COUNTS_MAX).map(({ account, used }) => {
      const { keys, firstDay } = countsAround(account, dayOf(guard.nowMs()));
      return SET_COUNT.run(keys, [firstDay, used, epoch, how]);
    });
    replies.push(...(await guard.send(some)).slice(0, some.length));
  }
  return replies.map((reply) => {
    const [atMs = 0, before = 0] = wholeNumbers(reply, 3);
    if (before < 0) throw clocksApart(atMs);
    return { day: dayOf(atMs), before };
  });
}

/** Closes today, by Redis' clock, for every account, and returns that day. */
export async function closeRedisDay({ memory, ...parts }: CountedIn): Promise<string> {
  // An epoch that Redis has never heard of counts as lost, and its day with it.
  const lost = { epoch: Buffer.from(parts.randomBytes(16)).toString("hex"), settled: 0 };
  const guard = await openQuotaGuard({
    ...parts,
    memory: { last: () => lost, remember: memory.remember },
  });
  return dayOfNumber(guard.state().closedThrough);
}
