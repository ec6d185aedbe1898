import { dayOf } from "../../../snapshots/format/ids.ts";
import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import type { QuotaAnswer, QuotaRequest } from "../daily-quota.ts";
import { DAYS_TRIED, GRANT, REFUND } from "./count-scripts.ts";
import type { QuotaGuard } from "./quota-guard.ts";
import { countKey, dayNumberOf, dayOfNumber } from "./quota-keys.ts";
import { QuotaLostError, wholeNumbers } from "./quota-lost-error.ts";

type Refund = Omit<QuotaRequest, "limit">;

/** The counter in Redis: one write per call. */
export interface RedisLedger {
  /** Takes refunds, then grants; answers in the order of the requests, after Redis has it on disk. */
  readonly settle: (
    requests: readonly QuotaRequest[],
    refunds: readonly Refund[],
  ) => Promise<readonly QuotaAnswer[]>;
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

/** Requests of one account, day and limit. */
interface Group {
  readonly request: QuotaRequest;
  readonly places: number[];
}

/** Settles all that waits in one write: a script for each account, and last the guard. Nobody is answered before all came back good. */
export function createRedisLedger({ link, guard, onTime }: RedisLedgerParts): RedisLedger {
  const send = async (calls: readonly RedisCall[], last: "tick" | "look"): Promise<readonly unknown[]> => {
    const { epoch } = guard.standing();
    const replies = await link.call([...calls, ...guard[last]()]);
    guard.check(epoch, replies.slice(calls.length), last === "tick");
    return replies;
  };
  return {
    settle: async (requests, refunds) => {
      const { epoch, closedThrough } = guard.standing();
      // What a closed day has used is not known, or was set by an operator: there is nothing to give back to.
      const back = counted(refunds.filter(({ day }) => dayNumberOf(day) > closedThrough));
      const groups = grouped(requests);
      if (back.length + groups.length === 0) return [];
      const calls = [
        ...back.map(({ key, count }) => REFUND.run([key], [count, epoch])),
        ...groups.map(({ request, places }) =>
          GRANT.run(keysAround(request.account, request.day), [
            dayNumberOf(request.day) + DAYS_TRIED[0],
            places.length,
            request.limit,
            closedThrough,
            epoch,
          ]),
        ),
      ];
      const replies = await send(calls, "tick");
      const answers: QuotaAnswer[] = [];
      groups.forEach((group, at) => {
        answerGroup(group, replies[back.length + at], { answers, onTime });
      });
      return answers;
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

function answerGroup(
  { request: { limit }, places }: Group,
  reply: unknown,
  { answers, onTime }: { readonly answers: QuotaAnswer[]; readonly onTime: (atMs: number) => void },
): void {
  const [countedAtMs = 0, used = 0, granted = 0] = wholeNumbers(reply, 3);
  onTime(countedAtMs);
  if (used === -2) throw clocksApart(countedAtMs);
  places.forEach((place, index) => {
    const isGranted = index < granted;
    const after = isGranted ? used + index + 1 : used + granted;
    const remaining = used === -1 ? 0 : Math.max(0, limit - after);
    answers[place] = { isGranted, remaining, countedAtMs };
  });
}

/** Nothing was counted then: the day that Redis is in was not among the keys. */
export function clocksApart(atMs: number): QuotaLostError {
  return new QuotaLostError(
    "QUOTA_CLOCKS_APART",
    `this clock is more than a day off that of Redis, where it is ${dayOf(atMs)}`,
  );
}

/** Refunds by count. */
function counted(refunds: readonly Refund[]): readonly { readonly key: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { account, day } of refunds) {
    const key = countKey(account, day);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({ key, count }));
}

/** In the order of their first. */
function grouped(requests: readonly QuotaRequest[]): readonly Group[] {
  const groups = new Map<string, Group>();
  requests.forEach((request, place) => {
    const name = `${request.day} ${request.limit} ${request.account}`;
    const group = groups.get(name) ?? { request, places: [] };
    group.places.push(place);
    groups.set(name, group);
  });
  return [...groups.values()];
}
