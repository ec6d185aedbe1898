import { PipelineError } from "../base/pipeline-error.ts";

/** The one error for a warehouse that no longer says what was written into it. */
export function corrupt(what: string, cause?: unknown): PipelineError {
  return new PipelineError("WAREHOUSE_CORRUPT", `the warehouse is damaged: ${what}`, {
    hint:
      "move the file away (warehouse.db in the home, with its -wal and -shm); put that of the backup in its place, or fetch " +
      "again (days before the last year are gone then); what was published before is not touched by this",
    ...(cause === undefined ? {} : { cause }),
  });
}
