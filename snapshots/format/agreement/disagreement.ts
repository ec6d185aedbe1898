import { sortedJson } from "../canonical-json.ts";
import type { DaoDetail, DaoSummary, UnscoredDao } from "../dao.ts";
import type { DaoDocuments, VersionLists } from "../published-set.ts";

/** A contradiction between documents of one version: the file, and a message that begins with its path. */
export interface Disagreement {
  readonly path: string;
  readonly code: "DOCUMENTS_DISAGREE";
  readonly message: string;
}

export type Claim = readonly [holds: boolean, otherwise: string];

export function disagreementsAt(path: string, claims: readonly Claim[]): readonly Disagreement[] {
  return claims.flatMap(([holds, message]) => unless(holds, path, message));
}

export function unless(holds: boolean, path: string, message: string): readonly Disagreement[] {
  return holds ? [] : [{ path, code: "DOCUMENTS_DISAGREE", message: `${path}: ${message}` }];
}

export function isEqual(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

export function allDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Whether values rise strictly, so that none occurs twice. */
export function isAscending(values: readonly (string | number)[]): boolean {
  let before: string | number | undefined;
  for (const value of values) {
    if (before !== undefined && !(before < value)) return false;
    before = value;
  }
  return true;
}

export function isNonIncreasing(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] ?? value) >= value);
}

/** What a listed DAO's detail must repeat: its summary and its rankings. */
export interface Listed {
  readonly summary: DaoSummary;
  readonly rankings: DaoDetail["rankings"];
}

export interface PartContext extends Pick<VersionLists, "asOf" | "methodologyVersion"> {
  readonly spaceId: string;
  /** Undefined if it is not in the list of DAOs. */
  readonly listed: Listed | undefined;
  /** Undefined if it is not in the list of DAOs without a score. */
  readonly unscored: UnscoredDao | undefined;
}

/** The documents of one DAO, at most one of each kind, with its part of the version's lists. */
export type DocumentPart = DaoDocuments & PartContext;
