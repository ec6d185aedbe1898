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
  if (isObject(published) && isObject(recomputed) && Array.isArray(published) === Array.isArray(recomputed)) {
    const keys = new Set([...Object.keys(published), ...Object.keys(recomputed)]);
    const join = path.endsWith("json") ? " " : ".";
    return [...keys].flatMap((key) => differencesOf(`${path}${join}${key}`, published[key], recomputed[key]));
  }
  return published === recomputed ? [] : [{ path, published, recomputed }];
}
