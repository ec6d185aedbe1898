import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreMeasures } from "../../../../pipeline/score/components/score-measures.ts";
import { createDaoScorer } from "../../../../pipeline/score/dao-scorer.ts";
import type { DaoMeasures } from "../../../../pipeline/score/method/measures.ts";
import { bootstrapScores } from "../../../../pipeline/score/uncertainty/bootstrap.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../../support/random-dao.ts";
import { factsOf, honestDao } from "../attacked-dao.ts";
import { type PlainWhole, plainBootstrap } from "../plain-bootstrap.ts";
import { sampleDao, T } from "../sample-facts.ts";

const RESAMPLES_COMPARED = 40;

/** What no resample changes, as the whole frame has it. */
function wholeOf(measures: DaoMeasures): PlainWhole {
  const { hpr, gpi } = scoreMeasures(measures).components;
  const rowValue = (id: string) => [...hpr.indicators, ...gpi.indicators].find((row) => row.id === id)?.value;
  return {
    independence: rowValue("independence") ?? 1,
    presence: rowValue("presence") ?? 0,
    cadence: rowValue("cadence") ?? 0,
    proposers: rowValue("proposers"),
    guardrails: rowValue("guardrails"),
  };
}

test("a plain second reading draws the same proposals and scores them alike", () => {
  let kept = 0;
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const { measures } = createDaoScorer(buildRandomDao(spec), () => undefined).assessAt(T, true);
      if (measures.members.length === 0) return;
      const found = bootstrapScores(measures);
      plainBootstrap(measures, wholeOf(measures), RESAMPLES_COMPARED).forEach((plain, index) => {
        for (const key of ["gvs", "hpr", "dei", "pdi", "gpi"] as const) {
          const mine = found[key][index] ?? 0;
          expect(Number.isNaN(mine), `resample ${index} is a gap`).toBe(plain === undefined);
          if (plain !== undefined) expect(mine, key).toBeCloseTo(plain[key], 9);
        }
        if (plain !== undefined) kept += 1;
      });
    }),
    { numRuns: 15, ...SHRINK_LIMITS },
  );
  expect(kept, "some must be scored").toBeGreaterThan(40);
});

test("the same day draws the same, another day or DAO another", () => {
  const facts = factsOf(honestDao(7));
  const at = (atMs: number, spaceId = "sample.eth") => {
    const dao = { ...facts.dao, spaceId };
    const { measures } = createDaoScorer({ ...facts, dao }, () => undefined).assessAt(atMs, true);
    return [...bootstrapScores(measures).gvs];
  };
  expect(at(T)).toEqual(at(T));
  expect(at(T)).toHaveLength(1000);
  expect(at(T, "other.eth")).not.toEqual(at(T));
  expect(new Set(at(T)).size).toBeGreaterThan(100);
});

test("no frame, no resample", () => {
  const { measures } = createDaoScorer(sampleDao(), () => undefined).assessAt(T, true);
  expect(bootstrapScores(measures).gvs).toHaveLength(0);
});
