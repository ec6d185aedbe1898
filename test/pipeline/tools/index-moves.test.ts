import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { indexMoves, monthlyMoves, sumOfMoves } from "../../../pipeline/tools/index-moves.ts";
import { DaoHistory, DgiHistory } from "../../../snapshots/format/dao.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";

/** A DAO on a day: its score and its weight; `undefined` where it has no score. */
type Point = readonly [gvs: number, weight: number] | undefined;

const FIRST_MS = Date.parse("2026-01-30T00:00:00.000Z");
const dayAt = (index: number) => dayOf(FIRST_MS + index * 86_400_000);

/** Histories of an index over DAOs, each with a point for each day, and its value as it would be published. */
function historiesOf(daos: readonly (readonly Point[])[]): Parameters<typeof indexMoves>[0] {
  const days = Math.max(...daos.map((points) => points.length));
  const components = { hpr: 5, dei: 5, pdi: 5, gpi: 5 };
  const histories = daos.map((points, dao) =>
    DaoHistory.parse({
      space_id: `dao-${dao}.example`,
      points: points.flatMap((point, index) =>
        point === undefined
          ? []
          : {
              date: dayAt(index),
              methodology_version: METHODOLOGY.version,
              gvs: point[0],
              components,
              data_completeness: 100,
              index_weight: point[1],
            },
      ),
    }),
  );
  const values = Array.from({ length: days }, (_, index) => {
    const dayPoints = daos.flatMap((points) => (points[index] === undefined ? [] : [points[index]]));
    const weights = dayPoints.reduce((sum, [, weight]) => sum + weight, 0);
    const sum = dayPoints.reduce((all, [gvs, weight]) => all + gvs * weight, 0);
    const composite = Math.round((100 * sum) / weights) / 100;
    return { date: dayAt(index), composite, components };
  });
  return { histories, dgiHistory: DgiHistory.parse({ period: "365d", values }) };
}

/** Points written as score × weight, day by day; a dash stands for none. */
const pointsOf = (days: string): readonly Point[] =>
  days.split(" ").map((cell) => {
    if (cell === "-") return undefined;
    const [gvs = Number.NaN, weight = Number.NaN] = cell.split("×").map(Number);
    return [gvs, weight];
  });

describe("what moved the index from one day to the next", () => {
  it.each([
    { why: "a score, of half of the weight", daos: ["6×0.5 7×0.5", "4×0.5 4×0.5"], is: [0.5, 0, 0] },
    {
      why: "a weight: the better one counts three times as much",
      daos: ["6×0.25 6×0.75", "4×0.25 4×0.25"],
      is: [0, 0.5, 0],
    },
    { why: "all weights alike, which moves nothing", daos: ["6×1 6×0.1", "4×1 4×0.1"], is: [0, 0, 0] },
    { why: "somebody who came", daos: ["6×1 6×1", "- 4×1"], is: [0, 0, -1] },
    {
      why: "somebody who went, and one who never counted",
      daos: ["6×1 6×1", "4×1 -", "9×0 1×0"],
      is: [0, 0, 1],
    },
    {
      why: "one who fell asleep, with a point but no weight any more",
      daos: ["6×1 6×1", "4×1 2×0"],
      is: [0, 0, 1],
    },
    { why: "everybody, as none was there before", daos: ["6×1 -", "- 4×1"], is: [0, 0, -2] },
  ])("$why", ({ daos, is: [scores = 0, weights = 0, members = 0] }) => {
    const [move] = indexMoves(historiesOf(daos.map(pointsOf)));
    expect(move?.scores).toBeCloseTo(scores, 12);
    expect(move?.weights).toBeCloseTo(weights, 12);
    expect(move?.members).toBeCloseTo(members, 12);
    expect(move?.rounding).toBeCloseTo(0, 12);
  });

  const anyPoint = fc.option(
    fc.tuple(
      fc.integer({ min: 0, max: 1000 }).map((hundredths) => hundredths / 100),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
    ),
    { nil: undefined, freq: 4 },
  );
  // One who is always there, so that each day has an index.
  const anyDaos = fc
    .integer({ min: 2, max: 40 })
    .chain((days) =>
      fc.tuple(
        fc.array(fc.array(anyPoint, { minLength: days, maxLength: days }), { maxLength: 5 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 10 }), fc.constant(0.5)), {
          minLength: days,
          maxLength: days,
        }),
      ),
    )
    .map(([others, always]): readonly (readonly Point[])[] => [always, ...others]);

  it("adds up to it, by day, by month and over all, and rounding is no more than rounding", () => {
    fc.assert(
      fc.property(anyDaos, (daos) => {
        const moves = indexMoves(historiesOf(daos));
        const months = monthlyMoves(moves);
        for (const { before, after, scores, weights, members, rounding } of [...moves, ...months]) {
          expect(scores + weights + members + rounding).toBeCloseTo(after - before, 9);
        }
        for (const { rounding } of moves) expect(Math.abs(rounding)).toBeLessThanOrEqual(0.01 + 1e-9);
        expect(months.map(({ from }) => from).slice(1)).toEqual(months.map(({ to }) => to).slice(0, -1));
        const [all, ofMonths] = [sumOfMoves(moves), sumOfMoves(months)];
        expect(ofMonths?.scores).toBeCloseTo(all?.scores ?? Number.NaN, 9);
        expect([ofMonths?.from, ofMonths?.to]).toEqual([moves[0]?.from, moves.at(-1)?.to]);
      }),
      { numRuns: 60 },
    );
  });

  it("is turned round where the days are", () => {
    fc.assert(
      fc.property(anyDaos, (daos) => {
        const two = daos.map((points) => points.slice(0, 2));
        const [moves] = indexMoves(historiesOf(two));
        const [back] = indexMoves(historiesOf(two.map((points) => points.toReversed())));
        for (const part of ["scores", "weights", "members"] as const) {
          expect((moves?.[part] ?? 0) + (back?.[part] ?? 0)).toBeCloseTo(0, 9);
        }
      }),
    );
  });

  it("is nothing without an index, or with one day of it", () => {
    expect(indexMoves({ dgiHistory: undefined, histories: [] })).toEqual([]);
    expect(indexMoves(historiesOf([[[5, 1]]]))).toEqual([]);
    expect(monthlyMoves([])).toEqual([]);
    expect(sumOfMoves([])).toBeUndefined();
  });
});
