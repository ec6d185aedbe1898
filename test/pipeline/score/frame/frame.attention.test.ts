import { describe, expect, test } from "vitest";
import { attend, type CastProposal, powerCast } from "../../../../pipeline/score/frame/frame.ts";

const cast = (powers: readonly (number | undefined)[], strategiesKey?: string): CastProposal[] =>
  powers.map((power) => ({ strategiesKey, power }));

const weights = (items: readonly CastProposal[]): number[] => attend(items).map(({ attention }) => attention);

test.each([
  { why: "what the source declares", scoresTotal: 7, votesCount: 3, fetched: 5, isFetched: true, S: 7 },
  {
    why: "else the sum of the ballot",
    scoresTotal: undefined,
    votesCount: 3,
    fetched: 5,
    isFetched: true,
    S: 5,
  },
  { why: "nobody voted", scoresTotal: undefined, votesCount: 0, fetched: undefined, isFetched: false, S: 0 },
  { why: "unknown: no ballot", scoresTotal: undefined, votesCount: 3, fetched: undefined, isFetched: false },
  {
    why: "unknown: a ballot without power",
    scoresTotal: undefined,
    votesCount: 0,
    fetched: undefined,
    isFetched: true,
  },
])("power cast: $why", ({ scoresTotal, votesCount, fetched, isFetched, S }) => {
  expect(powerCast({ scoresTotal, votesCount }, fetched, isFetched)).toBe(S);
});

describe("attention of a proposal", () => {
  // Scale of {100 ×3, …}: the power-weighted median is 100 in every row but where said.
  test.each([
    { why: "low: below a quarter of the scale", powers: [100, 100, 100, 24.9], expected: [1, 1, 1, 0] },
    { why: "boundary: exactly a quarter", powers: [100, 100, 100, 25], expected: [1, 1, 1, 0] },
    { why: "between: (.625 − .25) / .75", powers: [100, 100, 100, 62.5], expected: [1, 1, 1, 0.5] },
    { why: "high: far above counts once", powers: [100, 100, 100, 250], expected: [1, 1, 1, 1] },
    {
      why: "301 of 601 is more than half: the scale is 301",
      powers: [100, 100, 100, 301],
      expected: [...Array<number>(3).fill((100 / 301 - 0.25) / 0.75), 1],
    },
    { why: "alone it is its own scale", powers: [7], expected: [1] },
    { why: "unknown: unknown power weighs 1", powers: [100, undefined], expected: [1, 1] },
    { why: "unknown: all unknown", powers: [undefined, undefined], expected: [1, 1] },
    { why: "nothing cast on one", powers: [100, 0], expected: [1, 0] },
    { why: "nothing cast anywhere: no attention, and no NaN", powers: [0, 0, 0], expected: [0, 0, 0] },
    { why: "no proposals", powers: [], expected: [] },
  ])("$why", ({ powers, expected }) => {
    const found = weights(cast(powers));
    expected.forEach((value, index) => {
      expect(found[index]).toBeCloseTo(value, 12);
    });
    expect(found).toHaveLength(expected.length);
  });

  test("proposals of other strategies have a scale of their own", () => {
    expect(weights([...cast([1000, 1000]), ...cast([1, 1], "a"), ...cast([5e6, 5e6], "b")])).toStrictEqual(
      Array(6).fill(1),
    );
  });

  test("a heap of small proposals cannot pull the scale of fifty down", () => {
    const real = Array<number>(50).fill(100);
    const heap = Array<number>(5000).fill(20);
    expect(weights(cast([...real, ...heap])).reduce((sum, weight) => sum + weight, 0)).toBe(50);
  });

  test.each([
    { why: "boundary: of the fifty largest, 19 × 100 outweigh 31 × 60", large: 19, scale: 100 },
    { why: "18 × 100 do not outweigh 32 × 60", large: 18, scale: 60 },
  ])("$why", ({ large, scale }) => {
    const [, ...rest] = weights(cast([...Array<number>(large).fill(100), ...Array<number>(500).fill(60)]));
    expect(rest.at(-1)).toBeCloseTo((60 / scale - 0.25) / 0.75, 12);
  });

  test("the scale is a median of power, not of proposals", () => {
    // Sum 100 + 9 × 10 = 190; ascending, the tens reach 90 < 95, so the scale is 100, and a tenth is nothing.
    expect(weights(cast([100, ...Array<number>(9).fill(10)]))).toStrictEqual([
      1,
      ...Array<number>(9).fill(0),
    ]);
  });
});
