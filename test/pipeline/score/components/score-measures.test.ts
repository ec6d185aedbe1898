import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreMeasures } from "../../../../pipeline/score/components/score-measures.ts";
import { createDaoScorer } from "../../../../pipeline/score/dao-scorer.ts";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../../support/random-dao.ts";
import { T } from "../sample-facts.ts";

const assess = (facts: Parameters<typeof createDaoScorer>[0]) =>
  createDaoScorer(facts, () => undefined).assessAt(T, true);

test("a component is ten times its factors times the sum of what its parts carry", () => {
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const { measures, scored } = assess(buildRandomDao(spec));
      for (const key of COMPONENT_KEYS) {
        const { before, indicators } = scored.components[key];
        expect(indicators.map(({ id }) => id)).toEqual(Object.values(INDICATORS[key]).map(({ id }) => id));
        for (const { position, value } of indicators) {
          // A mean of limited values is no limited mean; each proposal's own rows are.
          if (key !== "pdi") expect(value).toBe(position && Math.min(1, Math.max(0, position)));
        }
        if (before.kind === "gap") continue;
        let points = 10;
        for (const row of indicators) if (row.role === "factor") points *= row.value ?? Number.NaN;
        let sum = 0;
        for (const row of indicators) if (row.role === "part") sum += row.effectiveWeight * (row.value ?? 0);
        points *= sum;
        if (key === "hpr" && !measures.isCoordinationAssessed) points = Math.min(5, points);
        expect(points, key).toBeCloseTo(before.points, 9);
      }
    }),
    { numRuns: 60, ...SHRINK_LIMITS },
  );
});

test("the measures are all it takes: through JSON they score the same bits", () => {
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const { measures, scored } = assess(buildRandomDao(spec));
      expect(JSON.stringify(scoreMeasures(JSON.parse(JSON.stringify(measures))))).toBe(
        JSON.stringify(scored),
      );
    }),
    { numRuns: 60, ...SHRINK_LIMITS },
  );
});

test("the weights of each component's parts sum to 1", () => {
  for (const key of COMPONENT_KEYS) {
    const parts = Object.values(INDICATORS[key]).filter(({ role }) => role === "part");
    expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
  }
});
