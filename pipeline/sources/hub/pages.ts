import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { fetchPage, type Page } from "../graphql/fetch-page.ts";
import type { HubQuery } from "./ask-hub.ts";
import { HUB_LIMITS, type PageReading } from "./hub-reading.ts";

/** Where a listing by `created` continues: rows of this second or later, skipping those already read. */
export const PageCursor = z.object({
  createdGte: z.int().min(0),
  skip: z.int().min(0),
  /** Withheld rows precede it; they have an unknown second, which may be that of the next row. */
  isAfterWithheld: z.boolean().optional(),
  /** Rows of this second alone, from its end down to the row with this id, which was already read. */
  downTo: z.string().optional(),
});
export type PageCursor = z.infer<typeof PageCursor>;

/** Before the first page. The hub ignores `created_gte: 0`, which is right: all rows are wanted. */
export const FIRST_PAGE: PageCursor = { createdGte: 0, skip: 0 };

/** What to take of a page, and how to go on. */
interface NextPage {
  /** The rows that no earlier page had. */
  readonly rows: readonly unknown[];
  /** `undefined` after the last page. */
  readonly cursor: PageCursor | undefined;
  /** More rows share a second than the hub lets anybody read, and the others are lost. */
  readonly isCut: boolean;
}

const Dated = z.object({ created: z.int().min(0) });
const Named = z.object({ id: z.string() });

function createdOf(row: unknown): number | undefined {
  return Dated.safeParse(row).data?.created;
}

/**
 * The cursor after a page; a page that is not full is the last. Throws `SOURCE_FAILED` if the rows are
 * not sorted by `created`.
 */
export function nextPage(cursor: PageCursor, page: Page, skipMax: number = HUB_LIMITS.skipMax): NextPage {
  return cursor.downTo === undefined
    ? nextUp(cursor, page, skipMax)
    : nextDown({ ...cursor, downTo: cursor.downTo }, page, skipMax);
}

/**
 * A cursor by second alone would lose rows that share a second with the end of a page, so rows of that second are
 * skipped by count. A new second starts only at a row whose previous row is known, so that withheld rows between them
 * are skipped too. What cannot be skipped to is read from the other end of its second.
 */
function nextUp(cursor: PageCursor, { rows, pageSize }: Page, skipMax: number): NextPage {
  if (rows.length < pageSize) return { rows, cursor: undefined, isCut: false };
  let { createdGte, skip, isAfterWithheld = false } = cursor;
  let latest = createdGte;
  for (const row of rows) {
    if (row === undefined) {
      skip += 1;
      isAfterWithheld = true;
      continue;
    }
    const created = createdOf(row);
    if (created === undefined || created < latest) throw outOfOrder();
    const isNewSecond = created > latest && !isAfterWithheld;
    skip = isNewSecond ? 1 : skip + 1;
    if (isNewSecond) createdGte = created;
    latest = created;
    isAfterWithheld = false;
  }
  const isUnsure = isAfterWithheld || latest > createdGte;
  if (skip > skipMax) {
    const downTo = isUnsure ? undefined : Named.safeParse(rows.at(-1)).data?.id;
    if (downTo !== undefined) return { rows, cursor: { createdGte, skip: 0, downTo }, isCut: false };
    // Without a row, the second to continue after is unknown.
    const isLost = rows.every((row) => row === undefined);
    return { rows, cursor: isLost ? undefined : { createdGte: latest + 1, skip: 0 }, isCut: true };
  }
  return {
    rows,
    cursor: { createdGte, skip, ...(isUnsure ? { isAfterWithheld: true } : {}) },
    isCut: false,
  };
}

/**
 * Rows that share a second come by id, on the current hub from the last id on. On the former hub they begin again with
 * the first, and nothing can be taken.
 */
function nextDown(
  cursor: PageCursor & { readonly downTo: string },
  { rows, pageSize }: Page,
  skipMax: number,
): NextPage {
  const { createdGte, downTo } = cursor;
  const isOfOtherSecond = (row: unknown) => row !== undefined && createdOf(row) !== createdGte;
  if (rows.some(isOfOtherSecond)) throw outOfOrder();
  const read = rows.findIndex((row) => isAtOrBefore(row, downTo));
  const after = { createdGte: createdGte + 1, skip: 0 };
  if (read !== -1) {
    const isFirst = cursor.skip === 0 && read === 0;
    return {
      rows: rows.slice(0, read),
      cursor: after,
      isCut: isFirst && Named.parse(rows[read]).id !== downTo,
    };
  }
  if (rows.length < pageSize) return { rows, cursor: after, isCut: false };
  const skip = cursor.skip + rows.length;
  return skip > skipMax
    ? { rows, cursor: after, isCut: true }
    : { rows, cursor: { ...cursor, skip }, isCut: false };
}

/** Whether a row comes no later than another by id, as the hub's database compares: without regard to case. */
function isAtOrBefore(row: unknown, other: string): boolean {
  const id = Named.safeParse(row).data?.id;
  return id !== undefined && (id === other || id.toLowerCase() < other.toLowerCase());
}

function outOfOrder(): Error {
  return sourceFailed("the hub's rows are not in order of `created`");
}

/** What a page of a list is requested with, besides the number of its rows. */
interface PageVariables {
  readonly where: Readonly<Record<string, unknown>>;
  readonly skip: number;
  readonly orderBy: string;
  readonly orderDirection: "asc" | "desc";
}

/**
 * Fetches one page of at most `most` rows. Throws `SOURCE_FAILED` if the answer is not such a page, or if
 * too many single rows were withheld.
 */
export function fetchRows(
  { hub, budget, sizes, pageSize }: PageReading,
  query: HubQuery,
  variables: PageVariables,
  most = pageSize,
): Promise<Page> {
  return fetchPage({
    most,
    size: sizes[query.field === "votes" ? "votes" : "proposals"],
    async ask(first, options) {
      const { value: rows } = await hub.ask(query, { ...variables, first }, options);
      if (!Array.isArray(rows)) {
        throw sourceFailed(`the hub's answer is not a list of ${query.field} (${query.name})`);
      }
      // Checked before any row is parsed.
      if (rows.length > first) {
        throw sourceFailed(`the hub returned more than the ${first} rows of a page`);
      }
      return rows;
    },
    onWithheld() {
      budget.withheld -= 1;
      if (budget.withheld >= 0) return;
      const most = HUB_LIMITS.withheldMax;
      throw sourceFailed(`the hub cannot return more than ${most} rows: a required field of each is null`);
    },
  });
}

/** Fetches the page at a cursor, as `fetchRows`. */
export function fetchHubPage(
  reading: PageReading,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  { cursor, most }: { readonly cursor: PageCursor; readonly most?: number },
): Promise<Page> {
  const { createdGte, skip, downTo } = cursor;
  const second = downTo === undefined ? {} : { created_lte: createdGte };
  const variables = {
    where: { ...where, created_gte: createdGte, ...second },
    skip,
    orderBy: "created",
    orderDirection: downTo === undefined ? ("asc" as const) : ("desc" as const),
  };
  return fetchRows(reading, query, variables, most);
}

/** Yields all pages of a listing. Every page but the last has a row, so a limit on the rows ends the loop. */
export async function* readHubPages(
  reading: PageReading,
  query: HubQuery,
  where: Readonly<Record<string, unknown>>,
  most?: number,
): AsyncGenerator<NextPage> {
  let cursor: PageCursor | undefined = FIRST_PAGE;
  while (cursor !== undefined) {
    const page = await fetchHubPage(reading, query, where, {
      cursor,
      ...(most === undefined ? {} : { most }),
    });
    const next: NextPage = nextPage(cursor, page);
    yield next;
    cursor = next.cursor;
  }
}
