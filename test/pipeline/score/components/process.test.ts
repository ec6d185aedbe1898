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
import type { GuardrailMeasures } from "../../../../pipeline/score/method/measures.ts";
import { DAY, T } from "../sample-facts.ts";

interface Quorum {
  readonly quorum?: number | undefined;
  readonly power?: number | undefined;
  readonly quorumPower?: number;
  readonly isQuorumRejection?: boolean;
  readonly scale?: number | undefined;
}
const markOf = ({ power, scale, ...proposal }: Quorum) =>
  quorumMark(
    { quorum: 100, isQuorumRejection: false, quorumPower: undefined, ...proposal },
    { power, scale },
  );

// A quorum of 100 where 100 is the usual power, but for what a row says.
test.each<[why: string, changes: Quorum, mark: number | undefined]>([
  ["none", { quorum: 0, power: 100 }, 0],
  ["low: half of it", { power: 50 }, 0],
  ["between", { power: 75 }, 0.5],
  ["boundary: reached", { power: 100 }, 1],
  ["high: far more", { power: 1e6 }, 1],
  ["boundary: a hundredth of the usual power", { quorum: 1, power: 100 }, 1],
  ["half of that fades", { quorum: 0.5, power: 100 }, 0.5],
  ["next to none is next to nothing", { quorum: 1e-9, power: 100 }, 1e-9],
  ["unknown: no such field", { quorum: undefined, power: 100 }, undefined],
  ["unknown: a veto", { power: 100, isQuorumRejection: true }, undefined],
  ["unknown: no power", { power: undefined }, undefined],
  ["unknown: no usual power", { quorum: 1, power: 1, scale: undefined }, undefined],
  ["no quorum needs no power", { quorum: 0, power: undefined }, 0],
  ["low: nobody voted for", { power: 500, quorumPower: 0 }, 0],
  ["between: a part counts", { power: 500, quorumPower: 75 }, 0.5],
  ["boundary: the part that counts reaches it", { power: 500, quorumPower: 100 }, 1],
  ["no quorum, whatever counts", { quorum: 0, power: 500, quorumPower: 75 }, 0],
  ["a veto, whatever counts", { power: 500, quorumPower: 75, isQuorumRejection: true }, undefined],
])("quorum: %s", (_, changes, mark) => {
  const found = markOf({ scale: 100, ...changes });
  expect(found?.[0]).toEqual(mark === undefined ? undefined : expect.closeTo(mark, 12));
  expect(found?.[1]).toBe(found?.[0]);
});

test("a quorum for which only a part of the power counts never has a higher mark than if all counted", () => {
  const amount = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(amount, amount, amount, part, (quorum, power, scale, share) => {
      const counted = (quorumPower: number) => markOf({ quorum, power, scale, quorumPower });
      const all = markOf({ quorum, power, scale });
      const [mark = 0] = counted(share * power) ?? [];
      expect(mark).toBeLessThanOrEqual(all?.[0] ?? 0);
      expect(counted(power)).toEqual(all);
      // Votes against do not help to reach it.
      const more = markOf({ quorum, power: power * 2, scale, quorumPower: share * power });
      expect(more).toEqual([mark, mark]);
    }),
  );
});

describe("cadence", () => {
  const ended = (...items: readonly (readonly [daysAgo: number, attention: number])[]) =>
    items.map(([daysAgo, attention]) => ({ endMs: T - daysAgo * DAY, attention }));
  test.each<[why: string, items: ReturnType<typeof ended>, mark: number]>([
    ["low: none", ended(), 0],
    ["one covers a month of six", ended([100, 1]), 1 / 6],
    ["boundary: each month", ended(...[210, 180, 150, 120, 90, 60, 30].map((ago) => [ago, 1] as const)), 1],
    ["cut at t", ended([15, 1]), 15 / 180],
    ["cut at the beginning", ended([195, 1]), 15 / 180],
    ["boundary: too long ago", ended([210, 1]), 0],
    ["two at once count once, by the larger", ended([100, 0.5], [100, 1]), 1 / 6],
    ["a smaller later one counts when the larger is over", ended([100, 1], [90, 0.5]), (30 + 5) / 180],
    ["a larger later one takes over", ended([100, 0.5], [90, 1]), (5 + 30) / 180],
    ["three deep", ended([100, 1], [95, 0.5], [90, 0.75]), (30 + 7.5) / 180],
  ])("%s", (_, items, mark) => {
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
  test.each<[why: string, authors: ReturnType<typeof of>, weight: number, chance: number]>([
    ["unknown: none", of(), 0, 0],
    ["unknown: one proposal has no pair", of("0xa"), 0, 0],
    ["low: one author", of("0xa", "0xa", "0xa"), 2, 0],
    ["an entity is one author", of("0xa", "0xa2"), 1, 0],
    ["high: all different", of("0xa", "0xb", "0xc"), 2, 1],
    ["two and one", of("0xa", "0xa", "0xb"), 2, 2 / 3 / 0.9],
    ["no author is left out", of("0xa", "0xb", undefined), 1, 1],
  ])("%s", (_, authors, weight, chance) => {
    const sum = proposersSum(authors);
    expect(sum.weight).toBeCloseTo(weight, 12);
    const [low, high] = meanMark(sum);
    expect(low).toBeCloseTo((weight * chance) / (weight + 2), 12);
    expect(high - low).toBeCloseTo(2 / (weight + 2), 12);
  });
});

const space = (isProposingGated?: boolean, hasFixedPeriod?: boolean, guardiansCount?: number) => ({
  ...guardrailMeasures(undefined),
  isProposingGated,
  hasFixedPeriod,
  guardiansCount,
});
test.each<[why: string, rules: GuardrailMeasures, low: number, high: number]>([
  ["unknown: no space", guardrailMeasures(undefined), 0, 1],
  ["all three", space(true, true, 2), 1, 1],
  ["none", space(false, false, 1), 0, 0],
  ["a third is open", space(true, undefined, 0), 1 / 3, 2 / 3],
])("guardrails: %s", (_, rules, low, high) => {
  expect(guardrailsMark(rules)).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)]);
});
