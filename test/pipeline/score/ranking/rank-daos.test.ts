import { describe, expect, test } from "vitest";
import { middleOf, vitalityInterval } from "../../../../pipeline/score/method/marks.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { rankDaos, reweighed } from "../../../../pipeline/score/ranking/rank-daos.ts";

/** A DAO whose components all have such ends, or such points of their own. */
function dao(spaceId: string, ends: readonly [low: number, high: number], completenessPct = 90, hpr = ends) {
  const other = middleOf(...ends);
  const components = { hpr: middleOf(...hpr), dei: other, pdi: other, gpi: other };
  return { spaceId, completenessPct, components, gvs: vitalityInterval(components) };
}
const ranks = (...daos: ReturnType<typeof dao>[]) =>
  Object.fromEntries([...rankDaos(daos)].map(([spaceId, { rank, range }]) => [spaceId, [rank, ...range]]));

test("by gvs, then completeness, then space_id", () => {
  expect(
    ranks(dao("b", [5, 5]), dao("a", [5, 5]), dao("c", [5.001, 5.001], 95), dao("d", [6, 6])),
  ).toStrictEqual({
    d: [1, 1, 1],
    c: [2, 2, 2],
    a: [3, 3, 4],
    b: [4, 3, 4],
  });
});

test.each([
  { why: "apart", daos: [dao("a", [6, 7]), dao("b", [4, 5])], expected: { a: [1, 1, 1], b: [2, 2, 2] } },
  {
    why: "boundary: ends that touch decide nothing",
    daos: [dao("a", [5, 7]), dao("b", [4, 5])],
    expected: { a: [1, 1, 2], b: [2, 1, 2] },
  },
  {
    why: "one over all",
    daos: [dao("a", [6, 7]), dao("b", [1, 9]), dao("c", [2, 3])],
    expected: { a: [1, 1, 2], b: [2, 1, 3], c: [3, 2, 3] },
  },
  { why: "alone", daos: [dao("a", [0, 10])], expected: { a: [1, 1, 1] } },
  { why: "nobody", daos: [], expected: {} },
])("ranges: $why", ({ daos, expected }) => {
  expect(ranks(...daos)).toStrictEqual(expected);
});

describe("weight sensitivity", () => {
  test("the changed weight itself is a quarter more or less, and the sum stays", () => {
    for (const component of ["hpr", "dei", "pdi", "gpi"] as const) {
      for (const by of [0.75, 1.25]) {
        const weights = reweighed(component, by);
        expect(weights[component]).toBeCloseTo(METHODOLOGY.components.weights[component] * by, 12);
        expect(weights.hpr + weights.dei + weights.pdi + weights.gpi).toBeCloseTo(1, 12);
      }
    }
    expect(reweighed("pdi", 1.25).hpr / reweighed("pdi", 1.25).gpi).toBeCloseTo(1.5, 12);
  });

  test("whoever hangs on one component changes place with its weight", () => {
    const found = rankDaos([dao("even", [5, 5]), dao("hpr", [4.2, 4.2], 90, [7.4, 7.4])]);
    const [hpr] = found.get("hpr")?.sensitivity ?? [];
    expect(hpr).toStrictEqual({ component: "hpr", less: 2, more: 1 });
  });
});
