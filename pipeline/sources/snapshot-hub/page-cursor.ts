import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import { HUB_LIMITS } from "./limits.ts";

/** Where a listing by `created` goes on: rows of this second or later, without those of it that were taken. */
export interface PageCursor {
  readonly createdGte: number;
  readonly skip: number;
}

/** Before the first page. The hub ignores `created_gte: 0`, which is what we mean by it. */
export const FIRST_PAGE: PageCursor = { createdGte: 0, skip: 0 };

const Dated = z.object({ created: z.int().min(0) });

/**
 * The cursor after a full page; `undefined` after a short one, which is the last. A cursor of the second alone would
 * lose the rows that share one with the end of a page. Throws `PipelineError` SOURCE_FAILED where rows are not in
 * order of `created`, and where more share a second than the hub lets anybody skip.
 */
export function nextCursor(
  cursor: PageCursor,
  rows: readonly unknown[],
  pageSize: number,
): PageCursor | undefined {
  if (rows.length < pageSize) return undefined;
  let { createdGte, skip } = cursor;
  for (const row of rows) {
    const parsed = Dated.safeParse(row);
    if (!parsed.success || parsed.data.created < createdGte) {
      throw new PipelineError("SOURCE_FAILED", "the hub's rows are not in order of `created`");
    }
    skip = parsed.data.created === createdGte ? skip + 1 : 1;
    createdGte = parsed.data.created;
  }
  if (skip > HUB_LIMITS.skipMax) {
    throw new PipelineError(
      "SOURCE_FAILED",
      `more rows share a second than the hub lets anybody skip (${HUB_LIMITS.skipMax})`,
    );
  }
  return { createdGte, skip };
}
