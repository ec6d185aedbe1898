import { PipelineError } from "../base/pipeline-error.ts";

/** The one error for a fetch that finds another process at the same DAO and source: what both keep must not mix. */
export function busyElsewhere(): PipelineError {
  return new PipelineError("WAREHOUSE_BUSY", "another process is fetching the same DAO", {
    hint: "wait until its fetch has ended, then try again",
  });
}
