import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Contender, rankRanges } from "../../../../pipeline/score/uncertainty/rank-range.ts";

const of = (spaceId: string, gvs: readonly number[], completenessPct = 90): Contender => ({
  spaceId,
  gvs: Float64Array.from(gvs),
  completenessPct,
});
const GONE = Number.NaN;

describe("places in one ranking", () => {
  test.each([
    { why: "better gvs first", contenders: [of("a", [1]), of("b", [2])], order: ["b", "a"] },
    {
      why: "equal when rounded: completeness",
      contenders: [of("a", [2.001], 80), of("b", [2], 90)],
      order: ["b", "a"],
    },
    { why: "equal in both: the id", contenders: [of("b", [2]), of("a", [2])], order: ["a", "b"] },
    {
      why: "boundary: 1.005 is a little less than it is written, and rounds down",
      contenders: [of("a", [1]), of("b", [1.005])],
      order: ["a", "b"],
    },
    { why: "gap: not part of it", contenders: [of("a", [GONE]), of("b", [2])], order: ["b"] },
    { why: "nobody", contenders: [], order: [] },
  ])("$why", ({ contenders, order }) => {
    const ranges = rankRanges(contenders, 0, 1);
    const found = [...ranges].sort(([, a], [, b]) => a.best - b.best);
    expect(found).toEqual(order.map((spaceId, index) => [spaceId, { best: index + 1, worst: index + 1 }]));
  });
});

describe("ranges over rankings", () => {
  const contenders = [of("a", [3, 3, GONE]), of("b", [2, 1, 1]), of("c", [1, 2, 2])];
  test.each([
    { why: "always first where it was", spaceId: "a", best: 1, worst: 1 },
    { why: "second or third", spaceId: "b", best: 2, worst: 3 },
    { why: "moves up where another is missing", spaceId: "c", best: 1, worst: 3 },
  ])("$why", ({ spaceId, best, worst }) => {
    expect(rankRanges(contenders, 0, 1).get(spaceId)).toEqual({ best, worst });
  });

  test("cut to shares of them", () => {
    const a = Array.from({ length: 100 }, (_, index) => (index < 5 ? 9 : 1));
    const many = [of("a", a), of("b", Array<number>(100).fill(5))];
    expect(rankRanges(many, 0.05, 0.95).get("a")).toEqual({ best: 1, worst: 2 });
    expect(rankRanges(many, 0.06, 0.95).get("a")).toEqual({ best: 2, worst: 2 });
  });
});

/** Places by the rule as it is published, one comparison after another. */
function plainPlaces(contenders: readonly Contender[], ranking: number): Map<string, number> {
  const rounded = (value: number): number => Number(value.toFixed(2));
  const sorted = contenders
    .filter(({ gvs }) => !Number.isNaN(gvs[ranking]))
    .sort(
      (a, b) =>
        rounded(b.gvs[ranking] ?? 0) - rounded(a.gvs[ranking] ?? 0) ||
        rounded(b.completenessPct) - rounded(a.completenessPct) ||
        (a.spaceId < b.spaceId ? -1 : 1),
    );
  return new Map(sorted.map(({ spaceId }, index) => [spaceId, index + 1]));
}

/** Many equal, many in the middle between two hundredths, some gone. */
const gvs = fc.oneof(
  fc.double({ min: 0, max: 10, noNaN: true }),
  fc.nat(1000).map((hundredths) => hundredths / 100),
  fc.nat(20).map((halves) => (2 * halves + 1) / 200),
  fc.constant(GONE),
);

test("whole numbers sort as the published rule does, whatever is rounded", () => {
  const table = fc.uniqueArray(
    fc.record({
      spaceId: fc.string({ minLength: 1, maxLength: 3 }),
      gvs: fc.array(gvs, { minLength: 4, maxLength: 4 }),
      completenessPct: fc.oneof(
        fc.constantFrom(90, 90.004, 90.005, 100),
        fc.double({ min: 0, max: 100, noNaN: true }),
      ),
    }),
    { selector: ({ spaceId }) => spaceId, maxLength: 12 },
  );
  fc.assert(
    fc.property(table, (rows) => {
      const contenders = rows.map((row) => of(row.spaceId, row.gvs, row.completenessPct));
      const places = [0, 1, 2, 3].map((ranking) => plainPlaces(contenders, ranking));
      const found = rankRanges(contenders, 0, 1);
      for (const { spaceId } of contenders) {
        const own = places.flatMap((ranking) => ranking.get(spaceId) ?? []);
        const expected = own.length === 0 ? undefined : { best: Math.min(...own), worst: Math.max(...own) };
        expect(found.get(spaceId)).toEqual(expected);
      }
    }),
  );
});
