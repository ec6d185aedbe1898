import { PipelineError } from "../../base/pipeline-error.ts";
import type { SpaceSink } from "../../facts/space-sink.ts";
import { RowError } from "../upstream/row-error.ts";
import { HUB_LIMITS } from "./limits.ts";

/** Counts the rows of all listings of one kind and reports those that are not taken. */
export interface RowTally {
  /** Runs `take` for one row; a `RowError` out of it becomes a rejection. Answers whether the row was taken. */
  row(place: { readonly file: string; readonly line: number | undefined }, take: () => void): boolean;
  /** Throws `PipelineError` SOURCE_FAILED where more rows are malformed than a hub's ever are. */
  judge(): void;
}

/** Starts with no rows. `kind` names them in an error. */
export function createRowTally(kind: string, sink: Pick<SpaceSink, "reject">): RowTally {
  let rows = 0;
  let malformed = 0;
  return {
    row({ file, line }, take) {
      rows += 1;
      try {
        take();
        return true;
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        if (error.code === "BAD_SHAPE") malformed += 1;
        sink.reject({ file, line, code: error.code, message: error.message });
        return false;
      }
    },
    judge() {
      if (malformed <= rows * HUB_LIMITS.malformedShareMax) return;
      throw new PipelineError("SOURCE_FAILED", `${malformed} of ${rows} ${kind} of the hub are malformed`, {
        hint: "The reasons are among the rejected rows. What was fetched before is kept.",
      });
    },
  };
}
