import fc from "fast-check";
import { expect, test } from "vitest";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { expectSame } from "./expect-same.ts";
import { plainScore } from "./plain-score.ts";
import { DAY, T } from "./sample-facts.ts";

test("a plain second reading of the method gives the same numbers", () => {
  let scored = 0;
  let judged = 0;
  fc.assert(
    fc.property(
      randomDaoSpec,
      fc.constantFrom(0, 0, 1, 30.5, 100, -5),
      fc.boolean(),
      (spec, daysAgo, isArchive) => {
        const facts = { ...buildRandomDao(spec), isArchive };
        const atMs = T - daysAgo * DAY;
        const measurer = createDaoMeasurer(facts, (author) => (author === "0xa" ? "0xb" : undefined));
        const score = scoreMeasures(measurer.measureAt(atMs));
        expectSame(
          score,
          plainScore(facts, atMs, (author) => (author === "0xa" ? "0xb" : author)),
        );
        if (score.unscored === undefined) scored += 1;
        if (measurer.measureAt(atMs).continuities.length > 0) judged += 1;
      },
    ),
    { numRuns: 300, ...SHRINK_LIMITS },
  );
  expect(scored, "the generator must make DAOs that can be scored").toBeGreaterThan(20);
  expect(judged, "and new strategies with other voters").toBeGreaterThan(20);
});
