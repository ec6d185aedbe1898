import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import type { DailyPointStore } from "../../../pipeline/warehouse/daily-points.ts";
import { openDatabase } from "../../../pipeline/warehouse/database.ts";
import { pointOn } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const DAO = "a.eth";
const NAME = `${DAO} by method m`;

let home: WarehouseHome;
let dailyPoints: DailyPointStore;
beforeEach(() => {
  home = createWarehouseHome();
  dailyPoints = home.open().dailyPoints;
});
afterEach(() => home.remove());

const keep = (methodKey: string, points: readonly DailyPoint[], spaceId = DAO) =>
  dailyPoints.keep(methodKey, [[spaceId, points]]);

/** Works on the row of points behind the warehouse's back. */
function inFile<Result>(work: (database: ReturnType<typeof openDatabase>) => Result): Result {
  const database = openDatabase(home.path);
  const result = work(database);
  database.close();
  return result;
}
const packedBytes = () =>
  inFile((database) => database.get<{ packed: Buffer }>("SELECT packed FROM point_columns"))?.packed ??
  Buffer.alloc(0);

it("come back bit by bit and by date, after the file was closed, whatever the numbers", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const point = fc.record({
    date: fc
      .date({ min: new Date("2015-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    methodologyVersion: fc.constantFrom("1.1.0", "2.0.0", "3.0.0"),
    gvs: number,
    gvsEnds: fc.option(fc.tuple(number, number), { nil: undefined }),
    components: fc.record({ hpr: number, dei: number, pdi: number, gpi: number }),
    riskScore: fc.option(number, { nil: undefined }),
    completenessPct: number,
    indexWeight: number,
  });
  const points = fc.uniqueArray(point, { selector: ({ date }) => date, maxLength: 20 });
  fc.assert(
    fc.property(points, (given) => {
      dailyPoints.forget(DAO, "0000-00-00", "9999-99-99");
      keep("m", given);
      const reopened = home.open();
      const sorted = given.toSorted((a, b) => (a.date < b.date ? -1 : 1));
      // −0 is not 0 here.
      expect(reopened.dailyPoints.read(DAO, "m")).toEqual(sorted);
      reopened.close();
    }),
    { numRuns: 40 },
  );
});

it("take 80 bytes for the numbers of a day, and a dozen for its date", () => {
  const bytesOf = (count: number) => {
    keep(
      "m",
      Array.from({ length: count }, (_, n) => pointOn(`2026-01-${n + 10}`)),
    );
    return packedBytes().length;
  };
  const ten = bytesOf(10);
  expect(bytesOf(20) - ten).toBeLessThanOrEqual(10 * 96);
});

it("belong to one method, one DAO and one day", () => {
  keep("old", [pointOn("2026-01-01"), pointOn("2026-01-02")]);
  keep("old", [pointOn("2026-01-01", { gvs: 9 })], "b.eth");
  expect(dailyPoints.read(DAO, "new")).toEqual([]);
  expect(dailyPoints.hasOtherMethod(DAO, "new")).toBe(true);
  expect(dailyPoints.hasOtherMethod(DAO, "old")).toBe(false);
  expect(dailyPoints.hasOtherMethod("c.eth", "new"), "nothing is kept of it").toBe(false);

  keep("new", [pointOn("2026-01-01", { gvs: 6 })]);
  expect(dailyPoints.read(DAO, "new")).toEqual([pointOn("2026-01-01", { gvs: 6 })]);
  expect(dailyPoints.read(DAO, "old"), "a changed method takes the old points along").toEqual([]);
  expect(dailyPoints.read("b.eth", "old"), "of this DAO alone").toEqual([pointOn("2026-01-01", { gvs: 9 })]);
});

it.each([
  ["both ends are included", "2026-01-02", "2026-01-03", [1, 4]],
  ["one day", "2026-01-01", "2026-01-01", [2, 3, 4]],
  ["no day", "2026-02-01", "2026-02-28", [1, 2, 3, 4]],
])("are forgotten from day to day: %s", (_why, from, to, left) => {
  const dayOf = (day: number) => `2026-01-0${day}`;
  keep(
    "m",
    [1, 2, 3, 4].map((day) => pointOn(dayOf(day))),
  );
  dailyPoints.forget(DAO, from, to);
  expect(dailyPoints.read(DAO, "m").map(({ date }) => date)).toEqual(left.map(dayOf));
});

it("are forgotten whatever method made them, and leave nothing behind with the last", () => {
  keep("m", [pointOn("2026-01-01")]);
  dailyPoints.forget("b.eth", "2026-01-01", "2026-01-01");
  expect(dailyPoints.hasOtherMethod(DAO, "other"), "another DAO's stay").toBe(true);
  dailyPoints.forget(DAO, "2026-01-01", "2026-01-01");
  expect(dailyPoints.hasOtherMethod(DAO, "other")).toBe(false);
});

it("join those of other days, and the last of one day stands", () => {
  keep("m", [pointOn("2026-01-02"), pointOn("2026-01-04")]);
  const twice = [pointOn("2026-01-02", { gvs: 6 }), pointOn("2026-01-01"), pointOn("2026-01-02", { gvs: 7 })];
  keep("m", [pointOn("2026-01-03"), ...twice]);
  expect(dailyPoints.read(DAO, "m").map(({ date, gvs }) => [date, gvs])).toEqual([
    ["2026-01-01", 5],
    ["2026-01-02", 7],
    ["2026-01-03", 5],
    ["2026-01-04", 5],
  ]);
  keep("other", []);
  expect(dailyPoints.read(DAO, "m"), "another method found nothing to keep").toEqual([]);
  expect(dailyPoints.hasOtherMethod(DAO, "third")).toBe(false);
});

it.each<readonly [why: string, change: Partial<DailyPoint>]>([
  ["NaN", { gvs: Number.NaN }],
  ["an infinite number", { indexWeight: Number.POSITIVE_INFINITY }],
  ["a risk score that is NaN, which would read as none", { riskScore: Number.NaN }],
  ["a high end that is NaN", { gvsEnds: [1, Number.NaN] }],
  ["a component that is NaN", { components: { hpr: 1, dei: 2, pdi: Number.NaN, gpi: 4 } }],
])("are kept whole or not at all: %s is refused, and its day named", (_why, change) => {
  keep("m", [pointOn("2026-01-01")]);
  const broken = [pointOn("2026-01-02"), pointOn("2026-01-03", change)];
  expect(() => keep("n", broken)).toThrow("a.eth by method n on 2026-01-03 is not finite");
  expect(dailyPoints.read(DAO, "m"), "what was kept stands").toEqual([pointOn("2026-01-01")]);
});

const refused = (name: string, says: string) =>
  expect.objectContaining({
    code: "WAREHOUSE_CORRUPT",
    message: expect.stringContaining(`points of ${name}: ${says}`),
  });

it("are refused where the row is another DAO's", () => {
  keep("m", [pointOn("2026-01-01")]);
  inFile((database) => database.exec("UPDATE point_columns SET space_id = 'b.eth'"));
  expect(() => dailyPoints.read("b.eth", "m")).toThrow(refused("b.eth by method m", "the checksum"));
});

it.each<readonly [why: string, change: (bytes: Buffer) => unknown, says: string]>([
  ["an earlier format", (bytes) => bytes.writeUInt32LE(1, 0), "format 1"],
  ["a later format", (bytes) => bytes.writeUInt32LE(3, 0), "format 3"],
  ["a count that is too large", (bytes) => bytes.writeUInt32LE(9, 4), "their columns"],
  ["a count that is too small", (bytes) => bytes.writeUInt32LE(1, 4), "their columns"],
  ["no texts", (bytes) => bytes.fill("x", 8 + 160), "their columns"],
  ["a version that is not there", (bytes) => bytes.write("7", bytes.length - 3), "the point of 2026-01-02"],
])("are refused with %s though their checksum holds", (_why, change, says) => {
  keep("m", [pointOn("2026-01-01"), pointOn("2026-01-02")]);
  const bytes = packedBytes().subarray(0, -4);
  change(bytes);
  inFile((database) => database.run("UPDATE point_columns SET packed = ?", sealColumns(NAME, [bytes])));
  expect(() => dailyPoints.read(DAO, "m")).toThrow(refused(NAME, says));
});
