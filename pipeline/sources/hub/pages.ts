import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { AskForLess, askHub, type HubQuery } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";

/** Where a listing by `created` continues: rows of this second or later, skipping those already read. */
export const PageCursor = z.object({
  createdGte: z.int().min(0),
  skip: z.int().min(0),
  /** Withheld rows precede it; they have an unknown second, which may be that of the next row. */
  isAfterWithheld: z.boolean().optional(),
});
export type PageCursor = z.infer<typeof PageCursor>;

/** Before the first page. The hub ignores `created_gte: 0`, which is right: all rows are wanted. */
export const FIRST_PAGE: PageCursor = { createdGte: 0, skip: 0 };

/** A page of rows, oldest first, with the requested size; a shorter page is the last. */
export interface HubPage {
  /** `undefined` for each row that the hub has but cannot return. */
  readonly rows: readonly unknown[];
  readonly pageSize: number;
}

const Dated = z.object({ created: z.int().min(0) });

/**
 * The cursor after a full page; `undefined` after a short one, which is the last. A cursor by second alone
 * would lose rows that share a second with the end of a page, so rows of that second are skipped by count. A
 * new second starts only at a row whose previous row is known, so that withheld rows between them are skipped
 * too. `isCut`: more rows share a second than the hub allows to skip, and the others are lost. Throws
 * `PipelineError` SOURCE_FAILED if the rows are not sorted by `created`.
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
      throw sourceFailed("the hub's rows are not in order of `created`");
    }
    const isNewSecond = created > latest && !isAfterWithheld;
    skip = isNewSecond ? 1 : skip + 1;
    if (isNewSecond) createdGte = created;
    latest = created;
    isAfterWithheld = false;
  }
  if (skip > HUB_LIMITS.skipMax) {
    // Without a row, the second to continue after is unknown.
    const isLost = rows.every((row) => row === undefined);
    return { cursor: isLost ? undefined : { createdGte: latest + 1, skip: 0 }, isCut: true };
  }
  const isUnsure = isAfterWithheld || latest > createdGte;
  return { cursor: { createdGte, skip, ...(isUnsure ? { isAfterWithheld: true } : {}) }, isCut: false };
}

/**
 * Fetches one page of at most `pageSize` rows. Halves the size while the answer is too large, or while the
 * hub returns nothing because of one row. Throws `PipelineError` SOURCE_FAILED if the answer is not such a
 * page, or if too many single rows were withheld.
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
      const most = HUB_LIMITS.withheldAloneMax;
      throw sourceFailed(`the hub cannot return more than ${most} rows requested one by one`);
    }
  }
}

/** Sends one request for at most `first` rows. Throws `AskForLess` if fewer may be returned. */
export async function fetchRows(
  { hub }: HubReading,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  { createdGte, skip }: PageCursor,
  first: number,
): Promise<readonly unknown[]> {
  const rows = await askHub(hub, query, {
    where: { ...where, created_gte: createdGte },
    first,
    skip,
    orderBy: "created",
    orderDirection: "asc",
  });
  if (!Array.isArray(rows)) {
    throw sourceFailed(`the hub's answer is not a list of ${query.field} (${query.name})`);
  }
  // Checked before any row is parsed.
  if (rows.length > first) {
    throw sourceFailed(`the hub returned more than the ${first} rows of a page`);
  }
  return rows;
}
