import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import { packPoints, unpackPoints } from "../../../pipeline/warehouse/daily-points.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

describe("daily points", () => {
  let home: WarehouseHome;
  beforeEach(() => {
    home = createWarehouseHome();
  });
  afterEach(() => home.remove());

  const DAO = "a.eth";

  describe("points of past days", () => {
    it("come back bit by bit, after the file was closed, whatever the numbers", () => {
      const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
      const arbitraryPoint = fc.record({
        date: fc.date({ min: new Date("2015-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        gvs: number,
        gvsEnds: fc.option(fc.tuple(number, number), { nil: undefined }),
        components: fc.record({ hpr: number, dei: number, pdi: number, gpi: number }),
        riskScore: fc.option(number, { nil: undefined }),
        completenessPct: number,
        indexWeight: number,
      });
      const points = fc
        .uniqueArray(arbitraryPoint, {
          selector: ({ date }) => date.toISOString().slice(0, 10),
          maxLength: 20,
        })
        .map((list) =>
          list.map((point) => ({
            ...point,
            date: point.date.toISOString().slice(0, 10),
            methodologyVersion: "1.0.0",
          })),
        );
      fc.assert(
        fc.property(points, (given) => {
          const first = home.open();
          first.dailyPoints.forget(DAO, "0000-00-00", "9999-99-99");
          first.dailyPoints.keep("m", new Map([[DAO, given]]));
          first.close();
          // JSON has no −0, which no measure makes either.
          const want = given.toSorted((a, b) => (a.date < b.date ? -1 : 1));
          expect(JSON.stringify(home.open().dailyPoints.read(DAO, "m"))).toBe(
            JSON.stringify(
              want.map(
                ({ date, methodologyVersion, gvs, gvsEnds, completenessPct, indexWeight, ...rest }) => ({
                  date,
                  methodologyVersion,
                  gvs,
                  gvsEnds,
                  completenessPct,
                  indexWeight,
                  ...rest,
                }),
              ),
            ),
          );
        }),
        { numRuns: 15 },
      );
    });

    it("belong to one method, one DAO and one day", () => {
      const { dailyPoints } = home.open();
      dailyPoints.keep("old", new Map([[DAO, [pointOn("2026-01-01"), pointOn("2026-01-02")]]]));
      dailyPoints.keep("old", new Map([["b.eth", [pointOn("2026-01-01", { gvs: 9 })]]]));
      expect(dailyPoints.read(DAO, "new")).toEqual([]);
      expect(dailyPoints.hasOtherMethod(DAO, "new")).toBe(true);
      expect(dailyPoints.hasOtherMethod(DAO, "old")).toBe(false);
      expect(dailyPoints.hasOtherMethod("c.eth", "new"), "nothing is kept of it").toBe(false);

      dailyPoints.keep("new", new Map([[DAO, [pointOn("2026-01-01", { gvs: 6 })]]]));
      expect(dailyPoints.read(DAO, "new")).toEqual([pointOn("2026-01-01", { gvs: 6 })]);
      expect(dailyPoints.read(DAO, "old"), "a changed method takes the old points along").toEqual([]);
      expect(dailyPoints.read("b.eth", "old"), "of this DAO alone").toEqual([
        pointOn("2026-01-01", { gvs: 9 }),
      ]);
    });

    it.each([
      {
        why: "both ends are included",
        from: "2026-01-02",
        to: "2026-01-03",
        left: ["2026-01-01", "2026-01-04"],
      },
      {
        why: "one day",
        from: "2026-01-01",
        to: "2026-01-01",
        left: ["2026-01-02", "2026-01-03", "2026-01-04"],
      },
      {
        why: "no day",
        from: "2026-02-01",
        to: "2026-02-28",
        left: ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"],
      },
    ])("are forgotten from day to day: $why", ({ from, to, left }) => {
      const { dailyPoints } = home.open();
      const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"];
      dailyPoints.keep("m", new Map([[DAO, days.map((day) => pointOn(day))]]));
      dailyPoints.forget(DAO, from, to);
      expect(dailyPoints.read(DAO, "m").map(({ date }) => date)).toEqual(left);
    });

    it("join those of other days, and the last of one day stands", () => {
      const { dailyPoints } = home.open();
      dailyPoints.keep("m", new Map([[DAO, [pointOn("2026-01-02"), pointOn("2026-01-04")]]]));
      const given = [
        pointOn("2026-01-03"),
        pointOn("2026-01-02", { gvs: 6 }),
        pointOn("2026-01-01"),
        pointOn("2026-01-02", { gvs: 7 }),
      ];
      dailyPoints.keep("m", new Map([[DAO, given]]));
      expect(dailyPoints.read(DAO, "m").map(({ date, gvs }) => [date, gvs])).toEqual([
        ["2026-01-01", 5],
        ["2026-01-02", 7],
        ["2026-01-03", 5],
        ["2026-01-04", 5],
      ]);
      dailyPoints.keep("other", new Map([[DAO, []]]));
      expect(dailyPoints.read(DAO, "m"), "another method found nothing to keep").toEqual([]);
      expect(dailyPoints.hasOtherMethod(DAO, "third")).toBe(false);
    });

    it("are forgotten whatever method made them, and leave nothing behind with the last", () => {
      const { dailyPoints } = home.open();
      dailyPoints.keep("m", new Map([[DAO, [pointOn("2026-01-01")]]]));
      dailyPoints.forget("b.eth", "2026-01-01", "2026-01-01");
      expect(dailyPoints.hasOtherMethod(DAO, "other"), "another DAO's stay").toBe(true);
      dailyPoints.forget(DAO, "2026-01-01", "2026-01-01");
      expect(dailyPoints.hasOtherMethod(DAO, "other")).toBe(false);
    });

    it("are refused where the row is another DAO's", () => {
      const { dailyPoints } = home.open();
      dailyPoints.keep("m", new Map([[DAO, [pointOn("2026-01-01")]]]));
      const database = openSqlite(home.path);
      database.exec("UPDATE point_columns SET space_id = 'b.eth'");
      database.close();
      expect(() => dailyPoints.read("b.eth", "m")).toThrow("points of b.eth by method m");
    });

    it("are kept whole or not at all", () => {
      const { dailyPoints } = home.open();
      dailyPoints.keep("m", new Map([[DAO, [pointOn("2026-01-01")]]]));
      const broken = { ...pointOn("2026-01-03"), gvs: Number.NaN };
      expect(() => dailyPoints.keep("n", new Map([[DAO, [pointOn("2026-01-02"), broken]]]))).toThrow();
      expect(dailyPoints.read(DAO, "m"), "what was kept stands").toEqual([pointOn("2026-01-01")]);
    });
  });
});

const NAME = "a.eth by method 1";
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const arbitraryPoint: fc.Arbitrary<DailyPoint> = fc.record({
  date: fc.string({ maxLength: 12 }),
  methodologyVersion: fc.constantFrom("1.1.0", "2.0.0", "3.0.0"),
  gvs: number,
  components: fc.record({ hpr: number, dei: number, pdi: number, gpi: number }),
  riskScore: fc.option(number, { nil: undefined }),
  completenessPct: number,
  indexWeight: number,
});

function pointOn(date: string, change: Partial<DailyPoint> = {}): DailyPoint {
  return {
    date,
    methodologyVersion: "1.0.0",
    gvs: 5,
    components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
    riskScore: 40,
    completenessPct: 90,
    indexWeight: 20,
    ...change,
  };
}

function expectRefused(bytes: Uint8Array, says: string): void {
  const unpack = () => unpackPoints(NAME, bytes);
  expect(unpack).toThrow(Failure);
  expect(unpack).toThrow(`points of ${NAME}: ${says}`);
}

describe("packed points", () => {
  it("come back bit by bit, in their order, −0 and texts of any kind included", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPoint, { maxLength: 20 }), (points) => {
        const back = unpackPoints(NAME, packPoints(NAME, points));
        expect(back).toEqual(points);
        expect(back.every(({ gvs }, index) => Object.is(gvs, points[index]?.gvs))).toBe(true);
      }),
    );
  });

  it("take 80 bytes for the numbers of a day, and a dozen for its date", () => {
    const days = (count: number) =>
      Array.from({ length: count }, (_, n) => pointOn(`2026-01-${String(n + 10)}`));
    expect(packPoints(NAME, days(20)).length - packPoints(NAME, days(10)).length).toBeLessThanOrEqual(
      10 * 96,
    );
  });

  it.each([
    { why: "NaN", change: { gvs: Number.NaN } },
    { why: "an infinite number", change: { indexWeight: Number.POSITIVE_INFINITY } },
    { why: "a risk score that is NaN, which would read as none", change: { riskScore: Number.NaN } },
    { why: "a high end that is NaN", change: { gvsEnds: [1, Number.NaN] as const } },
    { why: "a component that is NaN", change: { components: { hpr: 1, dei: 2, pdi: Number.NaN, gpi: 4 } } },
  ])("are no $why: the point is named", ({ change }) => {
    const pack = () => packPoints(NAME, [pointOn("2026-01-01"), pointOn("2026-01-02", change)]);
    expect(pack).toThrow("a.eth by method 1 on 2026-01-02 is not finite");
  });

  it.each([
    { why: "an earlier format", change: (bytes: Buffer) => bytes.writeUInt32LE(1, 0), says: "format 1" },
    { why: "a later format", change: (bytes: Buffer) => bytes.writeUInt32LE(3, 0), says: "format 3" },
    {
      why: "a count that is too large",
      change: (bytes: Buffer) => bytes.writeUInt32LE(9, 4),
      says: "their columns",
    },
    {
      why: "a count that is too small",
      change: (bytes: Buffer) => bytes.writeUInt32LE(1, 4),
      says: "their columns",
    },
    {
      why: "no texts",
      change: (bytes: Buffer) => bytes.fill("x", 8 + 160),
      says: "their columns",
    },
    {
      why: "a version that is not there",
      change: (bytes: Buffer) => bytes.write("7", bytes.length - 3),
      says: "the point of 2026-01-02",
    },
  ])("are refused with $why though their checksum holds", ({ change, says }) => {
    const bytes = packPoints(NAME, [pointOn("2026-01-01"), pointOn("2026-01-02")]).subarray(0, -4);
    change(bytes);
    expectRefused(sealColumns(NAME, [bytes]), says);
  });
});
