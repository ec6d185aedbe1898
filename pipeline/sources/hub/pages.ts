import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { AskForLess, askHub, type HubQuery } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";

/** Where a listing by `created` goes on: rows of this second or later, without those of it that were taken. */
export interface PageCursor {
  readonly createdGte: number;
  readonly skip: number;
  /** Rows before it were withheld, of which nobody knows the second: it may be that of the next row. */
  readonly isAfterWithheld?: boolean | undefined;
}

/** Before the first page. The hub ignores `created_gte: 0`, which is what we mean by it. */
export const FIRST_PAGE: PageCursor = { createdGte: 0, skip: 0 };

/** A page of rows, oldest first, and how many were asked for: fewer are the last. */
export interface HubPage {
  /** `undefined` for each that the hub has and cannot give. */
  readonly rows: readonly unknown[];
  readonly pageSize: number;
}

const Dated = z.object({ created: z.int().min(0) });

/**
 * The cursor after a full page; none after a short one, which is the last. A cursor of the second alone would lose the
 * rows that share one with the end of a page. A second counts from a row of which the second before is known too: what
 * lies between them and was withheld is skipped with it. Throws `PipelineError` SOURCE_FAILED where rows are not in
 * order of `created`. `isCut`: more rows share a second than the hub lets anybody skip, and the rest of them is passed over.
 */
export function nextPage(
  cursor: PageCursor,
  { rows, pageSize }: HubPage,
): { readonly cursor: PageCursor | undefined; readonly isCut: boolean } {
  if (rows.length < pageSize) return { cursor: undefined, isCut: false };
  let { createdGte, skip, isAfterWithheld = false } = cursor;
  let latest = createdGte;
  for (const row of rows) {
    if (row === undefined) {
      skip += 1;
      isAfterWithheld = true;
      continue;
    }
    const created = Dated.safeParse(row).data?.created;
    if (created === undefined || created < latest) {
      throw new PipelineError("SOURCE_FAILED", "the hub's rows are not in order of `created`");
    }
    const isNewSecond = created > latest && !isAfterWithheld;
    skip = isNewSecond ? 1 : skip + 1;
    if (isNewSecond) createdGte = created;
    latest = created;
    isAfterWithheld = false;
  }
  if (skip > HUB_LIMITS.skipMax) {
    // Without a row nobody knows which second to pass over, and the next may hold as little.
    const isLost = rows.every((row) => row === undefined);
    return { cursor: isLost ? undefined : { createdGte: latest + 1, skip: 0 }, isCut: true };
  }
  const isUnsure = isAfterWithheld || latest > createdGte;
  return { cursor: { createdGte, skip, ...(isUnsure ? { isAfterWithheld: true } : {}) }, isCut: false };
}

/**
 * Asks for one page of at most `pageSize` rows; of half as many, and half of that, where they are too large together, or
 * where the hub answers none of them because it cannot give one. Throws `PipelineError` SOURCE_FAILED where the answer
 * is no such page, and where too many rows had to be found in this way.
 */
export async function fetchPage(
  reading: HubReading,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  cursor: PageCursor,
  pageSize: number,
): Promise<HubPage> {
  for (let first = pageSize; ; first = Math.floor(first / 2)) {
    try {
      return { rows: await fetchRows(reading, query, where, cursor, first), pageSize: first };
    } catch (error) {
      if (!(error instanceof AskForLess)) throw error;
      if (first > 1) continue;
      if (!error.isRowWithheld) throw error;
      reading.budget.withheldAlone -= 1;
      if (reading.budget.withheldAlone >= 0) return { rows: [undefined], pageSize: 1 };
      const message = `the hub cannot give more than ${HUB_LIMITS.withheldAloneMax} rows, asked for one by one`;
      throw new PipelineError("SOURCE_FAILED", message);
    }
  }
}

/** Asks once for at most `first` rows. Throws `AskForLess` where fewer may be answered. */
export async function fetchRows(
  { door }: HubReading,
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
