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

/**
 * An error of the store: a stable code, and a message with the file's path below the snapshot root. It contains no
 * local path; the system's error is the `cause`.
 */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly code: SnapshotErrorCode;
  /** The file concerned, relative to the snapshot root or to its version. */
  readonly path: string | undefined;

  constructor(code: SnapshotErrorCode, message: string, options?: { path?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
  }
}

/** The error for an invalid file. */
export function invalidFile(path: string, message: string, cause?: unknown): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${path}: ${message}`, { path, cause });
}

/** Returns a `SnapshotError`; throws any other error, which is a bug. */
export function refusalIn(error: unknown): SnapshotError {
  if (error instanceof SnapshotError) return error;
  throw error;
}

/** Returns what `read` returns, or the `SnapshotError` that it throws. */
export function orRefusal<Result>(read: () => Result): Result | SnapshotError {
  try {
    return read();
  } catch (error) {
    return refusalIn(error);
  }
}

/** Returns what `read` returns, or undefined if it throws `SnapshotError`. */
export function readable<Result>(read: () => Result): Result | undefined {
  const result = orRefusal(read);
  return result instanceof SnapshotError ? undefined : result;
}

/** Runs one step of publishing and turns system errors into `PUBLISH_FAILED` with the step's name. */
export async function attempt<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new SnapshotError("PUBLISH_FAILED", `could not ${step} (${String(error.code)})`, { cause: error });
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

/** A problem of a version: the file, a stable code, and a message. */
export interface SnapshotProblem {
  readonly path: string;
  readonly code: SnapshotProblemCode;
  readonly message: string;
}

/** A problem with a file; the message begins with its path. */
export function problemWith(path: string, code: SnapshotProblemCode, message: string): SnapshotProblem {
  return { path, code, message: `${path}: ${message}` };
}

/** Turns an error into a problem. */
export function problemOf({ path = PATHS.manifest, code, message }: SnapshotError): SnapshotProblem {
  return { path, code, message };
}

/** Turns a problem into an error. */
export function refusalOf({ path, message }: SnapshotProblem): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", message, { path });
}
