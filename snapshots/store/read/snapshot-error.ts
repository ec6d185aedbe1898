import { errorCode, Failure, type FailureParts, isFailure } from "../../base/failure.ts";
import { printableLine } from "../../base/plain-text.ts";
import { PATHS } from "../../format/paths.ts";

/** Every error code of the store; callers may switch on these. */
export const SNAPSHOT_ERROR_CODES = [
  "SNAPSHOT_MISSING",
  "SNAPSHOT_INVALID",
  "SNAPSHOT_FORMAT_UNKNOWN",
  "SNAPSHOT_ROLLED_BACK",
  "SNAPSHOT_UNSIGNED",
  "DOCUMENT_INVALID",
  "PUBLISH_LOCKED",
  "PUBLISH_FAILED",
] as const;
export type SnapshotErrorCode = (typeof SNAPSHOT_ERROR_CODES)[number];

export type SnapshotFailure = Failure<SnapshotErrorCode, SnapshotProblemCode>;

/**
 * A failure of the store; the message names the file by its path below the snapshot root. It may contain names and keys
 * of a forged version, which must not steer the terminal or add lines to it.
 */
export function snapshotFailure(
  code: SnapshotErrorCode,
  message: string,
  parts?: FailureParts<SnapshotProblemCode>,
): SnapshotFailure {
  return new Failure(code, printableLine(message), parts);
}

export const isSnapshotFailure = (error: unknown): error is SnapshotFailure =>
  isFailure(error, SNAPSHOT_ERROR_CODES);

export function invalidFile(path: string, message: string, cause?: unknown): SnapshotFailure {
  return snapshotFailure("SNAPSHOT_INVALID", `${path}: ${message}`, { path, cause });
}

/** Returns a failure of the store; throws any other error, which is a bug. */
export function refusalIn(error: unknown): SnapshotFailure {
  if (isSnapshotFailure(error)) return error;
  throw error;
}

export function orRefusal<Result>(read: () => Result): Result | SnapshotFailure {
  try {
    return read();
  } catch (error) {
    return refusalIn(error);
  }
}

export function readable<Result>(read: () => Result): Result | undefined {
  const result = orRefusal(read);
  return isSnapshotFailure(result) ? undefined : result;
}

/** Runs one step of publishing and turns system errors into `PUBLISH_FAILED` with the step's name. */
export async function attempt<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (isSnapshotFailure(error) || code === undefined) throw error;
    throw snapshotFailure("PUBLISH_FAILED", `could not ${step} (${code})`, { cause: error });
  }
}

/** Codes of problems that verification can find, in addition to the error codes. */
type SnapshotProblemCode =
  | SnapshotErrorCode
  | "FILE_MISSING"
  | "FILE_UNREADABLE"
  | "FILE_WRONG_SIZE"
  | "FILE_WRONG_HASH"
  | "FILE_NOT_LISTED"
  | "DOCUMENT_UNKNOWN"
  | "DOCUMENT_NOT_CANONICAL"
  | "DOCUMENTS_DISAGREE"
  | "INDEX_DIFFERS"
  | "DATA_PACKAGE_DIFFERS";

export interface SnapshotProblem {
  readonly path: string;
  readonly code: SnapshotProblemCode;
  readonly message: string;
}

/** A failure of a file in itself, with the code that verification gives it. */
export function damagedFile(
  path: string,
  data: SnapshotProblemCode,
  message: string,
  cause?: unknown,
  code: SnapshotErrorCode = "SNAPSHOT_INVALID",
): SnapshotFailure {
  return snapshotFailure(code, `${path}: ${message}`, { path, cause, data });
}

/** A problem with a file; the message begins with its path, as it may be printed. */
export function problemWith(path: string, code: SnapshotProblemCode, message: string): SnapshotProblem {
  return { path, code, message: printableLine(`${path}: ${message}`) };
}

export function problemOf({ path = PATHS.manifest, code, message }: SnapshotFailure): SnapshotProblem {
  return { path, code, message };
}

export function refusalOf({ path, message }: SnapshotProblem): SnapshotFailure {
  return snapshotFailure("SNAPSHOT_INVALID", message, { path });
}
