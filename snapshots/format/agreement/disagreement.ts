import type { PublishedEvidence, PublishedListing, PublishedSet } from "../published-set.ts";

/** Something documents of one version say that cannot all be true: at which file, and a sentence that begins with it. */
export interface Disagreement {
  readonly path: string;
  readonly code: "DOCUMENTS_DISAGREE";
  readonly message: string;
}

/** Something that must hold, and what is said of its file where it does not. */
export type Claim = readonly [holds: boolean, otherwise: string];

/** The claims about one file that do not hold. */
export function disagreementsAt(path: string, claims: readonly Claim[]): readonly Disagreement[] {
  return claims.flatMap(([holds, message]) => unless(holds, path, message));
}

/** A disagreement, unless what must hold holds. */
export function unless(holds: boolean, path: string, message: string): readonly Disagreement[] {
  return holds ? [] : [{ path, code: "DOCUMENTS_DISAGREE", message: `${path}: ${message}` }];
}

/** Whether no value comes twice. */
export function allDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Whether values rise strictly, which also says that none comes twice. */
export function isAscending(values: readonly (string | number)[]): boolean {
  let before: string | number | undefined;
  for (const value of values) {
    if (before !== undefined && !(before < value)) return false;
    before = value;
  }
  return true;
}

/** Whether numbers never rise. */
export function isNonIncreasing(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] ?? value) >= value);
}

/** A set as its JSON files hold it: the whole ranking behind a listing is a CSV of its own, the proposals behind a score are lines. */
export type DocumentSet = Omit<PublishedSet, "listings" | "evidence"> & {
  readonly listings: readonly Omit<PublishedListing, "all" | "days">[];
  readonly evidence: readonly Omit<PublishedEvidence, "proposals">[];
};
