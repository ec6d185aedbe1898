import { dayOf } from "../../../snapshots/format/ids.ts";
import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import type { UnitsGranted } from "../grant.ts";
import type { QuotaLedger } from "../group-commit.ts";
import { type QuotaGuard, QuotaLostError, wholeNumbers } from "./quota-guard.ts";
import { countKey, DAYS_TRIED, dayNumberOf, dayOfNumber, GRANT, REFUND } from "./quota-scripts.ts";

/** The counter in Redis: one write per call. */
export interface RedisLedger extends Pick<QuotaLedger, "settle"> {
  /** Does what a call does and grants nothing; without `mayWrite` it only reads. */
  readonly probe: (mayWrite: boolean) => Promise<void>;
}

/** What the ledger needs. */
export interface RedisLedgerParts {
  readonly link: Pick<RedisLink, "call">;
  readonly guard: QuotaGuard;
  /** Told what Redis' clock said. */
  readonly onTime: (atMs: number) => void;
}

/** Settles a group in one write: a script for each account, and last the guard. Nobody is answered before all came back good. */
export function createRedisLedger({ link, guard, onTime }: RedisLedgerParts): RedisLedger {
  const send = async (calls: readonly RedisCall[], last: "tick" | "look"): Promise<readonly unknown[]> => {
    const { epoch } = guard.standing();
    const replies = await link.call([...calls, ...guard[last]()]);
    guard.check(epoch, replies.slice(calls.length), last === "tick");
    return replies;
  };
  return {
    settle: async (asked, returned) => {
      const { epoch, closedThrough } = guard.standing();
      // What a closed day has used is not known, or was set by an operator: there is nothing to give back to.
      const back = returned.filter(({ day }) => dayNumberOf(day) > closedThrough);
      if (back.length + asked.length === 0) return [];
      const calls = [
        ...back.map(({ account, day, units }) => REFUND.run([countKey(account, day)], [units, epoch])),
        ...asked.map(({ account, day, limit, units }) =>
          GRANT.run(keysAround(account, day), [
            dayNumberOf(day) + DAYS_TRIED[0],
            units,
            limit,
            closedThrough,
            epoch,
          ]),
        ),
      ];
      const replies = await send(calls, "tick");
      return asked.map((_, at): UnitsGranted => {
        const [countedAtMs = 0, used = 0, granted = 0] = wholeNumbers(replies[back.length + at], 3);
        onTime(countedAtMs);
        if (used === -2) throw clocksApart(countedAtMs);
        return { used: used === -1 ? Number.POSITIVE_INFINITY : used, granted, countedAtMs };
      });
    },
    probe: async (mayWrite) => {
      const [time] = await send([["TIME"]], mayWrite ? "tick" : "look");
      const [seconds = 0, micros = 0] = wholeNumbers(Array.isArray(time) ? time.map(Number) : time, 2);
      onTime(seconds * 1000 + Math.floor(micros / 1000));
    },
  };
}

/** The counts among which a script finds that of today. */
export function keysAround(account: string, day: string): readonly string[] {
  const number = dayNumberOf(day);
  return DAYS_TRIED.map((days) => countKey(account, dayOfNumber(number + days)));
}

/** Nothing was counted then: the day that Redis is in was not among the keys. */
export function clocksApart(atMs: number): QuotaLostError {
  return new QuotaLostError(
    "QUOTA_CLOCKS_APART",
    `this clock is more than a day off that of Redis, where it is ${dayOf(atMs)}`,
  );
}
