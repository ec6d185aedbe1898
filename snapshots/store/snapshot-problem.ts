import type { SnapshotErrorCode } from "./snapshot-error.ts";

/** What verification can find wrong, beside the refusals of opening. */
export const SNAPSHOT_PROBLEM_CODES = [
  "FILE_MISSING",
  "FILE_UNREADABLE",
  "FILE_WRONG_SIZE",
  "FILE_WRONG_HASH",
  "FILE_NOT_LISTED",
  "DOCUMENT_UNKNOWN",
  "DOCUMENT_NOT_CANONICAL",
  "DOCUMENTS_DISAGREE",
  "INDEX_DIFFERS",
  "DATA_PACKAGE_DIFFERS",
] as const;
export type SnapshotProblemCode = (typeof SNAPSHOT_PROBLEM_CODES)[number] | SnapshotErrorCode;

/** Something wrong with a version: which file of it, a stable code, and a sentence. */
export interface SnapshotProblem {
  readonly path: string;
  readonly code: SnapshotProblemCode;
  readonly message: string;
}
