import { Failure, type FailureParts, isFailure } from "../../snapshots/base/failure.ts";

/** Throws on a state that only a bug can cause. Invalid outside data gets a `PipelineFailure` instead. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}

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
  "WAREHOUSE_TOO_OLD",
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

interface PipelineFailureData {
  readonly gates?: readonly string[];
  /** A smaller request may succeed. */
  readonly isTooLarge?: boolean;
  /** The service answers, and has not what the registry names. */
  readonly isMissing?: boolean;
  /** The status of the answer that refused a query. */
  readonly status?: number;
  /** The row, by its index, or the field, by its name, without which the query may succeed. */
  readonly part?: number | string;
}

export type PipelineFailure = Failure<PipelineErrorCode, PipelineFailureData>;

export function pipelineFailure(
  code: PipelineErrorCode,
  message: string,
  parts?: FailureParts<PipelineFailureData>,
): PipelineFailure {
  return new Failure(code, message, parts);
}

export const isPipelineFailure = (error: unknown): error is PipelineFailure =>
  isFailure(error, PIPELINE_ERROR_CODES);

/** A source failed for one DAO, or altogether: SOURCE_FAILED. */
export function sourceFailed(message: string, parts?: FailureParts<PipelineFailureData>): PipelineFailure {
  return pipelineFailure("SOURCE_FAILED", message, parts);
}
