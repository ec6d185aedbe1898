import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cadenceOf,
  guardrailMeasures,
  guardrailsMark,
  proposersSum,
  quorumMark,
  weighAuthors,
} from "../../../../pipeline/score/components/process.ts";
import { meanMark } from "../../../../pipeline/score/method/marks.ts";
import { DAY, T } from "../sample-facts.ts";

test.each([
  { why: "none", quorum: 0, power: 100, mark: 0 },
  { why: "low: half of it", quorum: 100, power: 50, mark: 0 },
  { why: "between", quorum: 100, power: 75, mark: 0.5 },
  { why: "boundary: reached", quorum: 100, power: 100, mark: 1 },
  { why: "high: far more", quorum: 100, power: 1e6, mark: 1 },
  { why: "boundary: a hundredth of the usual power", quorum: 1, power: 100, mark: 1 },
  { why: "half of that fades", quorum: 0.5, power: 100, mark: 0.5 },
  { why: "next to none is next to nothing", quorum: 1e-9, power: 100, mark: 1e-9 },
  { why: "unknown: no such field", quorum: undefined, power: 100, mark: undefined },
  { why: "unknown: a veto", quorum: 100, power: 100, isVeto: true, mark: undefined },
  { why: "unknown: no power", quorum: 100, power: undefined, mark: undefined },
  { why: "no quorum needs no power", quorum: 0, power: undefined, mark: 0 },
  { why: "low: nobody voted for", quorum: 100, power: 500, quorumPower: 0, mark: 0 },
  { why: "between: a part counts", quorum: 100, power: 500, quorumPower: 75, mark: 0.5 },
  { why: "boundary: the part that counts reaches it", quorum: 100, power: 500, quorumPower: 100, mark: 1 },
  { why: "no quorum, whatever counts", quorum: 0, power: 500, quorumPower: 75, mark: 0 },
  { why: "a veto, whatever counts", quorum: 100, power: 500, quorumPower: 75, isVeto: true, mark: undefined },
])("quorum: $why", ({ quorum, power, quorumPower, isVeto = false, mark }) => {
  const facts = { quorum, isQuorumRejection: isVeto, quorumPower };
  const found = quorumMark(facts, { power, scale: 100 });
  if (mark === undefined) expect(found).toBeUndefined();
  else expect(found?.[0]).toBeCloseTo(mark, 12);
  expect(found?.[0]).toBe(found?.[1]);
});

test("a quorum of a unit without a scale is unknown", () => {
  const facts = { quorum: 1, isQuorumRejection: false, quorumPower: undefined };
  expect(quorumMark(facts, { power: 1, scale: undefined })).toBeUndefined();
});

test("a quorum for which only a part of the power counts never has a higher mark than if all counted", () => {
  const amount = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(amount, amount, amount, part, (quorum, power, scale, share) => {
      const markOf = (quorumPower: number | undefined) =>
        quorumMark({ quorum, isQuorumRejection: false, quorumPower }, { power, scale });
      const [mark = 0] = markOf(share * power) ?? [];
      expect(mark).toBeLessThanOrEqual(markOf(undefined)?.[0] ?? 0);
      expect(markOf(power)).toEqual(markOf(undefined));
      // Votes against do not help to reach it.
      const more = quorumMark(
        { quorum, isQuorumRejection: false, quorumPower: share * power },
        { power: power * 2, scale },
      );
      expect(more).toEqual([mark, mark]);
    }),
  );
});

describe("cadence", () => {
  const ended = (...items: readonly (readonly [daysAgo: number, attention: number])[]) =>
    items.map(([daysAgo, attention]) => ({ endMs: T - daysAgo * DAY, attention }));
  test.each([
    { why: "low: none", items: ended(), mark: 0 },
    { why: "one covers a month of six", items: ended([100, 1]), mark: 1 / 6 },
    {
      why: "boundary: each month",
      items: ended([210, 1], [180, 1], [150, 1], [120, 1], [90, 1], [60, 1], [30, 1]),
      mark: 1,
    },
    { why: "cut at t", items: ended([15, 1]), mark: 15 / 180 },
    { why: "cut at the beginning", items: ended([195, 1]), mark: 15 / 180 },
    { why: "boundary: too long ago", items: ended([210, 1]), mark: 0 },
    { why: "two at once count once, by the larger", items: ended([100, 0.5], [100, 1]), mark: 1 / 6 },
    {
      why: "a smaller later one counts when the larger is over",
      items: ended([100, 1], [90, 0.5]),
      mark: (30 + 5) / 180,
    },
    { why: "a larger later one takes over", items: ended([100, 0.5], [90, 1]), mark: (5 + 30) / 180 },
    { why: "three deep", items: ended([100, 1], [95, 0.5], [90, 0.75]), mark: (30 + 7.5) / 180 },
  ])("$why", ({ items, mark }) => {
    expect(cadenceOf(items, T)).toBeCloseTo(mark, 12);
  });
});

describe("proposers", () => {
  const of = (...authors: readonly (string | undefined)[]) =>
    weighAuthors(
      authors.map((author) => ({ endMs: T, attention: 1, proposal: { author } })),
      (author) => (author === "0xa2" ? "0xa" : author),
      T,
    );
  test.each([
    { why: "unknown: none", authors: of(), weight: 0, chance: 0 },
    { why: "unknown: one proposal has no pair", authors: of("0xa"), weight: 0, chance: 0 },
    { why: "low: one author", authors: of("0xa", "0xa", "0xa"), weight: 2, chance: 0 },
    { why: "an entity is one author", authors: of("0xa", "0xa2"), weight: 1, chance: 0 },
    { why: "high: all different", authors: of("0xa", "0xb", "0xc"), weight: 2, chance: 1 },
    { why: "two and one", authors: of("0xa", "0xa", "0xb"), weight: 2, chance: 2 / 3 / 0.9 },
    { why: "no author is left out", authors: of("0xa", "0xb", undefined), weight: 1, chance: 1 },
  ])("$why", ({ authors, weight, chance }) => {
    const sum = proposersSum(authors);
    expect(sum.weight).toBeCloseTo(weight, 12);
    const [low, high] = meanMark(sum);
    expect(low).toBeCloseTo((weight * chance) / (weight + 2), 12);
    expect(high - low).toBeCloseTo(2 / (weight + 2), 12);
  });
});

test.each([
  { why: "unknown: no space", rules: guardrailMeasures(undefined), mark: [0, 1] },
  {
    why: "all three",
    rules: { isProposingGated: true, hasFixedPeriod: true, guardiansCount: 2 },
    mark: [1, 1],
  },
  { why: "none", rules: { isProposingGated: false, hasFixedPeriod: false, guardiansCount: 1 }, mark: [0, 0] },
  {
    why: "a third is open",
    rules: { isProposingGated: true, hasFixedPeriod: undefined, guardiansCount: 0 },
    mark: [1 / 3, 2 / 3],
  },
])("guardrails: $why", ({ rules, mark }) => {
  const [low, high] = guardrailsMark({ isFlagged: false, ...rules });
  expect(low).toBeCloseTo(mark[0] ?? 0, 12);
  expect(high).toBeCloseTo(mark[1] ?? 0, 12);
});
