import { PipelineError } from "../../base/pipeline-error.ts";
import { askHub, type HubDoor } from "./ask-hub.ts";
import type { PageCursor } from "./page-cursor.ts";
import type { HubQuery } from "./queries.ts";

/** Asks for one page of rows, oldest first. Throws `PipelineError` SOURCE_FAILED where the answer is no list. */
export async function fetchPage(
  door: HubDoor,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  { createdGte, skip }: PageCursor,
  pageSize: number,
): Promise<readonly unknown[]> {
  const rows = await askHub(door, query, {
    where: { ...where, created_gte: createdGte },
    first: pageSize,
    skip,
    orderBy: "created",
    orderDirection: "asc",
  });
  if (!Array.isArray(rows)) {
    throw new PipelineError("SOURCE_FAILED", `the hub answered no list of ${query.field} (${query.name})`);
  }
  return rows;
}
