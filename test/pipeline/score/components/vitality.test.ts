import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  discountThinEvidence,
  evidenceShare,
  scoreVitality,
} from "../../../../pipeline/score/components/vitality.ts";
import { gap, points } from "../../../../pipeline/score/method/dao-score.ts";
import { pointsOf } from "../sample-facts.ts";

const gvs = (hpr: number, dei: number, pdi: number, gpi: number): number =>
  pointsOf(scoreVitality({ hpr: points(hpr), dei: points(dei), pdi: points(pdi), gpi: points(gpi) }));
const score = fc.double({ min: 0, max: 10, noNaN: true });

describe("gvs", () => {
  test.each([
    { why: "low: all nothing", of: [0, 0, 0, 0], expected: 0 },
    { why: "high: all ten", of: [10, 10, 10, 10], expected: 10 },
    { why: "known: 9/1/6/7", of: [9, 1, 6, 7], expected: 4.49 },
    // 11^.7 · 1^.3 − 1
    { why: "a collapse cannot be bought back", of: [10, 0, 10, 10], expected: 11 ** 0.7 - 1 },
    { why: "weights: 3 of 10 is hpr's", of: [3, 0, 0, 0], expected: 4 ** 0.3 - 1 },
    { why: "weights: 2 of 10 is gpi's", of: [0, 0, 0, 3], expected: 4 ** 0.2 - 1 },
  ])("$why", ({ of: [hpr = 0, dei = 0, pdi = 0, gpi = 0], expected }) => {
    expect(gvs(hpr, dei, pdi, gpi)).toBeCloseTo(expected, 2);
  });

  test("equal inputs return themselves, and nothing leaves 0..10", () => {
    fc.assert(
      fc.property(score, (value) => {
        expect(gvs(value, value, value, value)).toBeCloseTo(value, 9);
      }),
    );
    fc.assert(
      fc.property(score, score, score, score, (a, b, c, d) => {
        const found = gvs(a, b, c, d);
        expect(found).toBeGreaterThanOrEqual(Math.min(a, b, c, d) - 1e-9);
        expect(found).toBeLessThanOrEqual(Math.max(a, b, c, d) + 1e-9);
        expect(found).toBeLessThanOrEqual(10);
      }),
    );
  });

  test.each(["hpr", "dei", "pdi", "gpi"] as const)("gap: %s is one", (key) => {
    const four = { hpr: points(5), dei: points(5), pdi: points(5), gpi: points(5) };
    expect(scoreVitality({ ...four, [key]: gap("NO_VOTERS") })).toStrictEqual(gap("COMPONENT_GAP"));
  });
});

describe("thin evidence", () => {
  test.each([
    { why: "low: nothing", sum: 0, share: 0 },
    { why: "half", sum: 10, share: 0.5 },
    { why: "boundary", sum: 20, share: 1 },
    { why: "high", sum: 500, share: 1 },
  ])("λ: $why", ({ sum, share }) => {
    expect(evidenceShare(sum)).toBe(share);
  });

  test.each([
    { why: "full evidence changes nothing", value: 9, evidence: 1, expected: 9 },
    { why: "half evidence halves what is above five", value: 9, evidence: 0.5, expected: 7 },
    { why: "no evidence leaves five", value: 9, evidence: 0, expected: 5 },
    { why: "boundary: five stays", value: 5, evidence: 0, expected: 5 },
    { why: "a low score is not raised", value: 1, evidence: 0, expected: 1 },
  ])("$why", ({ value, evidence, expected }) => {
    expect(pointsOf(discountThinEvidence(points(value), evidence))).toBe(expected);
  });

  test("never raises", () => {
    fc.assert(
      fc.property(score, fc.double({ min: 0, max: 1, noNaN: true }), (value, evidence) => {
        const found = pointsOf(discountThinEvidence(points(value), evidence));
        expect(found).toBeLessThanOrEqual(value);
        expect(found).toBeGreaterThanOrEqual(Math.min(5, value));
      }),
    );
  });

  test("a gap stays one", () => {
    expect(discountThinEvidence(gap("NO_VOTERS"), 0.5)).toStrictEqual(gap("NO_VOTERS"));
  });
});
