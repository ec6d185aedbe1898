import fc from "fast-check";
import { expect, test } from "vitest";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { ifScored, scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { factsOf, honestDao } from "./attacked-dao.ts";
import { DAY, T } from "./sample-facts.ts";

/** A row of days of many lengths and steps: each day, and with gaps in which the frame is another. */
const daysAgo = fc
  .record({
    from: fc.integer({ min: 0, max: 900 }),
    steps: fc.array(fc.constantFrom(1, 1, 1, 2, 7, 60, 400), { minLength: 1, maxLength: 14 }),
  })
  .map(({ from, steps }) =>
    [0, ...steps].map((_, index) => steps.slice(0, index).reduce((ago, step) => ago - step, from)),
  );

test("a row of days measured in one pass is, to the bit, each day measured alone", () => {
  let scored = 0;
  fc.assert(
    fc.property(randomDaoSpec, daysAgo, (spec, days) => {
      const facts = buildRandomDao(spec);
      const measurer = createDaoMeasurer(facts, () => undefined);
      for (const ago of days) {
        const measures = measurer.measureAt(T - ago * DAY);
        const alone = createDaoMeasurer(facts, () => undefined).measureAt(T - ago * DAY);
        expect(measures).toStrictEqual(alone);
        const score = scoreMeasures(measures);
        expect(score).toStrictEqual(scoreMeasures(alone));
        expect(ifScored(measures)).toStrictEqual(score.unscored === undefined ? score : undefined);
        if (score.unscored === undefined) scored += 1;
      }
    }),
    SHRINK_LIMITS,
  );
  expect(scored, "the generator must make days that can be scored").toBeGreaterThan(50);
});

test("one day later without a proposal ending moves little, also while a DAO that stopped dead fades away", () => {
  const measurer = createDaoMeasurer(factsOf(honestDao(3)), () => undefined);
  const at = (daysLater: number) =>
    scoreMeasures({ ...measurer.measureAt(T + daysLater * DAY), fetchedAtMs: Infinity });
  const steps = Array.from({ length: 200 }, (_, day) => [at(day), at(day + 1)] as const);
  const movesOf = (of: (score: ReturnType<typeof at>) => number) =>
    steps.map(([before, after]) => Math.abs(of(after) - of(before)));
  const gvs = movesOf((score) => score.gvs.point);
  const isPresent = steps.map(([before, after]) => before.presence[0] === after.presence[0]);
  expect(isPresent.filter((is) => is).length).toBeGreaterThan(80);
  expect(Math.max(...gvs.filter((_, day) => isPresent[day]))).toBeLessThan(0.05);
  // Presence falls by 1/60 a day at most; with every component at 10 that would be .17 points.
  expect(Math.max(...gvs)).toBeLessThan(0.12);
  expect(Math.max(...movesOf((score) => score.risk?.score.point ?? 0))).toBeLessThan(1.4);
  expect(at(200).gvs.point).toBe(0);
});
