import { expect, test } from "vitest";
import {
  createIndexSeries,
  scoreGovernanceIndex,
} from "../../../../pipeline/score/ranking/governance-index.ts";
import { DAY, T } from "../sample-facts.ts";

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
  for (const each of five) series.add(1, each);
  const now = scoreGovernanceIndex(five, T);
  expect(series.indexes()).toStrictEqual([undefined, now && { ...now, ends: undefined }]);
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
