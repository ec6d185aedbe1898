import { PipelineError } from "../../base/pipeline-error.ts";
import { AnswerTooLarge } from "./answer-too-large.ts";
import { askHub, type HubDoor } from "./ask-hub.ts";
import type { PageCursor } from "./page-cursor.ts";
import type { HubQuery } from "./queries.ts";

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
