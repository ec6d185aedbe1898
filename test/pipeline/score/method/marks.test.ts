import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addMark,
  componentOf,
  exactly,
  type Interval,
  knownShareOf,
  type Mark,
  meanMark,
  vitalityInterval,
  vitalityOf,
} from "../../../../pipeline/score/method/marks.ts";
import {
  clamp,
  countUpTo,
  median,
  onGrid,
  sortedSum,
  weightedMedian,
} from "../../../../pipeline/score/method/statistics.ts";

test.each<[why: string, items: [mark: Mark | undefined, weight: number][], low: number, high: number]>([
  ["unknown: nowhere known", [], 0, 1],
  ["unknown: one that is not known adds nothing", [[undefined, 5]], 0, 1],
  ["low: two proposals of no marks", [[exactly(0), 2]], 0, 0.5],
  ["high: two of full marks", [[exactly(1), 2]], 0.5, 1],
  ["a weight of 0 shows nothing", [[exactly(1), 0]], 0, 1],
  ["eight at a half", [[exactly(0.5), 8]], 0.4, 0.6],
  ["an open mark stays open", [[[0, 1], 8]], 0, 1],
  [
    "two of different weight",
    [
      [exactly(1), 3],
      [[0, 0.5], 1],
    ],
    0.5,
    5.5 / 6,
  ],
])("the mean of marks: %s", (_, items, low, high) => {
  const sum = { weight: 0, low: 0, high: 0 };
  for (const [mark, weight] of items) addMark(sum, mark, weight);
  expect(meanMark(sum)).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)]);
});

describe("points of a component", () => {
  test.each<[why: string, presence: Mark, marks: Mark[], low: number, high: number]>([
    ["half known, half present", [0.5, 1], [[0.2, 0.4], exactly(0.6)], 2, 5],
    ["dead", [0, 0], [[1, 1]], 0, 0],
    ["not fetched lately", [0, 1], [[0.3, 0.9]], 0, 9],
  ])("%s", (_, presence, marks, low, high) => {
    expect(componentOf(presence, marks)).toMatchObject({
      low: expect.closeTo(low, 12),
      high: expect.closeTo(high, 12),
    });
  });

  test.each<[why: string, low: number, high: number, point: number]>([
    ["unknown: 2.32 and not 5", 0, 10, Math.sqrt(11) - 1],
    ["known: the point itself", 3.7, 3.7, 3.7],
    ["low", 0, 0, 0],
    ["high", 10, 10, 10],
    ["between 3 and 8", 3, 8, 5],
  ])("the point between two ends: %s", (_, low, high, point) => {
    expect(componentOf([1, 1], [[low / 10, high / 10]])).toStrictEqual({ low, point, high });
  });
});

describe("gvs", () => {
  test.each<
    [why: string, points: [hpr: number, dei: number, pdi: number, gpi: number], gvs: number, digits: number]
  >([
    ["the worked figure", [9, 1, 6, 7], 4.49, 2],
    ["low", [0, 0, 0, 0], 0, 12],
    ["high", [10, 10, 10, 10], 10, 12],
    ["a collapse in one is not offset by the others", [10, 0, 10, 10], 11 ** 0.7 - 1, 12],
  ])("%s", (_, [hpr, dei, pdi, gpi], gvs, digits) => {
    expect(vitalityOf({ hpr, dei, pdi, gpi })).toBeCloseTo(gvs, digits);
  });

  test("the gvs of points is the middle of the gvs of lows and highs", () => {
    const end = fc.double({ min: 0, max: 1, noNaN: true });
    const component = fc
      .tuple(end, end)
      .map((ends): Interval => componentOf([1, 1], [[Math.min(...ends), Math.max(...ends)]]));
    const components = fc.record({ hpr: component, dei: component, pdi: component, gpi: component });
    fc.assert(
      fc.property(components, (drawn) => {
        const { low, point, high } = vitalityInterval(drawn);
        expect(point).toBeCloseTo(Math.sqrt((1 + low) * (1 + high)) - 1, 12);
      }),
    );
  });
});

test.each<[why: string, low: number, high: number, share: number]>([
  ["known", 4, 4, 1],
  ["unknown: all of the scale is open", 0, 10, 0],
  ["boundary: half of the scale", 0, Math.sqrt(11) - 1, 0.5],
])("known share: %s", (_, low, high, share) => {
  expect(knownShareOf({ low, high })).toBeCloseTo(share, 12);
});

test("clamp limits to 0..1", () => {
  expect([-3, 0, 0.25, 1, Infinity].map(clamp)).toStrictEqual([0, 0, 0.25, 1, 1]);
});

test.each<[why: string, ascending: number[], expected: number]>([
  ["one", [5], 5],
  ["odd count", [1, 4, 6], 4],
  ["even count: between the two in the middle", [1, 4, 6, 9], 5],
])("median: %s", (_, ascending, expected) => {
  expect(median(ascending)).toBe(expected);
});

describe("weighted median", () => {
  type Items = readonly (readonly [value: number, weight: number])[];
  const equal = (count: number, weight: number): Items =>
    Array.from({ length: count }, (_, at) => [at, weight]);
  test.each<[why: string, items: Items, expected: number | undefined]>([
    ["unknown: nothing", [], undefined],
    ["unknown: nothing has weight", [[5, 0]], undefined],
    ["one", [[5, 0.1]], 5],
    ["boundary: two equal weights reach half at the lower", [9, 4].map((value) => [value, 1]), 4],
    ["odd count", [9, 4, 6].map((value) => [value, 1]), 6],
    ["weight decides", [9, 4, 6].map((value) => [value, value === 9 ? 3 : 1]), 9],
    ["weights that round: ten tenths, half at the fifth", equal(10, 0.1), 4],
    ["six weights of .3: three sum to a hair less than half", equal(6, 0.3), 2],
    ["thirds", [1 / 3, 1 / 6, 0.5].map((weight, at) => [at + 1, weight]), 2],
    ["a weightless value does not count", [0, 1].map((weight) => [weight + 1, weight]), 2],
  ])("%s", (_, items, expected) => {
    const weighted = items.map(([value, weight]) => ({ value, weight }));
    expect(weightedMedian(weighted)).toBe(expected);
    expect(weightedMedian(weighted.reverse())).toBe(expected);
  });
});

test.each<[why: string, x: number, expected: number]>([
  ["low: nothing", 0, 0],
  ["boundary: half of the last place goes to the even one", 2 ** -53, 0],
  ["a multiple stays", 3 * 2 ** -52, 3 * 2 ** -52],
  ["high: a whole", 1, 1],
])("on the grid: %s", (_, x, expected) => {
  expect(onGrid(x)).toBe(expected);
});

test("sums on the grid, like sorted sums, do not depend on the order, and are nearly the true sum", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e-3, noNaN: true }), { maxLength: 900 }), (values) => {
      const sum = (items: readonly number[]) => items.reduce((total, value) => total + onGrid(value), 0);
      expect(sum(values.toReversed())).toBe(sum(values));
      expect(sortedSum(values.toReversed())).toBe(sortedSum(values));
      expect(Math.abs(sum(values) - sortedSum(values))).toBeLessThan(1e-12);
    }),
  );
});

test.each<[why: string, ascending: number[], limit: number, expected: number]>([
  ["nothing", [], 1, 0],
  ["low", [2, 3], 1, 0],
  ["boundary: all that are equal to it", [1, 2, 2, 2, 3], 2, 4],
  ["between two", [1, 2, 4], 3, 2],
  ["high", [1, 2, 3], 9, 3],
])("how many are at most a limit: %s", (_, ascending, limit, expected) => {
  expect(countUpTo(Float64Array.from(ascending), limit)).toBe(expected);
});
