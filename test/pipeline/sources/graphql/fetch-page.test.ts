import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sourceFailed } from "../../../../pipeline/facts/errors.ts";
import { fetchPage, type Page } from "../../../../pipeline/sources/graphql/fetch-page.ts";
import { createPageSize } from "../../../../pipeline/sources/graphql/page-size.ts";

/** A list of so many numbers of which some cannot be returned, and which is too much from some number of rows on. */
function openList(list: {
  readonly length: number;
  readonly bad?: readonly number[];
  readonly tooMuchFrom?: number;
}) {
  const { length, bad = [], tooMuchFrom = Infinity } = list;
  const rows = Array.from({ length }, (_, n) => n);
  const asked: number[] = [];
  const ask = (skip: number) => async (first: number) => {
    asked.push(first);
    if (first >= tooMuchFrom) throw sourceFailed("the answer is too large", { data: { isTooLarge: true } });
    const page = rows.slice(skip, skip + first);
    const misfit = page.findIndex((row) => bad.includes(row));
    if (misfit !== -1) throw sourceFailed("a row cannot be returned", { data: { part: misfit } });
    return page;
  };
  return { asked, ask };
}

/** Reads a whole list in pages of one size. */
async function readAll(list: ReturnType<typeof openList>, pageSize: number) {
  const size = createPageSize(pageSize);
  const taken: unknown[] = [];
  let withheld = 0;
  const onWithheld = () => {
    withheld += 1;
  };
  for (let page: Page | undefined; page === undefined || page.rows.length === page.pageSize; ) {
    page = await fetchPage({ ask: list.ask(taken.length), size, most: pageSize, onWithheld });
    taken.push(...page.rows);
  }
  return { taken, withheld };
}

describe("fetchPage", () => {
  it("gives every row that there is, in order, and nothing in the place of one that cannot be returned", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(80),
        fc.array(fc.nat(80), { maxLength: 8 }),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (length, bad, tooMuchFrom, pageSize) => {
          const { taken, withheld } = await readAll(openList({ length, bad, tooMuchFrom }), pageSize);
          const want = Array.from({ length }, (_, n) => (bad.includes(n) ? undefined : n));
          expect(taken).toEqual(want);
          expect(withheld).toBe(want.filter((row) => row === undefined).length);
        },
      ),
    );
  });

  it.each([
    { why: "in the middle: what precedes it, then the rest", bad: [4], asked: [10, 4, 10, 10] },
    { why: "at the start of a page: the rest", bad: [0], asked: [10, 10, 10] },
    { why: "with another beside it", bad: [4, 5], asked: [10, 4, 10, 10] },
    { why: "on the next page", bad: [12], asked: [10, 10, 2, 10] },
  ])("requests around a row $why", async ({ bad, asked }) => {
    const list = openList({ length: 15, bad });
    await readAll(list, 10);
    expect(list.asked).toEqual(asked);
  });

  it("asks for less from the size that worked last", async () => {
    const list = openList({ length: 60, tooMuchFrom: 6 });
    await readAll(list, 20);
    expect(list.asked.slice(0, 5)).toEqual([20, 10, 5, 5, 5]);
  });

  it.each([
    { why: "one row is too much", list: { length: 3, tooMuchFrom: 1 }, says: "too large", asked: [2, 1] },
    { why: "too many rows cannot be returned", list: { length: 9, bad: [1] }, says: "enough", asked: [2] },
  ])("gives up where $why", async ({ list, says, asked }) => {
    const opened = openList(list);
    const page = fetchPage({
      ask: opened.ask(0),
      size: createPageSize(2),
      most: 2,
      onWithheld() {
        throw new Error("enough");
      },
    });
    await expect(page).rejects.toThrow(says);
    expect(opened.asked).toEqual(asked);
  });

  it("gives up where the service names a row that was not asked for", async () => {
    const ask = async () => Promise.reject(sourceFailed("a row cannot be returned", { data: { part: 2 } }));
    const page = fetchPage({ ask, size: createPageSize(2), most: 2, onWithheld: () => undefined });
    await expect(page).rejects.toThrow("a row cannot be returned");
  });
});

describe("createPageSize", () => {
  it("halves what failed, and tries the larger size after 8 pages, then after 16 and 32", () => {
    const size = createPageSize(1_000);
    size.failed(1_000);
    const trials: number[] = [];
    for (let page = 1; page <= 60; page += 1) {
      size.worked(size.now());
      if (size.now() !== 1_000) continue;
      trials.push(page);
      size.failed(1_000);
    }
    expect(trials).toEqual([8, 8 + 16, 8 + 16 + 32]);
  });

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
    { most: 1, first: 1, may: false },
  ])("blames the number of rows for a timeout of $first of $most: $may", ({ most, first, may }) => {
    expect(createPageSize(most).mayBeTooMuch(first)).toBe(may);
  });

  it("is at least one row", () => {
    const size = createPageSize(1);
    size.failed(1);
    expect(size.now()).toBe(1);
  });
});
