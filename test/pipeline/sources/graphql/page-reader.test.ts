import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sourceFailed } from "../../../../pipeline/facts/errors.ts";
import { createPageReader, type Page } from "../../../../pipeline/sources/graphql/page-reader.ts";
import { createPageSize } from "../../../../pipeline/sources/graphql/page-size.ts";

const QUERY = { name: "Rows", field: "rows", parameters: {}, selection: "id" };

const CLIENT = { name: "the service", queriesMax: () => 1 };

/** A service with a list of so many numbers of which some cannot be returned, and which is too much from some number of rows on. */
function openList(
  list: { readonly length: number; readonly bad?: readonly number[]; readonly tooMuchFrom?: number },
  { pageSize, withheldMax = Infinity }: { readonly pageSize: number; readonly withheldMax?: number },
) {
  const { length, bad = [], tooMuchFrom = Infinity } = list;
  const rows = Array.from({ length }, (_, n) => n);
  const asked: number[] = [];
  const ask = async (_: unknown, given: Readonly<Record<string, unknown>>) => {
    const { skip, first } = given as { readonly skip: number; readonly first: number };
    asked.push(first);
    if (first >= tooMuchFrom) throw sourceFailed("the answer is too large", { data: { isTooLarge: true } });
    const page = rows.slice(skip, skip + first);
    const misfit = page.findIndex((row) => bad.includes(row));
    if (misfit !== -1) throw sourceFailed("a row cannot be returned", { data: { part: misfit } });
    return { value: page, unreadable: [] };
  };
  const withheld = { count: 0, max: withheldMax };
  const pages = createPageReader({ client: { ...CLIENT, ask }, pageSize, withheld });
  /** Reads the list to its end. */
  const readAll = async () => {
    const taken: unknown[] = [];
    for (let page: Page | undefined; page === undefined || page.rows.length === page.pageSize; ) {
      page = await pages.fetchPage(QUERY, { skip: taken.length });
      taken.push(...page.rows);
    }
    return taken;
  };
  return { asked, withheld, pages, readAll };
}

describe("a page", () => {
  it("has every row that there is, in order, and nothing in the place of one that cannot be returned", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(80),
        fc.array(fc.nat(80), { maxLength: 8 }),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (length, bad, tooMuchFrom, pageSize) => {
          const { readAll, withheld } = openList({ length, bad, tooMuchFrom }, { pageSize });
          const want = Array.from({ length }, (_, n) => (bad.includes(n) ? undefined : n));
          expect(await readAll()).toEqual(want);
          expect(withheld.count).toBe(want.filter((row) => row === undefined).length);
        },
      ),
    );
  });

  it.each<[why: string, bad: readonly number[], asked: readonly number[]]>([
    ["in the middle: what precedes it, then the rest", [4], [10, 4, 10, 10]],
    ["at the start of a page: the rest", [0], [10, 10, 10]],
    ["with another beside it", [4, 5], [10, 4, 10, 10]],
    ["on the next page", [12], [10, 10, 2, 10]],
  ])("is requested around a row %s", async (_why, bad, asked) => {
    const list = openList({ length: 15, bad }, { pageSize: 10 });
    await list.readAll();
    expect(list.asked).toEqual(asked);
  });

  it("is requested in the size that worked last", async () => {
    const list = openList({ length: 60, tooMuchFrom: 6 }, { pageSize: 20 });
    await list.readAll();
    expect(list.asked.slice(0, 5)).toEqual([20, 10, 5, 5, 5]);
    expect([list.pages.sizeNow(QUERY), list.pages.sizeNow({ ...QUERY, field: "others" })]).toEqual([5, 20]);
  });

  it.each([
    { why: "one row is too much", list: { length: 3, tooMuchFrom: 1 }, says: "too large", asked: [2, 1] },
    {
      why: "too many rows cannot be returned",
      list: { length: 9, bad: [1, 3] },
      says: "the service cannot return more than 1 rows",
      asked: [2, 1, 2],
    },
  ])("is given up where $why", async ({ list, says, asked }) => {
    const opened = openList(list, { pageSize: 2, withheldMax: 1 });
    await expect(opened.readAll()).rejects.toThrow(says);
    expect(opened.asked).toEqual(asked);
  });

  it("is given up where the service names a row that was not asked for", async () => {
    const ask = async () => Promise.reject(sourceFailed("a row cannot be returned", { data: { part: 2 } }));
    const client = { ...CLIENT, ask };
    const pages = createPageReader({ client, pageSize: 2, withheld: { count: 0, max: 9 } });
    await expect(pages.fetchPage(QUERY, {})).rejects.toThrow("a row cannot be returned");
  });
});

describe("createPageSize", () => {
  it("grows to the largest again where that works", () => {
    const size = createPageSize(1_000);
    for (const failed of [1_000, 500, 250]) size.failed(failed);
    const sizes = new Set<number>();
    for (let page = 0; page < 30; page += 1) {
      size.worked(size.now());
      sizes.add(size.now());
    }
    expect([...sizes]).toEqual([125, 250, 500, 1_000]);
  });

  it("starts where it is told to, and forgets its patience where a size fails that had worked", () => {
    const size = createPageSize(1_000, 100);
    expect(size.now()).toBe(100);
    for (let page = 0; page < 8; page += 1) size.worked(size.now());
    size.failed(200);
    for (let page = 0; page < 2; page += 1) size.worked(100);
    size.failed(100);
    for (let page = 0; page < 8; page += 1) size.worked(50);
    expect(size.now()).toBe(100);
  });

  it("counts no page that was smaller for another reason", () => {
    const size = createPageSize(1_000);
    size.failed(1_000);
    for (let page = 0; page < 30; page += 1) size.worked(499);
    expect(size.now()).toBe(500);
  });

  it.each([
    { most: 1_000, first: 63, may: true },
    { most: 1_000, first: 62, may: false },
    { most: 10, first: 2, may: true },
    { most: 10, first: 1, may: false },
  ])("blames the number of rows for a timeout of $first of $most: $may", ({ most, first, may }) => {
    expect(createPageSize(most).mayBeTooMuch(first)).toBe(may);
  });

  it("is at least one row", () => {
    const size = createPageSize(1);
    size.failed(1);
    expect(size.now()).toBe(1);
  });
});
