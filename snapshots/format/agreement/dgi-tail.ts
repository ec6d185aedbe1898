import type { DgiHistory, DgiPoint } from "../dgi.ts";
import { dayOf } from "../ids.ts";
import { DGI_PERIOD_DAYS } from "../limits.ts";
import type { DgiPeriod } from "../value-sets.ts";

const DAY_MS = 86_400_000;

/** First and last calendar day of the `days` that end with the last day which has ended at `asOf`. */
export function endedDays(asOf: string, days: number): { readonly first: string; readonly last: string } {
  const lastEndMs = Math.floor((Date.parse(asOf) + 1) / DAY_MS) * DAY_MS - 1;
  return { first: dayOf(lastEndMs - (days - 1) * DAY_MS), last: dayOf(lastEndMs) };
}

/** The history of one period, cut from the points of the longest. */
export function dgiTail(points: readonly DgiPoint[], period: DgiPeriod, asOf: string): DgiHistory {
  const { first, last } = endedDays(asOf, DGI_PERIOD_DAYS[period]);
  return { period, values: points.filter(({ date }) => date >= first && date <= last) };
}
