import fc from "fast-check";
import { expect, test } from "vitest";
import { createDaoScorer } from "../../../pipeline/score/dao-scorer.ts";
import type { DayScore } from "../../../pipeline/score/method/dao-score.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { DAY, scoreSample, T } from "./sample-facts.ts";

/** A row of days of many lengths and steps: each day, and with gaps in which the frame is another. */
const daysAgo = fc
  .record({
    from: fc.integer({ min: 0, max: 900 }),
    steps: fc.array(fc.constantFrom(1, 1, 1, 2, 7, 60, 400), { minLength: 1, maxLength: 14 }),
  })
  .map(({ from, steps }) =>
    [0, ...steps].map((_, place) => steps.slice(0, place).reduce((ago, step) => ago - step, from)),
  );

test("a row of days scored in one pass is, to the bit, each day scored alone by a fresh scorer", () => {
  let scored = 0;
  fc.assert(
    fc.property(randomDaoSpec, daysAgo, (spec, days) => {
      const facts = buildRandomDao(spec);
      const dayEndsMs = days.map((ago) => T - ago * DAY);
      const alone = dayEndsMs.map((dayEndMs): DayScore => {
        const { entities: _, ...score } = scoreSample(facts, dayEndMs);
        return score;
      });
      expect(createDaoScorer(facts, () => undefined).scoreDays(dayEndsMs)).toStrictEqual(alone);
      scored += alone.filter(({ gvs }) => gvs.kind === "score").length;
    }),
    SHRINK_LIMITS,
  );
  expect(scored, "the generator must make days that can be scored").toBeGreaterThan(50);
});
