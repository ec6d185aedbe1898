import { describe, expect, it, test } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import {
  freezeDayOf,
  type IndexedScore,
  membersOn,
  scoreGovernanceIndex,
} from "../../../pipeline/score/governance-index.ts";
import { T } from "./sample-facts.ts";

const dao = (value: number): IndexedScore => ({
  spaceId: `dao${value}.eth`,
  components: { hpr: value, dei: value / 2, pdi: 0, gpi: 10 },
  gvs: value,
});
const five = [1, 2, 3, 4, 5].map(dao);
const all = new Set(Array.from({ length: 10 }, (_, index) => dao(index + 1).spaceId));

test("a plain mean of five members", () => {
  expect(scoreGovernanceIndex(all, five, T)).toStrictEqual({
    asOfMs: T,
    composite: 3,
    components: { hpr: 3, dei: 1.5, pdi: 0, gpi: 10 },
    daoCount: 5,
  });
});

test("who is no member is not counted, however well it does", () => {
  const members = new Set(five.map(({ spaceId }) => spaceId));
  expect(scoreGovernanceIndex(members, [...five, dao(10)], T)).toMatchObject({ composite: 3, daoCount: 5 });
});

test("fewer than five scored members make no index, and order changes no bit", () => {
  expect(scoreGovernanceIndex(all, five.slice(1), T)).toBeUndefined();
  const uneven = [0.1, 0.7, 1.3, 2.9, 9.7, 3.3].map(dao);
  const members = new Set(uneven.map(({ spaceId }) => spaceId));
  expect(scoreGovernanceIndex(members, uneven.toReversed(), T)).toStrictEqual(
    scoreGovernanceIndex(members, uneven, T),
  );
});

describe("membership", () => {
  const point: DailyPoint = {
    ...dao(5),
    date: "2026-03-31",
    methodologyVersion: "1.0.0",
    riskScore: undefined,
    completenessPct: 60,
    attentionSum: 5,
  };
  it.each<{ why: string; given: DailyPoint | undefined; is: boolean }>([
    { why: "boundary: exactly enough of both", given: point, is: true },
    { why: "high", given: { ...point, completenessPct: 100, attentionSum: 40 }, is: true },
    { why: "low: thin evidence", given: { ...point, attentionSum: 4.999 }, is: false },
    { why: "low: incomplete data", given: { ...point, completenessPct: 59.999 }, is: false },
    { why: "gap: no score on that day", given: undefined, is: false },
  ])("$why: $is", ({ given, is }) => {
    expect(membersOn([["a.eth", given]]).has("a.eth")).toBe(is);
  });

  it.each([
    { at: "2026-04-01T00:00:00.000Z", day: "2026-03-31", why: "the first millisecond of a quarter" },
    { at: "2026-03-31T23:59:59.999Z", day: "2025-12-31", why: "the last of the one before" },
    { at: "2024-02-29T12:00:00.000Z", day: "2023-12-31", why: "a leap day" },
    { at: "2026-12-31T23:59:59.999Z", day: "2026-09-30", why: "the last day of a year" },
  ])("is chosen on the day before the quarter: $why", ({ at, day }) => {
    expect(freezeDayOf(Date.parse(at))).toBe(day);
  });
});
