import { isDeepStrictEqual } from "node:util";

/** One place where what is published is not what follows from it. */
export interface Difference {
  /** As `evidence/<space_id>.json components.dei.after.points`. */
  readonly path: string;
  /** `undefined` where one of the two has nothing there. */
  readonly published: unknown;
  readonly recomputed: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Every leaf in which two JSON values differ. Numbers must be the very same doubles: JSON carries them whole. */
export function differencesOf(path: string, published: unknown, recomputed: unknown): readonly Difference[] {
  // Nearly always: then no path is spelled for any of a million leaves.
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

/** A published value beside the one derived again; `undefined` is a document that is not there. */
export interface Compared {
  readonly path: string;
  readonly published: unknown;
  readonly derived: unknown;
}

/** How many numbers, words and nulls a JSON value holds. */
export function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countLeaves(each), 0);
}
