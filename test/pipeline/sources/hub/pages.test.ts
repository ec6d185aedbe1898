import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_PAGE, nextPage, type PageCursor } from "../../../../pipeline/sources/hub/pages.ts";
import { selectRows } from "../../../support/fake-hub/select-rows.ts";

const rowsAt = (...seconds: readonly unknown[]) => seconds.map((created) => ({ created }));

describe("nextPage", () => {
  it.each<[why: string, rows: readonly unknown[], cursor?: PageCursor]>([
    ["a row before the page", rowsAt(4, 5, 6), { createdGte: 5, skip: 1 }],
    ["rows out of order", rowsAt(1, 3, 2)],
    ["a row without a time", rowsAt(1, null, 2)],
    ["a time that is no whole number", rowsAt(1, 1.5, 2)],
    ["a row that is none", [null, 1, "x"]],
    ["a null that the hub did not explain", [...rowsAt(1, 2), null]],
  ])("refuses %s", (_why, rows, cursor = FIRST_PAGE) => {
    expect(() => nextPage(cursor, { rows, pageSize: 3 })).toThrow("not in order");
  });

  it.each<[why: string, skip: number, rows: readonly unknown[], next: object]>([
    [
      "as many as may be skipped",
      4_997,
      rowsAt(3, 3, 3),
      { cursor: { createdGte: 3, skip: 5_000 }, isCut: false },
    ],
    [
      "one more: the rest of the second is lost",
      4_998,
      rowsAt(3, 3, 3),
      { cursor: { createdGte: 4, skip: 0 }, isCut: true },
    ],
    [
      "one more, with a second of which nobody is sure",
      4_998,
      [...rowsAt(3), undefined, ...rowsAt(6)],
      { cursor: { createdGte: 7, skip: 0 }, isCut: true },
    ],
    [
      "one more, of withheld rows: nobody knows after which second to go on",
      4_998,
      [undefined, undefined, undefined],
      { cursor: undefined, isCut: true },
    ],
  ])("skips %s", (_why, skip, rows, next) => {
    expect(nextPage({ createdGte: 3, skip }, { rows, pageSize: 3 })).toEqual(next);
  });

  it("loses nothing and repeats nothing, whatever the times, the size of a page and the rows that are withheld", () => {
    const times = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 60 });
    const sizes = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(times, sizes, fc.array(fc.nat(60)), (listed, first, withheld) => {
        const rows = listed.map((created, id) => ({ id: String(id).padStart(3, "0"), created }));
        const taken: unknown[] = [];
        for (let cursor: PageCursor | undefined = FIRST_PAGE; cursor !== undefined; ) {
          const { createdGte, skip }: PageCursor = cursor;
          const order = { orderBy: "created", orderDirection: "asc" };
          const asked = { where: { created_gte: createdGte }, first, skip, ...order };
          const page = selectRows(rows, asked, { orders: ["created"] });
          const given = page.map((row) => (withheld.includes(Number(row["id"])) ? undefined : row));
          taken.push(...page.map(({ id }) => id));
          cursor = nextPage(cursor, { rows: given, pageSize: first }).cursor;
        }
        expect(taken.length).toBe(rows.length);
        expect(new Set(taken).size).toBe(rows.length);
      }),
    );
  });
});
