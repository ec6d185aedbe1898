import { PATHS } from "../../format/paths.ts";

/** Every way the store refuses; callers may switch on these. */
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
 * A refusal of the store: a stable code, and a sentence that names the file by its place under the
 * snapshot root. It holds no path of the machine; the system's own words stay in `cause`.
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

/** The refusal of a file that is not what it must be. */
export function invalidFile(path: string, message: string, cause?: unknown): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${path}: ${message}`, { path, cause });
}

/** What is read, or undefined where the store refuses it. */
export function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** Does one step of publishing; what the system says against it becomes `PUBLISH_FAILED` with the step's name. */
export async function attempt<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new SnapshotError("PUBLISH_FAILED", `could not ${step} (${String(error.code)})`, { cause: error });
  }
}

/** What verification can find wrong, beside the refusals of opening. */
const SNAPSHOT_PROBLEM_CODES = [
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
type SnapshotProblemCode = (typeof SNAPSHOT_PROBLEM_CODES)[number] | SnapshotErrorCode;

/** Something wrong with a version: which file of it, a stable code, and a sentence. */
export interface SnapshotProblem {
  readonly path: string;
  readonly code: SnapshotProblemCode;
  readonly message: string;
}

/** A problem with a file, in the words that every problem has. */
export function problemWith(path: string, code: SnapshotProblemCode, message: string): SnapshotProblem {
  return { path, code, message: `${path}: ${message}` };
}

/** A refusal as a problem like any other. */
export function problemOf({ path = PATHS.manifest, code, message }: SnapshotError): SnapshotProblem {
  return { path, code, message };
}

/** A problem as a refusal. */
export function refusalOf({ path, message }: SnapshotProblem): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", message, { path });
}
