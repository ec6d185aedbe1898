import type { Moment } from "../facts/proposal.ts";

/** `undefined` as SQLite's NULL: absent is a value of its own there too. */
export function nullable<Value>(value: Value | undefined): Value | null {
  return value === undefined ? null : value;
}

/** NULL as `undefined`. */
export function optional<Value>(value: Value | null): Value | undefined {
  return value === null ? undefined : value;
}

/** A yes or no as 1 or 0, which is all that SQLite has; unknown stays unknown. */
export function bitOf(value: boolean): 0 | 1;
export function bitOf(value: boolean | undefined): 0 | 1 | null;
export function bitOf(value: boolean | undefined): 0 | 1 | null {
  if (value === undefined) return null;
  return value ? 1 : 0;
}

/** Back from `bitOf`. */
export function flagOf(value: number | null): boolean | undefined {
  return value === null ? undefined : value === 1;
}

/** Back from the two columns of a moment. */
export function momentOf(atMs: number | null, precision: string | null): Moment | undefined {
  if (atMs === null) return undefined;
  return { atMs, precision: precision === "day" ? "day" : "second" };
}
