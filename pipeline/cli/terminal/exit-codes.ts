import { EXIT as COMMON_EXIT } from "../../../snapshots/base/command-line/program.ts";
import { isPipelineFailure, type PipelineErrorCode } from "../../facts/errors.ts";

const { interrupted, ...common } = COMMON_EXIT;

/** The exit codes; cron jobs and scripts may rely on them. */
export const EXIT = {
  ...common,
  partial: 3,
  nothingFetched: 4,
  locked: 5,
  refused: 6,
  interrupted,
} as const;

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

/** The exit codes of expected failures other than 1. */
const EXIT_OF_ERROR: Readonly<Partial<Record<PipelineErrorCode, number>>> = {
  BAD_OPTION: EXIT.usage,
  NOTHING_FETCHED: EXIT.nothingFetched,
  WAREHOUSE_BUSY: EXIT.locked,
  PUBLISH_LOCKED: EXIT.locked,
  GATE_REFUSED: EXIT.refused,
  INTERRUPTED: EXIT.interrupted,
};

export function exitOf(error: unknown): number {
  return (isPipelineFailure(error) ? EXIT_OF_ERROR[error.code] : undefined) ?? EXIT.failed;
}
