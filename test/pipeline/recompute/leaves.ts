/** The way to a leaf of a JSON value: keys and indexes. */
export type LeafPath = readonly (string | number)[];

/** The path of every leaf of a JSON value. */
export function leavesOf(value: unknown, path: LeafPath = []): LeafPath[] {
  if (typeof value !== "object" || value === null) return [path];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, [...path, isList ? Number(key) : key]),
  );
}

/** The leaf at a path. */
export function leafAt(value: unknown, path: LeafPath): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
}

/** A copy with another leaf. */
export function withLeaf<Value>(value: Value, path: LeafPath, leaf: unknown): Value {
  const [key, ...rest] = path;
  if (key === undefined) return leaf as Value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = withLeaf(copy[key], rest, leaf);
  return copy as Value;
}
