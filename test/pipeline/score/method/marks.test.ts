import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addMark,
  between,
  componentOf,
  exactly,
  knownShareOf,
  type Mark,
  meanMark,
  middleOf,
  vitalityInterval,
  vitalityOf,
} from "../../../../pipeline/score/method/marks.ts";

const sumOf = (...items: readonly (readonly [mark: Mark | undefined, weight: number])[]): Mark => {
  const sum = { weight: 0, low: 0, high: 0 };
  for (const [mark, weight] of items) addMark(sum, mark, weight);
  return meanMark(sum);
};

test.each([
  { why: "unknown: nowhere known", items: [], expected: [0, 1] },
  { why: "unknown: one that is not known adds nothing", items: [[undefined, 5] as const], expected: [0, 1] },
  { why: "low: two proposals of no marks", items: [[exactly(0), 2] as const], expected: [0, 0.5] },
  { why: "high: two of full marks", items: [[exactly(1), 2] as const], expected: [0.5, 1] },
  { why: "a weight of nothing says nothing", items: [[exactly(1), 0] as const], expected: [0, 1] },
  { why: "eight at a half", items: [[exactly(0.5), 8] as const], expected: [0.4, 0.6] },
  { why: "a pair that is open stays open", items: [[[0, 1] as const, 8] as const], expected: [0, 1] },
  {
    why: "two of different weight",
    items: [[exactly(1), 3] as const, [[0, 0.5] as const, 1] as const],
    expected: [0.5, 5.5 / 6],
  },
])("the mean of marks: $why", ({ items, expected }) => {
  const [low, high] = sumOf(...items);
  expect(low).toBeCloseTo(expected[0] ?? 0, 12);
  expect(high).toBeCloseTo(expected[1] ?? 0, 12);
});

describe("points", () => {
  test.each([
    {
      why: "unknown: a component of which nothing is known is 2.32 and not 5",
      low: 0,
      high: 10,
      point: Math.sqrt(11) - 1,
    },
    { why: "known: the point itself", low: 3.7, high: 3.7, point: 3.7 },
    { why: "low: nothing", low: 0, high: 0, point: 0 },
    { why: "high", low: 10, high: 10, point: 10 },
    { why: "between 3 and 8", low: 3, high: 8, point: 5 },
  ])("$why", ({ low, high, point }) => {
    expect(middleOf(low, high)).toStrictEqual({ low, point, high });
  });

  test.each([
    { why: "the worked figure", points: [9, 1, 6, 7], gvs: 4.49 },
    { why: "low", points: [0, 0, 0, 0], gvs: 0 },
    { why: "high", points: [10, 10, 10, 10], gvs: 10 },
    { why: "a collapse in one cannot be bought back", points: [10, 0, 10, 10], gvs: 11 ** 0.7 - 1 },
  ])("gvs: $why", ({ points: [hpr = 0, dei = 0, pdi = 0, gpi = 0], gvs }) => {
    expect(vitalityOf({ hpr, dei, pdi, gpi })).toBeCloseTo(gvs, gvs === 4.49 ? 2 : 12);
  });

  test("compose: the gvs of points is the middle of the gvs of lows and highs", () => {
    const ends = fc.tuple(
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 10, noNaN: true }),
    );
    fc.assert(
      fc.property(ends, ends, ends, ends, (...pairs) => {
        const [hpr, dei, pdi, gpi] = pairs.map(([a, b]) => middleOf(...between(a, b)));
        if (!hpr || !dei || !pdi || !gpi) throw new Error("four pairs");
        const { low, point, high } = vitalityInterval({ hpr, dei, pdi, gpi });
        expect(point).toBeCloseTo(Math.sqrt((1 + low) * (1 + high)) - 1, 12);
      }),
    );
  });
});

test.each([
  {
    why: "half known, half present",
    presence: [0.5, 1] as const,
    marks: [
      [0.2, 0.4],
      [0.6, 0.6],
    ] as const,
    low: 2,
    high: 5,
  },
  { why: "dead", presence: [0, 0] as const, marks: [[1, 1]] as const, low: 0, high: 0 },
  { why: "not looked at", presence: [0, 1] as const, marks: [[0.3, 0.9]] as const, low: 0, high: 9 },
])("a component: $why", ({ presence, marks, low, high }) => {
  const found = componentOf(presence, marks);
  expect(found.low).toBeCloseTo(low, 12);
  expect(found.high).toBeCloseTo(high, 12);
});

test.each([
  { why: "known", low: 4, high: 4, share: 1 },
  { why: "unknown: all of the scale is open", low: 0, high: 10, share: 0 },
  { why: "boundary: half of the scale", low: 0, high: Math.sqrt(11) - 1, share: 0.5 },
])("known share: $why", ({ low, high, share }) => {
  expect(knownShareOf({ low, high })).toBeCloseTo(share, 12);
});
