import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BANZHAF_HEADS_MAX,
  banzhafIndexes,
  entropyBits,
  gini,
} from "../../../../pipeline/score/heads/diagnostics.ts";
import { concentration } from "../../../../pipeline/score/heads/heads.ts";
import { plainBanzhaf } from "./plain-power-index.ts";

const sharesOf = (weights: readonly number[]): Float64Array => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return Float64Array.from(weights, (weight) => weight / sum);
};
const times = (count: number, weight: number): number[] => Array<number>(count).fill(weight);

/** Fails where one number differs by more than rounding. */
function expectClose(found: ArrayLike<number>, wanted: readonly number[]): void {
  expect(found.length).toBe(wanted.length);
  wanted.forEach((value, place) => {
    expect(found[place], `place ${place}`).toBeCloseTo(value, 9);
  });
}

describe("the plain reading of all coalitions gives the vectors of the literature", () => {
  test.each([
    { why: "[4; 3, 2, 1, 1]", quota: 4, weights: [3, 2, 1, 1], index: [1 / 2, 1 / 6, 1 / 6, 1 / 6] },
    {
      why: "[51; 50, 49, 1]: one in a hundred is worth 49",
      quota: 51,
      weights: [50, 49, 1],
      index: [3 / 5, 1 / 5, 1 / 5],
    },
    {
      why: "the Council of the EEC of 1958: Luxembourg never decides",
      quota: 12,
      weights: [4, 4, 4, 2, 2, 1],
      index: [5 / 21, 5 / 21, 5 / 21, 1 / 7, 1 / 7, 0],
    },
    {
      why: "the UN Security Council of 1945: 19/105 and 1/63",
      quota: 27,
      weights: [...times(5, 5), ...times(6, 1)],
      index: [...times(5, 19 / 105), ...times(6, 1 / 63)],
    },
    {
      why: "the UN Security Council since 1965: 106/635 and 21/1270",
      quota: 39,
      weights: [...times(5, 7), ...times(10, 1)],
      index: [...times(5, 106 / 635), ...times(10, 21 / 1270)],
    },
  ])("$why", ({ quota, weights, index }) => {
    expectClose(plainBanzhaf({ quota, weights }), index);
  });
});

describe("ours, by simple majority of the power cast", () => {
  test.each([
    { why: "[4; 3, 2, 1, 1]", weights: [3, 2, 1, 1], index: [1 / 2, 1 / 6, 1 / 6, 1 / 6] },
    { why: "[51; 50, 49, 1]", weights: [50, 49, 1], index: [3 / 5, 1 / 5, 1 / 5] },
    {
      why: "Nassau County 1958: three of six never decide",
      weights: [9, 9, 7, 3, 1, 1],
      index: [1 / 3, 1 / 3, 1 / 3, 0, 0, 0],
    },
    {
      why: "Nassau County 1964: 21 of 115 are worth nothing",
      weights: [31, 31, 28, 21, 2, 2],
      index: [1 / 3, 1 / 3, 1 / 3, 0, 0, 0],
    },
    { why: "low: alone", weights: [5], index: [1] },
    { why: "high: a majority decides alone", weights: [51, 30, 19], index: [1, 0, 0] },
    { why: "boundary: of two equal ones neither decides alone", weights: [1, 1], index: [1 / 2, 1 / 2] },
    { why: "boundary: half is no majority", weights: [50, 25, 25], index: [3 / 5, 1 / 5, 1 / 5] },
    {
      why: "as many as are counted",
      weights: times(BANZHAF_HEADS_MAX, 1),
      index: times(BANZHAF_HEADS_MAX, 1 / BANZHAF_HEADS_MAX),
    },
  ])("$why", ({ weights, index }) => {
    expectClose(banzhafIndexes(sharesOf(weights)), index);
  });

  test("any small body: as the plain reading has it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 10 }), (weights) => {
        const quota = Math.floor(weights.reduce((sum, weight) => sum + weight, 0) / 2) + 1;
        expectClose(banzhafIndexes(sharesOf(weights)), plainBanzhaf({ quota, weights }));
      }),
    );
  });

  test("more power never decides less often", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 12 }), (weights) => {
        const ascending = [...weights].sort((a, b) => a - b);
        const index = [...banzhafIndexes(sharesOf(ascending))];
        expect([...index].sort((a, b) => a - b)).toEqual(index);
      }),
    );
  });

  test.each([
    { why: "nobody", count: 0 },
    { why: "more than are counted", count: BANZHAF_HEADS_MAX + 1 },
  ])("impossible: $why", ({ count }) => {
    expect(() => banzhafIndexes(sharesOf(times(count, 1)))).toThrow("coalitions");
  });
});

test.each([
  { why: "low: equal ones", weights: times(8, 3), gini: 0, bits: 3 },
  { why: "high: one of four has all", weights: [0, 0, 0, 1], gini: 0.75, bits: 0 },
  { why: "1 to 5", weights: [1, 2, 3, 4, 5], gini: 4 / 15, bits: 2.1492553 },
  { why: "order is nothing", weights: [5, 1, 4, 2, 3], gini: 4 / 15, bits: 2.1492553 },
])("Gini and entropy: $why", ({ weights, gini: wanted, bits }) => {
  expect(gini(sharesOf(weights))).toBeCloseTo(wanted, 9);
  expect(entropyBits(sharesOf(weights))).toBeCloseTo(bits, 6);
});

test("small voters move Gini towards 1 and hardly move who decides: why it is reported only", () => {
  const powers = [40, 30, 20, 10];
  const withMany = [...powers, ...times(1000, 1e-4)];
  expect(gini(sharesOf(powers))).toBeCloseTo(0.25, 9);
  expect(gini(sharesOf(withMany))).toBeGreaterThan(0.99);
  const [few, many] = [concentration(sharesOf(powers)), concentration(sharesOf(withMany))];
  expect(many.nakamoto).toBe(few.nakamoto);
  expect(many.effectiveVoters / few.effectiveVoters).toBeCloseTo(1, 2);
});
