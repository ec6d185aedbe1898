import { isDeepStrictEqual } from "node:util";

/** A value that differs between the published and the recomputed documents. */
export interface Difference {
  /** Such as `evidence/<space_id>.json components.dei.after.points`. */
  readonly path: string;
  /** `undefined` if missing on that side. */
  readonly published: unknown;
  readonly recomputed: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Lists every leaf in which two JSON values differ. Numbers must be the same doubles, as JSON preserves them. */
export function differencesOf(path: string, published: unknown, recomputed: unknown): readonly Difference[] {
  // The usual case: equal values need no paths.
  return isDeepStrictEqual(published, recomputed) ? [] : differencesWithin(path, published, recomputed);
}

function differencesWithin(path: string, published: unknown, recomputed: unknown): readonly Difference[] {
  if (isObject(published) && isObject(recomputed) && Array.isArray(published) === Array.isArray(recomputed)) {
    const keys = new Set([...Object.keys(published), ...Object.keys(recomputed)]);
    const join = path.endsWith("json") ? " " : ".";
    return [...keys].flatMap((key) =>
      differencesWithin(`${path}${join}${key}`, published[key], recomputed[key]),
    );
  }
  return published === recomputed ? [] : [{ path, published, recomputed }];
}

/** Counts the numbers, strings, booleans and nulls of a JSON value. */
export function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, child) => sum + countLeaves(child), 0);
}
