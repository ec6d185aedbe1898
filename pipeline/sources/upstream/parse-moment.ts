import { DAY_MS } from "../../base/days.ts";
import type { Moment } from "../../facts/proposal.ts";
import { RowError } from "./row-error.ts";

/** Votes are no older than Ethereum; a time outside these years is a year, a block or milliseconds written as seconds. */
export const EARLIEST_S = Date.UTC(2015, 0, 1) / 1000;
/** See `EARLIEST_S`. */
export const LATEST_S = Date.UTC(2100, 0, 1) / 1000 - 1;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whole seconds of a time that can be. Throws `RowError` TIME_IMPOSSIBLE. */
export function parseSeconds(seconds: number, what: string): number {
  if (Number.isInteger(seconds) && seconds >= EARLIEST_S && seconds <= LATEST_S) return seconds;
  throw new RowError("TIME_IMPOSSIBLE", `${what} is not in whole seconds of the years 2015 to 2099`);
}

/** Start (00:00:00.000Z) of a UTC day that exists, in seconds. Throws `RowError` TIME_IMPOSSIBLE. */
export function parseDay(day: string, what: string): number {
  const atMs = DAY.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN;
  // Some engines roll 30 February over into March.
  const exists = !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
  if (!exists) throw new RowError("TIME_IMPOSSIBLE", `${what} is not a day that exists, as YYYY-MM-DD`);
  return parseSeconds(atMs / 1000, what);
}

/** A moment given to the second or, without that, to the day: its start at 00:00:00.000Z, its end at 23:59:59.999Z. */
export function parseMoment(
  given: { readonly seconds: number | null | undefined; readonly day: string | null | undefined },
  what: string,
  edge: "start" | "end",
): Moment | undefined {
  if (given.seconds != null) {
    return { atMs: parseSeconds(given.seconds, what) * 1000, precision: "second" };
  }
  if (given.day == null) return undefined;
  const fromMs = parseDay(given.day, what) * 1000;
  return { atMs: edge === "start" ? fromMs : fromMs + DAY_MS - 1, precision: "day" };
}
