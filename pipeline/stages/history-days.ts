import { createHash } from "node:crypto";
import { dayEndMs, dayOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import { DAY_MS, type DailyPoint, endedDayEndsMs } from "../facts/days.ts";
import { freezeDayOf } from "../score/governance-index.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";

/** A source's final counts can come this late; until then a day is scored anew by every run (the method's §9). */
export const PROVISIONAL_DAYS = 7;

/** A year of days that have ended by `asOfMs`, and before it as many as its first quarter's members were chosen from; ascending. */
export function historyDayEndsMs(asOfMs: number): readonly number[] {
  const year = endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS["365d"]);
  const firstMs = dayEndMs(freezeDayOf(year[0] ?? asOfMs));
  const days = 1 + Math.round(((year.at(-1) ?? firstMs) - firstMs) / DAY_MS);
  return endedDayEndsMs(asOfMs, days);
}

/** Which days have to be scored, of those that nothing is kept of. */
export function missingDayEndsMs(dayEndsMs: readonly number[], kept: readonly DailyPoint[]): number[] {
  const dates = new Set(kept.map(({ date }) => date));
  if (dates.size === 0) return [...dayEndsMs];
  return dayEndsMs.filter((endMs) => !dates.has(dayOf(endMs)));
}

/** The last day that has ended by a moment. Days are compared as they are written, year first: reading each one as a time takes a hundred times as long. */
function lastEndedDay(asOfMs: number): string {
  return dayOf(endedDayEndsMs(asOfMs, 1)[0] ?? asOfMs);
}

/** Kept points of days that have ended by `asOfMs`, and those scored now, by date. */
export function joinPoints(
  kept: readonly DailyPoint[],
  scored: readonly DailyPoint[],
  asOfMs: number,
): readonly DailyPoint[] {
  const lastDay = lastEndedDay(asOfMs);
  return [...kept, ...scored]
    .filter(({ date }) => date <= lastDay)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** Those that stand from now on: what may still come of their days has come. */
export function standingPoints(points: readonly DailyPoint[], asOfMs: number): readonly DailyPoint[] {
  const lastDay = lastEndedDay(asOfMs - PROVISIONAL_DAYS * DAY_MS);
  return points.filter(({ date }) => date <= lastDay);
}

/** What the method is known by: its version, and a fingerprint of all constants, so that one changed by mistake is noticed too. */
export function methodKey(): string {
  const constants = createHash("sha256").update(JSON.stringify(METHODOLOGY)).digest("hex");
  return `${METHODOLOGY.version}+${constants.slice(0, 16)}`;
}
