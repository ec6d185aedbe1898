import { expect, test } from "vitest";
import { scoreTrend, theilSenSlope } from "../../../pipeline/score/daily-point.ts";

const days = (count: number, riskOf: (day: number) => number) =>
  Array.from({ length: count }, (_, day) => ({ dayIndex: 20_000 + day, risk: riskOf(day) }));

test.each([
  { why: "flat", points: days(30, () => 40), trend: "stable" },
  { why: "falling by 3 over 30 days", points: days(30, (day) => 40 - day / 10), trend: "improving" },
  { why: "rising by 3 over 30 days", points: days(30, (day) => 40 + day / 10), trend: "declining" },
  { why: "boundary: just over 2", points: days(30, (day) => 40 + (day * 2.0001) / 30), trend: "declining" },
  { why: "boundary: just under 2", points: days(30, (day) => 40 + (day * 1.9999) / 30), trend: "stable" },
  {
    why: "boundary: just over 2 down",
    points: days(30, (day) => 40 - (day * 2.0001) / 30),
    trend: "improving",
  },
  { why: "boundary: fourteen points are enough", points: days(14, (day) => day), trend: "declining" },
  { why: "gap: thirteen are not", points: days(13, (day) => day), trend: "stable" },
  { why: "gap: none", points: [], trend: "stable" },
  { why: "one odd day moves nothing", points: days(30, (day) => (day === 29 ? 100 : 40)), trend: "stable" },
  {
    why: "missing days are not padded",
    points: days(30, (day) => day).filter(({ dayIndex }) => dayIndex % 2 === 0),
    trend: "declining",
  },
  { why: "order is nothing", points: days(30, (day) => day).reverse(), trend: "declining" },
  {
    why: "impossible: one day many times has no slope",
    points: days(20, () => 5).map((point) => ({ ...point, dayIndex: 1 })),
    trend: "stable",
  },
])("$why", ({ points, trend }) => {
  expect(scoreTrend(points)).toBe(trend);
});

test.each([
  { why: "gap: one point", points: [{ x: 1, y: 1 }], slope: undefined },
  {
    why: "two points",
    points: [
      { x: 1, y: 1 },
      { x: 3, y: 2 },
    ],
    slope: 0.5,
  },
  // Slopes 1, 2, 3 of three points.
  {
    why: "odd count: the middle one",
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
      { x: 2, y: 4 },
    ],
    slope: 2,
  },
  // Slopes of (0,0) (1,0) (2,0) (3,6): 0, 0, 2, 0, 3, 6 → median of 0 0 0 2 3 6.
  {
    why: "even count: between the middle two",
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 2, y: 0 },
      { x: 3, y: 6 },
    ],
    slope: 1,
  },
])("slope: $why", ({ points, slope }) => {
  expect(theilSenSlope(points)).toBe(slope);
});
