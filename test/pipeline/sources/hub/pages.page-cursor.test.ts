import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_PAGE, nextPage, type PageCursor } from "../../../../pipeline/sources/hub/pages.ts";
import { selectRows } from "../../../support/fake-hub/select-rows.ts";

const at = (...seconds: readonly unknown[]) => seconds.map((created) => ({ created }));

describe("nextPage", () => {
  it.each([
    { why: "an empty page is the last", cursor: FIRST_PAGE, rows: at(), next: undefined },
    { why: "a short page is the last", cursor: FIRST_PAGE, rows: at(1, 2), next: undefined },
    {
      why: "a short page is the last, whatever its times",
      cursor: FIRST_PAGE,
      rows: at(null, 1),
      next: undefined,
    },
    {
      why: "a full page goes on at its last second",
      cursor: FIRST_PAGE,
      rows: at(1, 2, 3),
      next: { createdGte: 3, skip: 1 },
    },
    {
      why: "all rows of the last second are skipped",
      cursor: FIRST_PAGE,
      rows: at(1, 3, 3),
      next: { createdGte: 3, skip: 2 },
    },
    {
      why: "those of earlier pages too",
      cursor: { createdGte: 3, skip: 2 },
      rows: at(3, 3, 3),
      next: { createdGte: 3, skip: 5 },
    },
    {
      why: "but not once the second is over",
      cursor: { createdGte: 3, skip: 2 },
      rows: at(3, 4, 4),
      next: { createdGte: 4, skip: 2 },
    },
    {
      why: "second 0, which the hub does not filter by",
      cursor: FIRST_PAGE,
      rows: at(0, 0, 0),
      next: { createdGte: 0, skip: 3 },
    },
    {
      why: "5,000 can be skipped",
      cursor: { createdGte: 3, skip: 4_997 },
      rows: at(3, 3, 3),
      next: { createdGte: 3, skip: 5_000 },
    },
  ])("$why", ({ cursor, rows, next }) => {
    expect(nextPage(cursor, { rows, pageSize: 3 })).toEqual({ cursor: next, isCut: false });
  });

  it.each([
    { why: "a row before the page", cursor: { createdGte: 5, skip: 1 }, rows: at(4, 5, 6), says: "order" },
    { why: "rows out of order", cursor: FIRST_PAGE, rows: at(1, 3, 2), says: "order" },
    { why: "a row without a time", cursor: FIRST_PAGE, rows: at(1, null, 2), says: "order" },
    { why: "a time that is no whole number", cursor: FIRST_PAGE, rows: at(1, 1.5, 2), says: "order" },
    { why: "a row that is none", cursor: FIRST_PAGE, rows: [null, 1, "x"], says: "order" },
    {
      why: "a null that the hub did not explain",
      cursor: FIRST_PAGE,
      rows: [...at(1, 2), null],
      says: "order",
    },
  ])("refuses $why", ({ cursor, rows, says }) => {
    expect(() => nextPage(cursor, { rows, pageSize: 3 })).toThrow(says);
  });

  it("passes over the rest of a second with 5,001 to skip, and says so", () => {
    const page = { rows: at(3, 3, 3), pageSize: 3 };
    expect(nextPage({ createdGte: 3, skip: 4_998 }, page)).toEqual({
      cursor: { createdGte: 4, skip: 0 },
      isCut: true,
    });
  });

  it("loses nothing and repeats nothing, whatever the times, the size of a page and the rows that are withheld", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat(60)),
        (times, pageSize, withheld) => {
          const rows = times.map((created, id) => ({ id: String(id), created }));
          const isGiven = ({ id }: { readonly id?: unknown }) => !withheld.includes(Number(id));
          const taken: unknown[] = [];
          for (let cursor: PageCursor | undefined = FIRST_PAGE; cursor !== undefined; ) {
            const { createdGte, skip }: PageCursor = cursor;
            const where = { created_gte: createdGte };
            const asked = { where, first: pageSize, skip, orderBy: "created", orderDirection: "asc" };
            const page = selectRows(rows, asked, { orders: ["created"] });
            taken.push(...page.map((row) => row["id"]));
            const given = page.map((row) => (isGiven(row) ? row : undefined));
            cursor = nextPage(cursor, { rows: given, pageSize }).cursor;
          }
          expect(taken).toHaveLength(rows.length);
          expect(new Set(taken).size).toBe(rows.length);
        },
      ),
    );
  });
});
