import type { DaoDetail, DaoSummary, UnscoredDao } from "../dao.ts";
import type { DaoDocuments, PublishedEvidence, PublishedListing, VersionLists } from "../published-set.ts";

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

/** Documents of DAOs as their JSON files hold them: the whole ranking behind a listing is a CSV of its own, the proposals behind a score are lines. */
type JsonDocuments = Omit<DaoDocuments, "listings" | "evidence"> & {
  readonly listings: readonly Omit<PublishedListing, "all">[];
  readonly evidence: readonly Omit<PublishedEvidence, "proposals">[];
};

/** A set as its JSON files hold it. */
export type DocumentSet = VersionLists & JsonDocuments;

/** What a listed DAO's detail must repeat: its summary, and its rankings. */
export interface Listed {
  readonly summary: DaoSummary;
  readonly rankings: DaoDetail["rankings"];
}

/** What a version says of one DAO outside the documents about it. */
export interface PartContext extends Pick<VersionLists, "asOf" | "methodologyVersion"> {
  readonly spaceId: string;
  /** Absent where it is not in the list of DAOs. */
  readonly listed: Listed | undefined;
  /** Absent where it is not in the list of DAOs without a score. */
  readonly unscored: UnscoredDao | undefined;
}

/** The documents of one DAO, of each kind at most one, and what its version says of it elsewhere. */
export type DocumentPart = JsonDocuments & PartContext;
