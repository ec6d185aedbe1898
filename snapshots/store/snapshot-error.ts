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
