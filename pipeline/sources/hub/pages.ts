import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { Page, PageReader } from "../graphql/page-reader.ts";
import type { GraphqlQuery } from "../graphql/read-answer.ts";
import { HUB_LIMITS } from "./ask-hub.ts";

/** Where a listing by `created` continues: rows of this second or later, skipping those already read. */
export const PageCursor = z.strictObject({
  createdGte: z.int().min(0),
  skip: z.int().min(0),
  /** Withheld rows precede it; they have an unknown second, which may be that of the next row. */
  isAfterWithheld: z.boolean().optional(),
});
export type PageCursor = z.infer<typeof PageCursor>;

/** Before the first page. The hub ignores `created_gte: 0`, which is right: all rows are wanted. */
export const FIRST_PAGE: PageCursor = { createdGte: 0, skip: 0 };

interface NextPage {
  /** `undefined` after the last page. */
  readonly cursor: PageCursor | undefined;
  /** More rows share a second than the hub lets anybody skip, and those that follow in it are lost. */
  readonly isCut: boolean;
}

const Dated = z.object({ created: z.int().min(0) });

/**
 * The cursor after a page; a page that is not full is the last. Throws `SOURCE_FAILED` if the rows are
 * not sorted by `created`.
 *
 * A cursor by second alone would lose rows that share a second with the end of a page, so rows of that second are
 * skipped by count. A new second starts only at a row whose previous row is known, so that withheld rows between them
 * are skipped too.
 */
export function nextPage(cursor: PageCursor, { rows, pageSize }: Page): NextPage {
  if (rows.length < pageSize) return { cursor: undefined, isCut: false };
  let { createdGte, skip, isAfterWithheld = false } = cursor;
  let latest = createdGte;
  for (const row of rows) {
    if (row === undefined) {
      skip += 1;
      isAfterWithheld = true;
      continue;
    }
    const { created } = Dated.safeParse(row).data ?? {};
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

/** Fetches the page at a cursor, of at most `most` rows. */
export function fetchListedPage(
  pages: PageReader,
  query: GraphqlQuery,
  where: Readonly<Record<string, unknown>>,
  { cursor, most }: { readonly cursor: PageCursor; readonly most?: number | undefined },
): Promise<Page> {
  const { createdGte, skip } = cursor;
  const order = { orderBy: "created", orderDirection: "asc" };
  return pages.fetchPage(query, { where: { ...where, created_gte: createdGte }, skip, ...order }, most);
}

/** Yields all pages of a listing. Every page but the last has a row, so a limit on the rows ends the loop. */
export async function* readListing(
  pages: PageReader,
  query: GraphqlQuery,
  where: Readonly<Record<string, unknown>>,
  most?: number,
): AsyncGenerator<Pick<Page, "rows"> & Pick<NextPage, "isCut">> {
  for (let cursor: PageCursor | undefined = FIRST_PAGE; cursor !== undefined; ) {
    const page: Page = await fetchListedPage(pages, query, where, { cursor, most });
    const next: NextPage = nextPage(cursor, page);
    yield { rows: page.rows, isCut: next.isCut };
    cursor = next.cursor;
  }
}
