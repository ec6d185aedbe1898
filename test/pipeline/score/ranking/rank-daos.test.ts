import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DailyPoint, endedDayEndsMs } from "../../../../pipeline/facts/days.ts";
import { componentOf, vitalityInterval } from "../../../../pipeline/score/method/marks.ts";
import {
  createIndexHistory,
  packDays,
  scoreGovernanceIndex,
} from "../../../../pipeline/score/ranking/governance-index.ts";
import { rankDaos } from "../../../../pipeline/score/ranking/rank-daos.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import { byComponent, COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { DAY, T } from "../sample-facts.ts";

type Ends = readonly [low: number, high: number];

/** A DAO whose components all have such ends, but for its `hpr`. */
function dao(spaceId: string, ends: Ends, completenessPct = 90, hpr = ends) {
  const interval = ([low, high]: Ends) => componentOf([1, 1], [[low / 10, high / 10]]);
  const [first, other] = [interval(hpr), interval(ends)];
  const components = { hpr: first, dei: other, pdi: other, gpi: other };
  return { spaceId, completenessPct, components, gvs: vitalityInterval(components) };
}
const ranks = (...daos: ReturnType<typeof dao>[]) =>
  Object.fromEntries([...rankDaos(daos)].map(([spaceId, { rank, range }]) => [spaceId, [rank, ...range]]));

test.each<[why: string, daos: ReturnType<typeof dao>[], order: string]>([
  ["more gvs first", [dao("a", [0, 0]), dao("b", [10, 10])], "b a"],
  ["gvs as they are published", [dao("a", [5.004, 5.004]), dao("b", [5.001, 5.001], 91)], "b a"],
  ["gvs before completeness", [dao("a", [5, 5], 100), dao("b", [5.01, 5.01], 0)], "b a"],
  ["then completeness as it is published", [dao("b", [5, 5], 90.004), dao("a", [5, 5], 90.001)], "a b"],
  ["then ids by their characters", ["b", "a.2", "a-2", "a10"].map((id) => dao(id, [5, 5])), "a-2 a.2 a10 b"],
])("order: %s", (_, daos, order) => {
  for (const given of [daos, daos.toReversed()]) {
    const ranked = Object.entries(ranks(...given)).sort(([, [a = 0]], [, [b = 0]]) => a - b);
    expect(ranked.map(([spaceId]) => spaceId).join(" ")).toBe(order);
  }
});

test.each<[why: string, daos: ReturnType<typeof dao>[], expected: ReturnType<typeof ranks>]>([
  ["apart", [dao("a", [6, 7]), dao("b", [4, 5])], { a: [1, 1, 1], b: [2, 2, 2] }],
  [
    "boundary: ends that touch decide nothing",
    [dao("a", [5, 7]), dao("b", [4, 5])],
    { a: [1, 1, 2], b: [2, 1, 2] },
  ],
  ["equal ones", [dao("a", [5, 5]), dao("b", [5, 5])], { a: [1, 1, 2], b: [2, 1, 2] }],
  [
    "one over all",
    [dao("a", [6, 7]), dao("b", [1, 9]), dao("c", [2, 3])],
    { a: [1, 1, 2], b: [2, 1, 3], c: [3, 2, 3] },
  ],
  ["alone", [dao("a", [0, 10])], { a: [1, 1, 1] }],
  ["nobody", [], {}],
])("ranges: %s", (_, daos, expected) => {
  expect(ranks(...daos)).toStrictEqual(expected);
});

test("sensitivity is the rank if one weight is a quarter less or more and the others keep their proportions", () => {
  const weights = { hpr: 0.3, dei: 0.3, pdi: 0.2, gpi: 0.2 };
  const points = fc.double({ min: 0, max: 10, noNaN: true });
  const drawn = fc.array(fc.record({ hpr: points, dei: points, pdi: points, gpi: points }), {
    maxLength: 40,
  });
  const changes = COMPONENT_KEYS.flatMap((changed) => [
    { changed, end: "less" as const, weight: 0.75 * weights[changed] },
    { changed, end: "more" as const, weight: 1.25 * weights[changed] },
  ]);
  fc.assert(
    fc.property(drawn, (all) => {
      const daos = all.map((own, at) => ({
        ...dao(`dao-${10 + at}`, [5, 5]),
        components: byComponent((key) => ({ point: own[key] })),
      }));
      const ranked = [...rankDaos(daos).values()];
      for (const { changed, end, weight } of changes) {
        const others = (1 - weight) / (1 - weights[changed]);
        const order = all.map((own, index) => {
          const factors = COMPONENT_KEYS.map(
            (key) => (1 + own[key]) ** (key === changed ? weight : others * weights[key]),
          );
          const gvs = factors.reduce((product, factor) => product * factor, 1) - 1;
          return { index, gvs: Number(gvs.toFixed(2)) };
        });
        order.sort((a, b) => b.gvs - a.gvs || a.index - b.index);
        expect(
          order.map(
            ({ index }) => ranked[index]?.sensitivity.find(({ component }) => component === changed)?.[end],
          ),
        ).toStrictEqual(order.map((_, rank) => rank + 1));
      }
    }),
  );
});

describe("governance index", () => {
  /** Ends of a score: half of it, and a quarter of the rest of the scale. */
  const around = (value: number) => ({ low: value / 2, point: value, high: value + (10 - value) / 4 });
  const dao = (value: number, indexWeight = 1) => ({
    spaceId: `dao${value}.eth`,
    components: { hpr: around(value), dei: around(value / 2), pdi: around(0), gpi: around(10) },
    gvs: around(value),
    indexWeight,
  });
  /** Its point of a day. */
  const pointOf = ({ gvs, components, indexWeight }: ReturnType<typeof dao>, date: string): DailyPoint => ({
    ...{ date, methodologyVersion: "1.0.0", riskScore: undefined, completenessPct: 90 },
    gvs: gvs.point,
    gvsEnds: [gvs.low, gvs.high],
    components: byComponent((key) => components[key].point),
    indexWeight,
  });
  const historyOf = (daos: readonly (readonly DailyPoint[])[]) => {
    const history = createIndexHistory(T);
    for (const points of daos) history.add(packDays(points, T));
    return history.indexes();
  };
  const five = [1, 2, 3, 4, 5].map((value) => dao(value));

  test.each<[why: string, daos: ReturnType<typeof dao>[], composite: number | undefined]>([
    ["a plain mean of equal weights", five, 3],
    ["a DAO of which half is known counts half", [...five.slice(0, 4), dao(5, 0.5)], 12.5 / 4.5],
    ["boundary: no weight is nobody", [...five, dao(10, 0)], 3],
    ["unknown: four are too few", five.slice(0, 4), undefined],
    ["unknown: one of five has no weight", [...five.slice(0, 4), dao(5, 0)], undefined],
  ])("%s", (_, daos, composite) => {
    const found = scoreGovernanceIndex(daos, T);
    expect(found?.composite).toEqual(composite && expect.closeTo(composite, 12));
    if (found) expect(found).toMatchObject({ asOfMs: T, daoCount: 5, components: { gpi: 10, pdi: 0 } });
  });

  test("nobody enters with a jump", () => {
    const at = (weight: number) => scoreGovernanceIndex([...five, dao(10, weight)], T)?.composite ?? 0;
    expect(Math.abs(at(1e-6) - at(0))).toBeLessThan(1e-5);
  });

  test("order of DAOs changes no bit, and a day of the history is a moment like now", () => {
    // The order of their sums would show in the last bits.
    const uneven = five.map((_, place) => dao(10 / (place + 1.1), 1 / (place + 3)));
    expect(scoreGovernanceIndex(uneven.toReversed(), T)).toStrictEqual(scoreGovernanceIndex(uneven, T));
    const [first = 0, ...later] = endedDayEndsMs(T, 365);
    const days = [first - DAY, first, ...later, T + DAY].map(dayOf);
    const { ends, ...now } = scoreGovernanceIndex(uneven, T) ?? expect.fail("five DAOs have an index");
    const ordered = uneven.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
    const history = historyOf(ordered.map((each) => days.map((date) => pointOf(each, date))));
    expect(history).toStrictEqual([first, ...later].map((asOfMs) => ({ ...now, asOfMs })));
    expect(now.gvsEnds).toStrictEqual([ends.gvs.low, ends.gvs.high]);
  });

  test("a day has no ends where those of a member are not known, and no index of four", () => {
    const [before = "", last = ""] = endedDayEndsMs(T, 2).map(dayOf);
    const daos = five.map((each) => [
      { ...pointOf(each, before), gvsEnds: each.gvs.point === 3 ? undefined : ([0, 10] as const) },
      { ...pointOf(each, last), gvsEnds: [0, 10] as const },
    ]);
    const sixth = (indexWeight: number) => [{ ...pointOf(dao(9, indexWeight), last), gvsEnds: undefined }];
    expect(historyOf([...daos, sixth(0)]).map(({ gvsEnds }) => gvsEnds)).toStrictEqual([undefined, [0, 10]]);
    expect(historyOf([...daos, sixth(1)]).map(({ daoCount }) => daoCount)).toStrictEqual([5, 6]);
    expect(historyOf([...daos.slice(1), sixth(0)])).toStrictEqual([]);
  });

  test("its ends are the means of its members' ends, of each component too", () => {
    const ends = scoreGovernanceIndex([...five.slice(0, 4), dao(5, 0.5), dao(10, 0)], T)?.ends;
    const mean = 12.5 / 4.5;
    expect(ends?.gvs.low).toBeCloseTo(mean / 2, 12);
    expect(ends?.gvs.high).toBeCloseTo(2.5 + 0.75 * mean, 12);
    expect(ends?.dei.low).toBeCloseTo(mean / 4, 12);
    expect(ends).toMatchObject({ pdi: { low: 0, high: 2.5 }, gpi: { low: 5, high: 10 } });
  });
});
