import { expect, test } from "vitest";
import type { DaoScore } from "../../../pipeline/score/dao-score.ts";
import { scoreGovernanceIndex } from "../../../pipeline/score/governance-index.ts";
import { gap, points } from "../../../pipeline/score/score-or-gap.ts";
import { T } from "./sample-facts.ts";

const dao = (value: number, changes: Partial<DaoScore> = {}): DaoScore => ({
  spaceId: `dao${value}.eth`,
  asOfMs: T,
  components: { hpr: points(value), dei: points(value / 2), pdi: points(0), gpi: points(10) },
  gvs: points(value),
  confidence: "high",
  risk: { kind: "gap", reason: "COMPONENT_GAP" },
  completenessPct: 60,
  attentionSum: 5,
  entities: [],
  ...changes,
});
const five = [1, 2, 3, 4, 5].map((value) => dao(value));

test("a plain mean of five members at the boundary of both bars", () => {
  expect(scoreGovernanceIndex(five, T)).toStrictEqual({
    asOfMs: T,
    composite: 3,
    components: { hpr: 3, dei: 1.5, pdi: 0, gpi: 10 },
    daoCount: 5,
  });
});

test.each([
  { why: "low: thin evidence", changes: { attentionSum: 4.999 } },
  { why: "incomplete data", changes: { completenessPct: 59.999 } },
  { why: "gap: completeness unknown", changes: { completenessPct: undefined } },
  { why: "gap: no gvs", changes: { gvs: gap("COMPONENT_GAP") } },
  {
    why: "gap: a component",
    changes: { components: { ...dao(1).components, pdi: gap("DELIBERATION_UNKNOWN") } },
  },
])("$why is no member", ({ changes }) => {
  expect(scoreGovernanceIndex([...five, dao(10, changes)], T)?.daoCount).toBe(5);
  expect(scoreGovernanceIndex([...five.slice(1), dao(10, changes)], T)).toBeUndefined();
});

test("fewer than five members make no index, and order changes no bit", () => {
  expect(scoreGovernanceIndex(five.slice(1), T)).toBeUndefined();
  const uneven = [0.1, 0.7, 1.3, 2.9, 9.7, 3.3].map((value) => dao(value));
  expect(scoreGovernanceIndex([...uneven].reverse(), T)).toStrictEqual(scoreGovernanceIndex(uneven, T));
});
