import { describe, expect, test } from "vitest";
import { middleOf, vitalityInterval } from "../../../../pipeline/score/method/marks.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import {
  createIndexSeries,
  scoreGovernanceIndex,
} from "../../../../pipeline/score/ranking/governance-index.ts";
import { rankDaos, reweighed } from "../../../../pipeline/score/ranking/rank-daos.ts";
import { DAY, T } from "../sample-facts.ts";

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

describe("governance index", () => {
  /** Ends of a score: half of it, and a quarter of the rest of the scale. */
  const around = (value: number) => ({ low: value / 2, high: value + (10 - value) / 4 });
  const dao = (value: number, indexWeight = 1) => ({
    spaceId: `dao${value}.eth`,
    components: { hpr: value, dei: value / 2, pdi: 0, gpi: 10 },
    gvs: value,
    indexWeight,
    ends: { gvs: around(value), hpr: around(value), dei: around(value / 2), pdi: around(0), gpi: around(10) },
  });
  const five = [1, 2, 3, 4, 5].map((value) => dao(value));

  test.each([
    { why: "a plain mean of equal weights", daos: five, composite: 3, count: 5 },
    {
      why: "who is known half counts half",
      daos: [...five.slice(0, 4), dao(5, 0.5)],
      composite: 12.5 / 4.5,
      count: 5,
    },
    { why: "boundary: no weight is nobody", daos: [...five, dao(10, 0)], composite: 3, count: 5 },
    { why: "unknown: four are too few", daos: five.slice(0, 4), composite: undefined, count: 0 },
    {
      why: "unknown: one of five weighs nothing",
      daos: [...five.slice(0, 4), dao(5, 0)],
      composite: undefined,
      count: 0,
    },
  ])("$why", ({ daos, composite, count }) => {
    const found = scoreGovernanceIndex(daos, T);
    if (composite === undefined) expect(found).toBeUndefined();
    else {
      expect(found?.composite).toBeCloseTo(composite, 12);
      expect(found).toMatchObject({ asOfMs: T, daoCount: count, components: { gpi: 10, pdi: 0 } });
    }
  });

  test("nobody enters with a jump", () => {
    const at = (weight: number) => scoreGovernanceIndex([...five, dao(10, weight)], T)?.composite ?? 0;
    expect(Math.abs(at(1e-6) - at(0))).toBeLessThan(1e-5);
  });

  test("order of DAOs changes no bit, and a series is each moment alone", () => {
    expect(scoreGovernanceIndex(five.toReversed(), T)).toStrictEqual(scoreGovernanceIndex(five, T));
    const series = createIndexSeries([T - DAY, T]);
    for (const each of five) {
      const { low, high } = each.ends.gvs;
      series.add(1, { ...each, gvsEnds: [low, high] });
    }
    const { ends, ...now } = scoreGovernanceIndex(five, T) ?? expect.fail("five DAOs have an index");
    expect(series.indexes()).toStrictEqual([undefined, now]);
    expect(now.gvsEnds).toStrictEqual([ends.gvs.low, ends.gvs.high]);
  });

  test("a series has no ends where those of a member are not known", () => {
    const series = createIndexSeries([T - DAY, T]);
    for (const [place, each] of five.entries()) {
      series.add(0, each.gvs === 3 ? each : { ...each, gvsEnds: [0, 10] });
      series.add(1, place === 0 ? { ...each, indexWeight: 0 } : { ...each, gvsEnds: [0, 10] });
    }
    series.add(1, { ...dao(9), gvsEnds: [0, 10] });
    expect(series.indexes().map((index) => index?.gvsEnds)).toStrictEqual([undefined, [0, 10]]);
  });

  test("its ends are the means of its members' ends, of each component too", () => {
    const ends = scoreGovernanceIndex([...five.slice(0, 4), dao(5, 0.5), dao(10, 0)], T)?.ends;
    const mean = 12.5 / 4.5;
    expect(ends?.gvs.low).toBeCloseTo(mean / 2, 12);
    expect(ends?.gvs.high).toBeCloseTo(2.5 + 0.75 * mean, 12);
    expect(ends?.dei.low).toBeCloseTo(mean / 4, 12);
    expect(ends?.pdi).toStrictEqual({ low: 0, high: 2.5 });
    expect(ends?.gpi).toStrictEqual({ low: 5, high: 10 });
  });
});
