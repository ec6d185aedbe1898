import { type Difference, differencesOf } from "../documents/differences.ts";

/** A published value beside the one derived again; `undefined` is a document that is not there. */
export interface Compared {
  readonly path: string;
  readonly published: unknown;
  readonly derived: unknown;
}

/** How many numbers, words and gaps a JSON value holds. */
export function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countLeaves(each), 0);
}

/** The differences of one comparison, leaf by leaf. */
export function compare({ path, published, derived }: Compared): readonly Difference[] {
  return differencesOf(path, published, derived);
}
