/** Throws on a state that only a bug can cause. Invalid outside data gets a `PipelineError` instead. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}

/** Every failure of a pipeline command that its caller can act on. */
export const PIPELINE_ERROR_CODES = [
  "BAD_OPTION",
  "HOME_MISSING",
  "HOME_INVALID",
  "REGISTRY_INVALID",
  "ARCHIVE_MISSING",
  "SOURCE_FAILED",
  "NOTHING_FETCHED",
  "WAREHOUSE_CORRUPT",
  "WAREHOUSE_TOO_NEW",
  "WAREHOUSE_BUSY",
  "NOTHING_TO_SCORE",
  "DOCUMENT_INVALID",
  "GATE_REFUSED",
  "PUBLISH_LOCKED",
  "PUBLISH_FAILED",
  "SNAPSHOT_INVALID",
  "SNAPSHOT_MISSING",
  "SNAPSHOT_STALE",
  "REMOTE_FAILED",
  "REMOTE_MOVED",
  "NOT_FOUND",
  "OUTPUT_FAILED",
  "INTERRUPTED",
] as const;
export type PipelineErrorCode = (typeof PIPELINE_ERROR_CODES)[number];

/** An expected failure: a stable code, a message (what and where) and a hint (what to do next). */
export class PipelineError extends Error {
  override readonly name = "PipelineError";
  readonly code: PipelineErrorCode;
  readonly hint: string | undefined;
  /** The cause may pass by itself, as with a server that is away: the same request may succeed later. */
  readonly isPassing: boolean;
  /** Codes of the gates that refused; empty unless the code is GATE_REFUSED. */
  readonly gates: readonly string[];

  constructor(
    code: PipelineErrorCode,
    message: string,
    options?: { hint?: string; cause?: unknown; gates?: readonly string[]; isPassing?: boolean },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options?.hint;
    this.gates = options?.gates ?? [];
    this.isPassing = options?.isPassing ?? false;
  }
}

/** A source failed for one DAO, or altogether: SOURCE_FAILED. */
export function sourceFailed(
  message: string,
  options?: { hint?: string; cause?: unknown; isPassing?: boolean },
): PipelineError {
  return new PipelineError("SOURCE_FAILED", message, options);
}
