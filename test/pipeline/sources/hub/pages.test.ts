import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_PAGE, nextPage, type PageCursor } from "../../../../pipeline/sources/hub/pages.ts";
import { selectRows } from "../../../support/fake-hub/select-rows.ts";

const rowsAt = (...seconds: readonly unknown[]) => seconds.map((created) => ({ created }));
const ids = (...names: readonly string[]) => names.map((id) => ({ id, created: 3 }));

describe("nextPage", () => {
  it.each([
    {
      why: "a row before the page",
      cursor: { createdGte: 5, skip: 1 },
      rows: rowsAt(4, 5, 6),
      says: "order",
    },
    { why: "rows out of order", cursor: FIRST_PAGE, rows: rowsAt(1, 3, 2), says: "order" },
    { why: "a row without a time", cursor: FIRST_PAGE, rows: rowsAt(1, null, 2), says: "order" },
    { why: "a time that is no whole number", cursor: FIRST_PAGE, rows: rowsAt(1, 1.5, 2), says: "order" },
    { why: "a row that is none", cursor: FIRST_PAGE, rows: [null, 1, "x"], says: "order" },
    {
      why: "a null that the hub did not explain",
      cursor: FIRST_PAGE,
      rows: [...rowsAt(1, 2), null],
      says: "order",
    },
  ])("refuses $why", ({ cursor, rows, says }) => {
    expect(() => nextPage(cursor, { rows, pageSize: 3 })).toThrow(says);
  });

  const down = { createdGte: 3, skip: 0, downTo: "0xe" };
  it.each<{ why: string; cursor: PageCursor; rows: readonly unknown[]; next: object }>([
    {
      why: "what cannot be skipped to is read from the end of its second",
      cursor: { createdGte: 3, skip: 4_998 },
      rows: ids("0xc", "0xd", "0xe"),
      next: { cursor: down, isCut: false },
    },
    {
      why: "or is lost where the last row has no id",
      cursor: { createdGte: 3, skip: 4_998 },
      rows: rowsAt(3, 3, 3),
      next: { cursor: { createdGte: 4, skip: 0 }, isCut: true },
    },
    {
      why: "or where withheld rows make the second unsure",
      cursor: { createdGte: 3, skip: 4_998 },
      rows: [...ids("0xc", "0xd"), undefined],
      next: { cursor: { createdGte: 4, skip: 0 }, isCut: true },
    },
    {
      why: "but not with another row, as on a hub whose ties do not follow the direction",
      cursor: down,
      rows: ids("0xa", "0xb", "0xc"),
      next: { rows: [], cursor: { createdGte: 4, skip: 0 }, isCut: true },
    },
    {
      why: "withheld rows are skipped from the end too",
      cursor: down,
      rows: [...ids("0xk"), undefined, ...ids("0xi")],
      next: { cursor: { ...down, skip: 3 }, isCut: false },
    },
    {
      why: "5,001 to skip from both ends are too many",
      cursor: { ...down, skip: 4_998 },
      rows: ids("0xk", "0xj", "0xi"),
      next: { cursor: { createdGte: 4, skip: 0 }, isCut: true },
    },
  ])("$why", ({ cursor, rows, next }) => {
    expect(nextPage(cursor, { rows, pageSize: 3 })).toEqual({ rows, ...next });
  });

  it("refuses rows of another second where one is read from its end", () => {
    expect(() => nextPage(down, { rows: rowsAt(4), pageSize: 3 })).toThrow("order");
  });

  /** Reads a listing to its end, of a hub that lets so many rows be skipped; the ids in order of arrival. */
  function readAll(
    times: readonly number[],
    {
      pageSize,
      isGiven,
      ...hub
    }: {
      readonly pageSize: number;
      readonly isGiven: (id: number) => boolean;
      readonly skipMax: number;
      readonly doTiesFollow: boolean;
    },
  ) {
    const rows = times.map((created, id) => ({ id: String(id).padStart(3, "0"), created }));
    const taken: number[] = [];
    let isCut = false;
    for (let cursor: PageCursor | undefined = FIRST_PAGE; cursor !== undefined; ) {
      const { createdGte, skip, downTo }: PageCursor = cursor;
      const where = { created_gte: createdGte, ...(downTo === undefined ? {} : { created_lte: createdGte }) };
      const orderDirection = downTo === undefined ? "asc" : "desc";
      const asked = { where, first: pageSize, skip, orderBy: "created", orderDirection };
      const page = selectRows(rows, asked, { orders: ["created"], ...hub });
      const given = page.map((row) => (isGiven(Number(row["id"])) ? row : undefined));
      const next = nextPage(cursor, { rows: given, pageSize }, hub.skipMax);
      taken.push(...page.slice(0, next.rows.length).map((row) => Number(row["id"])));
      isCut ||= next.isCut;
      cursor = next.cursor;
    }
    return { taken, isCut };
  }

  it("loses nothing and repeats nothing, whatever the times, the size of a page and the rows that are withheld", () => {
    const times = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 60 });
    const sizes = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(
        times,
        sizes,
        fc.array(fc.nat(60)),
        fc.boolean(),
        (listed, pageSize, withheld, doTiesFollow) => {
          const isGiven = (id: number) => !withheld.includes(id);
          const { taken, isCut } = readAll(listed, { pageSize, isGiven, skipMax: 60, doTiesFollow });
          expect([taken.length, new Set(taken).size, isCut]).toEqual([listed.length, listed.length, false]);
        },
      ),
    );
  });

  it("reads a second from both ends, and says what of it nobody can read", () => {
    const times = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 60 });
    const sizes = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(
        times,
        sizes,
        fc.integer({ min: 9, max: 30 }),
        fc.boolean(),
        (listed, pageSize, skipMax, doTiesFollow) => {
          const hub = { pageSize, isGiven: () => true, skipMax, doTiesFollow };
          const { taken, isCut } = readAll(listed, hub);
          expect(new Set(taken).size, "nothing is repeated").toBe(taken.length);
          expect(isCut, "what is lost is said").toBe(taken.length < listed.length);
          const crowd = Math.max(
            0,
            ...[1, 2, 3, 4].map((second) => listed.filter((one) => one === second).length),
          );
          if (crowd <= skipMax || (doTiesFollow && crowd <= 2 * skipMax)) expect(isCut).toBe(false);
        },
      ),
    );
  });
});
