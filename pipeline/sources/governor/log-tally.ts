import { PipelineError } from "../../base/pipeline-error.ts";
import type { SpaceSink } from "../../facts/space-sink.ts";
import { RowError } from "../upstream/row-error.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";

/** Counts the logs of one contract and reports those that are not taken. */
export interface LogTally {
  /** What `take` answers for one log; a `RowError` out of it becomes a rejection and `undefined`. */
  log<Taken>(take: () => Taken): Taken | undefined;
  /** Reports how often the node cut an answer; nothing of it was lost. */
  cuts(count: number): void;
  /** Throws `PipelineError` SOURCE_FAILED where too many logs could not be taken to trust the rest. */
  judge(): void;
}

/** Starts with no logs. `file` is what rejections are listed under; so many as `borne` fail nothing. */
export function createLogTally(file: string, sink: Pick<SpaceSink, "reject">, borne = 0): LogTally {
  let logs = 0;
  let refused = 0;
  return {
    log(take) {
      logs += 1;
      try {
        return take();
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        if (error.code !== "PROPOSAL_UNKNOWN" && error.code !== "PROPOSAL_DUPLICATE") refused += 1;
        sink.reject({ file, line: logs, code: error.code, message: error.message });
        return undefined;
      }
    },
    cuts(count) {
      if (count === 0) return;
      const message = `the node cut ${count} of its answers without a word; they were read again in parts`;
      sink.reject({ file, line: undefined, code: "ANSWER_CUT", message });
    },
    judge() {
      if (refused <= Math.max(borne, logs * GOVERNOR_LIMITS.malformedShareMax)) return;
      throw new PipelineError("SOURCE_FAILED", `${file}: ${refused} of ${logs} logs could not be taken`, {
        hint: "The contract is not of the kind that the registry says. What was fetched before is kept.",
      });
    },
  };
}
