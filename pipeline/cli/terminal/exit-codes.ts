import type { PipelineErrorCode } from "../../facts/errors.ts";

/** The exit codes; cron jobs and scripts may rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  nothingFetched: 4,
  locked: 5,
  refused: 6,
  interrupted: 130,
} as const;

/** The meaning of each exit code for callers. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  failed: "failed; the published version is unchanged",
  usage: "wrong usage",
  partial: "published, but some DAOs failed and were scored from older data, or the upload (--to) failed",
  nothingFetched: "nothing could be fetched",
  locked: "another run holds the lock",
  refused: "a gate refused the version",
  interrupted: "interrupted",
};

/** The exit code of every expected failure; does not compile if one is missing. */
export const EXIT_OF_ERROR: Readonly<Record<PipelineErrorCode, number>> = {
  BAD_OPTION: EXIT.usage,
  HOME_MISSING: EXIT.failed,
  HOME_INVALID: EXIT.failed,
  REGISTRY_INVALID: EXIT.failed,
  ARCHIVE_MISSING: EXIT.failed,
  SOURCE_FAILED: EXIT.failed,
  NOTHING_FETCHED: EXIT.nothingFetched,
  WAREHOUSE_BUSY: EXIT.locked,
  WAREHOUSE_CORRUPT: EXIT.failed,
  WAREHOUSE_TOO_NEW: EXIT.failed,
  NOTHING_TO_SCORE: EXIT.failed,
  DOCUMENT_INVALID: EXIT.failed,
  GATE_REFUSED: EXIT.refused,
  PUBLISH_LOCKED: EXIT.locked,
  PUBLISH_FAILED: EXIT.failed,
  SNAPSHOT_INVALID: EXIT.failed,
  SNAPSHOT_MISSING: EXIT.failed,
  SNAPSHOT_STALE: EXIT.failed,
  REMOTE_FAILED: EXIT.failed,
  REMOTE_MOVED: EXIT.failed,
  NOT_FOUND: EXIT.failed,
  OUTPUT_FAILED: EXIT.failed,
  INTERRUPTED: EXIT.interrupted,
};
