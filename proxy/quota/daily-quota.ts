import { dayEndMs, dayOf, timestampOf } from "../../snapshots/format/ids.ts";

/** One request that asks for one unit of an account's day. */
export interface QuotaRequest {
  readonly account: string;
  /** UTC day of admission, `YYYY-MM-DD`, by the clock of who asks. */
  readonly day: string;
  /** The limit in force at this moment. */
  readonly limit: number;
}

/** Whether the unit was granted, and what is left of the day afterwards. */
export interface QuotaAnswer {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** By the clock of the store, where it has one of its own: of its day is the count. Else it is of the day that was asked for. */
  readonly countedAtMs?: number;
}

/**
 * The daily counter. It answers after the unit is on disk, and never grants one above the limit; where it
 * cannot be sure it rejects, and the request is not served.
 */
export interface DailyQuota {
  readonly charge: (request: QuotaRequest) => Promise<QuotaAnswer>;
  /** Refuses an account that is known to be at its limit, without asking the store; undefined where that must be asked. */
  readonly refuseKnown: (request: QuotaRequest) => QuotaAnswer | undefined;
  /** Gives one unit back, for an answer that was our own failure; never below 0. */
  readonly refund: (request: Omit<QuotaRequest, "limit">) => Promise<void>;
}

/** Units that are asked for together: of one account and day, within one limit. */
export interface UnitsAsked extends QuotaRequest {
  readonly units: number;
}

/** Units of one account and day that are given back together. */
export interface UnitsReturned extends Omit<QuotaRequest, "limit"> {
  readonly units: number;
}

/** What came of units that were asked for together. */
export interface UnitsGranted {
  /** The count before; infinite for a day that is closed, of which nothing is known to be left. */
  readonly used: number;
  readonly granted: number;
  readonly countedAtMs?: number;
}

/** How many of these units are left within the limit; none where more is used already, as after a downgrade. */
export function unitsWithin({ units, limit }: Pick<UnitsAsked, "units" | "limit">, used: number): number {
  return Math.max(0, Math.min(units, limit - used));
}

/** The answer to the request at `index` of those that asked together: the first come are served first. */
export function answerAt(
  index: number,
  limit: number,
  { used, granted, countedAtMs }: UnitsGranted,
): QuotaAnswer {
  const isGranted = index < granted;
  const remaining = Math.max(0, limit - used - (isGranted ? index + 1 : granted));
  return countedAtMs === undefined ? { isGranted, remaining } : { isGranted, remaining, countedAtMs };
}

/** The UTC day a moment is counted in, and when that day's count ends. */
export interface QuotaDay {
  readonly day: string;
  readonly resetAtMs: number;
  /** At least 1: a caller who got 0 would ask again within the same day. */
  readonly secondsToReset: number;
}

const DAY_MS = 86_400_000;

/** The last day that was spelt: almost every request is of the same one, and spelling it costs more than counting in it. */
let spelt = { startMs: 0, day: dayOf(0) };

/** The day of admission: fixed windows from 00:00:00 UTC to 00:00:00 UTC. */
export function quotaDayOf(nowMs: number): QuotaDay {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (startMs !== spelt.startMs) spelt = { startMs, day: dayOf(startMs) };
  const resetAtMs = startMs + DAY_MS;
  const secondsToReset = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000));
  return { day: spelt.day, resetAtMs, secondsToReset };
}

/** What an operator should hear while a day that is closed is not over; undefined where none is. */
export function closedDayWarning(
  throughDay: string | undefined,
  nowMs: number,
  since = "since a restore",
): string | undefined {
  if (throughDay === undefined || throughDay < dayOf(nowMs)) return undefined;
  return `${since} every account is at its limit until ${timestampOf(dayEndMs(throughDay) + 1)}`;
}
