import { dayOf } from "../../../snapshots/format/ids.ts";
import type { DayUse } from "../../quota/daily-quota.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";
import {
  type CountedIn,
  clocksApart,
  createStoreClock,
  invalidReply,
  openQuotaGuard,
  wholeNumbers,
} from "./quota-guard.ts";
import { countKey, countsAround, dayNumberOf, dayOfNumber, GUARD_KEY, SET_COUNT } from "./quota-scripts.ts";

/** The use of one account in Redis, by the clock of Redis. */
export interface RedisUsage {
  readonly nowMs: number;
  /** Latest first; Redis keeps a count for two days after its day. */
  readonly days: readonly DayUse[];
  /** The last closed day; undefined if none, or if an operator reopened it for this account. */
  readonly closedThrough: string | undefined;
}

/** Today and the two days before it. */
const DAYS_KEPT = 3;

/** The time by Redis' clock. */
export async function redisNowMs(link: Pick<RedisLink, "call">): Promise<number> {
  const [time] = await link.call([["TIME"]]);
  const [seconds = 0] = wholeNumbers(Array.isArray(time) ? time.map(Number) : time, 2);
  return seconds * 1000;
}

export async function readRedisUsage(link: Pick<RedisLink, "call">, account: string): Promise<RedisUsage> {
  const [time, guard] = await link.call([["TIME"], ["HMGET", GUARD_KEY, "epoch", "closed_through"]]);
  const [seconds = 0] = wholeNumbers(Array.isArray(time) ? time.map(Number) : time, 2);
  const days = Array.from({ length: DAYS_KEPT }, (_, back) => dayOf((seconds - back * 86_400) * 1000));
  const rows = await link.call(
    days.map((day): RedisCall => ["HMGET", countKey(account, day), "used", "set"]),
  );
  const [epoch, closed] = pairOf(guard);
  const [, setIn] = pairOf(rows[0]);
  const closedNumber = Number(closed ?? -1);
  return {
    nowMs: seconds * 1000,
    days: days.flatMap((day, index) => {
      const [used] = pairOf(rows[index]);
      return used === undefined ? [] : [{ day, used: Number(used) }];
    }),
    closedThrough: closedNumber < 0 || setIn === epoch ? undefined : dayOfNumber(closedNumber),
  };
}

/** A count that was set, and the count before. */
export interface CountSet extends DayUse {
  readonly account: string;
  readonly before: number;
}

/**
 * Sets what accounts have used today, by Redis' clock, and reopens the day for them if it is closed. If
 * `onlyDay` is not today there, it rejects and sets nothing.
 */
export async function setRedisCounts(
  parts: CountedIn,
  counts: readonly { readonly account: string; readonly used: number }[],
  onlyDay?: string,
): Promise<readonly CountSet[]> {
  const clock = createStoreClock(() => 0);
  const guard = await openQuotaGuard(parts, clock);
  const { epoch } = guard.state();
  const calls = counts.map(({ account, used }) => {
    const { keys, firstDay } =
      onlyDay === undefined
        ? countsAround(account, dayOf(clock.nowMs()))
        : { keys: [countKey(account, onlyDay)], firstDay: dayNumberOf(onlyDay) };
    return SET_COUNT.run(keys, [firstDay, used, epoch]);
  });
  const replies = await guard.send(calls, "write");
  return counts.map(({ account, used }, index) => {
    const [atMs = 0, before = 0] = wholeNumbers(replies[index], 3);
    if (before < 0) throw clocksApart(atMs);
    return { account, day: dayOf(atMs), used, before };
  });
}

/** Counts of one call; each is a run of a script. */
const COUNTS_MAX = 1_000;

/** Sets counts of `day`, which must be today there; one that is already higher stays: no unit is granted twice. */
export async function raiseRedisCounts(
  parts: CountedIn,
  counts: readonly { readonly account: string; readonly used: number }[],
  day: string,
): Promise<void> {
  for (let from = 0; from < counts.length; from += COUNTS_MAX) {
    const some = counts.slice(from, from + COUNTS_MAX);
    const there = await parts.link.call(
      some.map(({ account }): RedisCall => ["HGET", countKey(account, day), "used"]),
    );
    const raised = some.map(({ account, used }, index) => ({
      account,
      used: Math.max(used, Number(there[index] ?? 0)),
    }));
    await setRedisCounts(parts, raised, day);
  }
}

/** Closes today, by Redis' clock, for every account, and returns that day. */
export async function closeRedisDay({ memory, ...parts }: CountedIn): Promise<string> {
  // An epoch that Redis has never heard of counts as lost, and its day with it.
  const lost = { epoch: Buffer.from(parts.randomBytes(16)).toString("hex"), settled: 0 };
  const counted = { ...parts, memory: { last: () => lost, remember: memory.remember } };
  const guard = await openQuotaGuard(
    counted,
    createStoreClock(() => 0),
  );
  return dayOfNumber(guard.state().closedThrough);
}

function pairOf(reply: unknown): readonly (string | undefined)[] {
  if (!Array.isArray(reply) || reply.length !== 2) throw invalidReply("two fields were expected");
  return reply.map((field) => (typeof field === "string" ? field : undefined));
}
