/** What the counter knows of itself: `epoch`, `before`, `closed_through`, `settled`. */
export const GUARD_KEY = "govdata:guard";

/** How many writes of one process were counted; `id` is its own. What stands in the braces keeps it beside the guard in a cluster. */
export function processKey(id: string): string {
  return `{${GUARD_KEY}}:process:${id}`;
}

const DAY_MS = 86_400_000;

/**
 * The hash of one account and day: `used`, and `set` where an operator has said what was used. A cluster looks only at
 * what stands in the braces, so all days of an account lie on one node.
 */
export function countKey(account: string, day: string): string {
  return `govdata:quota:{${account}}:${day}`;
}

/** A day as Redis counts them, from 1970-01-01 on. */
export function dayNumberOf(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS);
}

/** The same day, spelt. */
export function dayOfNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}
