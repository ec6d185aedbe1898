import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayEndMs, dayOf, timestampOf } from "../../snapshots/format/ids.ts";

/** One request that asks for one unit of an account's day. */
export interface QuotaRequest {
  readonly account: string;
  /** UTC day of admission, `YYYY-MM-DD`, by the caller's clock. */
  readonly day: string;
  /** The limit in force at this moment. */
  readonly limit: number;
}

/** Whether the unit was granted, and what is left of the day afterwards. */
export interface QuotaAnswer {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Time by the store's clock, if it has one: the count is of that UTC day, else of the requested day. */
  readonly countedAtMs?: number;
}

/**
 * The daily counter. It resolves once the unit is on disk, and never grants one above the limit. If it
 * cannot be sure of either, it rejects, and the request is not served.
 */
export interface DailyQuota {
  readonly charge: (request: QuotaRequest) => Promise<QuotaAnswer>;
  /** Refuses an account known to be at its limit, without the store; undefined if the store must be asked. */
  readonly refuseKnown: (request: QuotaRequest) => QuotaAnswer | undefined;
  /** Refunds one unit after a response that failed through our fault; the count never drops below 0. */
  readonly refund: (request: Omit<QuotaRequest, "limit">) => Promise<void>;
}

/** Units requested together, for one account, day and limit. */
export interface UnitsAsked extends QuotaRequest {
  readonly units: number;
}

/** Units refunded together, for one account and day. */
export interface UnitsReturned extends Omit<QuotaRequest, "limit"> {
  readonly units: number;
}

export interface UnitsGranted {
  /** The count before this grant; infinite for a closed day, whose remaining units are unknown. */
  readonly used: number;
  readonly granted: number;
  readonly countedAtMs?: number;
}

/** How many of these units fit within the limit; 0 if more is used already, as after a downgrade. */
export function unitsWithin({ units, limit }: Pick<UnitsAsked, "units" | "limit">, used: number): number {
  return Math.max(0, Math.min(units, limit - used));
}

/** The response to the request at `index` of its group: first come, first served. */
export function answerAt(
  index: number,
  limit: number,
  { used, granted, countedAtMs }: UnitsGranted,
): QuotaAnswer {
  const isGranted = index < granted;
  const remaining = Math.max(0, limit - used - (isGranted ? index + 1 : granted));
  return countedAtMs === undefined ? { isGranted, remaining } : { isGranted, remaining, countedAtMs };
}

export interface QuotaDay {
  readonly day: string;
  readonly resetAtMs: number;
  /** At least 1: with 0, a caller would retry within the same day. */
  readonly secondsToReset: number;
}

/** The last day formatted: most requests share one day, and formatting it costs more than counting in it. */
let spelt = { startMs: 0, day: dayOf(0) };

/** The day of admission: fixed windows from 00:00:00 UTC to 00:00:00 UTC. */
export function quotaDayOf(nowMs: number): QuotaDay {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (startMs !== spelt.startMs) spelt = { startMs, day: dayOf(startMs) };
  const resetAtMs = startMs + DAY_MS;
  const secondsToReset = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000));
  return { day: spelt.day, resetAtMs, secondsToReset };
}

/** The warning for the operator until the last closed day is over; undefined if no day is closed now. */
export function closedDayWarning(
  throughDay: string | undefined,
  nowMs: number,
  since = "since a restore",
): string | undefined {
  if (throughDay === undefined || throughDay < dayOf(nowMs)) return undefined;
  return `${since} every account is at its limit until ${timestampOf(dayEndMs(throughDay) + 1)}`;
}

/** The most days that an operator is shown, if they are kept that long. */
export const USAGE_DAYS = 30;

export interface DayUse {
  readonly day: string;
  readonly used: number;
}

/** The counts of one account, by the counter's clock. */
export interface DayCounts {
  readonly nowMs: number;
  /** Latest first. */
  readonly days: readonly DayUse[];
  /** The last day on which this account gets nothing, and why. */
  readonly closed: { readonly through: string; readonly since?: string } | undefined;
}

/** The counts, as the operator's commands use them. */
export interface Counts {
  readonly usage: (account: string) => Promise<DayCounts>;
  /** Sets today's count; the counter's clock decides which day is today. */
  readonly set: (account: string, used: number) => Promise<{ readonly day: string; readonly before: number }>;
}
