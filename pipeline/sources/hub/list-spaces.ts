import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { type ListedSpace, type ListedSpaces, listedSpaceOf } from "../../facts/tracked.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { PageReader } from "../graphql/page-reader.ts";
import { HUB_LIMITS, SPACES_QUERY } from "./ask-hub.ts";

const LISTED_QUERY = { ...SPACES_QUERY, name: "ListedSpaces", selection: "id name categories" };

const Row = z.object({
  id: z.string(),
  name: z.string().nullish().catch(undefined),
  categories: z.array(z.string()).nullish().catch(undefined),
});

/** How often a list that changes while it is read is read again. */
const TRIES = 3;

/**
 * Lists the hub's spaces, verified or all, by id. Of each, its name and our category, if it names one of those that have
 * one. Those whose id is not one of ours, and those that the hub cannot return, are only counted. Throws `SOURCE_FAILED`.
 */
export async function listSpaces(pages: PageReader, list: ListedSpaces["list"]) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const rows = await readRows(pages, list === "verified" ? { verified: true } : {});
    if (rows === undefined) continue;
    const spaces: readonly ListedSpace[] = rows.flatMap((row) => spaceOf(row) ?? []);
    const withheld = rows.filter((row) => row === undefined).length;
    return { spaces, withheld, invalid: rows.length - withheld - spaces.length };
  }
  throw sourceFailed("the hub's list of spaces changed each time while it was read");
}

/**
 * All rows by id, several pages at a time; `undefined` if the list changed between two pages. Each page begins with the last
 * row of the one before, because a space that is deleted meanwhile would move another one between the pages.
 */
async function readRows(
  pages: PageReader,
  where: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[] | undefined> {
  const rows: unknown[] = [];
  for (;;) {
    const size = pages.sizeNow(LISTED_QUERY);
    // A page of one row would be the row before it again.
    const step = Math.max(1, size - 1);
    const sharedNow = () => (rows.at(-1) === undefined || size === 1 ? 0 : 1);
    const from = rows.length - sharedNow();
    if (from > HUB_LIMITS.spacesMax) {
      throw sourceFailed(`the hub lists more than ${HUB_LIMITS.spacesMax} spaces`);
    }
    const skips = Array.from({ length: pages.client.queriesMax() }, (_, n) => from + n * step);
    const asked = skips.filter((skip) => skip <= HUB_LIMITS.spacesMax);
    const by = { where, orderBy: "id", orderDirection: "asc" };
    const fetched = await Promise.all(
      asked.map((skip) => pages.fetchPage(LISTED_QUERY, { ...by, skip }, size)),
    );
    for (const [n, page] of fetched.entries()) {
      const shared = sharedNow();
      // A page before it was shorter than asked for.
      if (asked[n] !== rows.length - shared) break;
      if (shared === 1 && idOf(page.rows[0]) !== idOf(rows.at(-1))) return undefined;
      rows.push(...page.rows.slice(shared));
      if (page.rows.length < page.pageSize) return rows;
    }
  }
}

function idOf(row: unknown): string | undefined {
  return Row.safeParse(row).data?.id;
}

function spaceOf(row: unknown): ListedSpace | undefined {
  const { id, name, categories } = Row.safeParse(row).data ?? {};
  return listedSpaceOf(id ?? "", upstreamText(name), categories ?? []);
}
