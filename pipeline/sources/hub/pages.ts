import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { AnswerTooLarge, askHub, type HubDoor, type HubQuery } from "./ask-hub.ts";
import { HUB_LIMITS } from "./hub-reading.ts";

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

/** A page of rows, oldest first, and how many were asked for: fewer are the last. */
export interface HubPage {
  readonly rows: readonly unknown[];
  readonly pageSize: number;
}

/**
 * Asks for one page of at most `pageSize` rows; of half as many, and half of that, where they are too large together.
 * Throws `PipelineError` SOURCE_FAILED where the answer is no such page.
 */
export async function fetchPage(
  door: HubDoor,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  cursor: PageCursor,
  pageSize: number,
): Promise<HubPage> {
  for (let first = pageSize; ; first = Math.floor(first / 2)) {
    try {
      return { rows: await askForRows(door, query, where, cursor, first), pageSize: first };
    } catch (error) {
      if (!(error instanceof AnswerTooLarge) || first === 1) throw error;
    }
  }
}

async function askForRows(
  door: HubDoor,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  { createdGte, skip }: PageCursor,
  first: number,
): Promise<readonly unknown[]> {
  const rows = await askHub(door, query, {
    where: { ...where, created_gte: createdGte },
    first,
    skip,
    orderBy: "created",
    orderDirection: "asc",
  });
  if (!Array.isArray(rows)) {
    throw new PipelineError("SOURCE_FAILED", `the hub answered no list of ${query.field} (${query.name})`);
  }
  // Before anybody looks at a single one of them.
  if (rows.length > first) {
    throw new PipelineError("SOURCE_FAILED", `the hub answered more than the ${first} rows of a page`);
  }
  return rows;
}
