import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import { scoreTrend } from "../../../pipeline/score/daily-point.ts";
import { scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { factsOf, honestDao } from "./attacked-dao.ts";
import {
  DAY,
  measureSample,
  sampleDao,
  sampleMeasures,
  sampleProposal,
  sampleProposalVotes,
  scoreSample,
  T,
} from "./sample-facts.ts";

describe("presence", () => {
  const ended = (...items: readonly (readonly [daysAgo: number, attention: number])[]) =>
    items.map(([daysAgo, attention]) => ({ endMs: T - daysAgo * DAY, attention }));
  test.each<[why: string, items: ReturnType<typeof ended>, unseenDays: number, low: number, high: number]>([
    ["low: none", ended(), 0, 0, 0],
    ["boundary: two of 120 days ago", ended([120, 1], [120, 1]), 0, 1, 1],
    ["one is half", ended([3, 1]), 0, 0.5, 0.5],
    ["it fades", ended([150, 1], [150, 1]), 0, 0.5, 0.5],
    ["boundary: 180 days", ended([180, 1], [180, 1]), 0, 0, 0],
    ["of little attention", ended([1, 0.25], [2, 0.25]), 0, 0.25, 0.25],
    [
      "the two most present count, in any order",
      ended([150, 1], [2, 0.25], [130, 0.6], [2, 0.25]),
      0,
      0.5,
      0.5,
    ],
    ["ten that ended on one day fade as two", ended(...Array(10).fill([126, 1])), 0, 0.9, 0.9],
    ["open: not fetched for half a week", ended(), 3.5, 0, 0.5],
    ["open: for years", ended([3, 1]), 1000, 0.5, 1],
    ["unknown: never fetched", ended(), Infinity, 0, 1],
  ])("%s", (_, items, unseenDays, low, high) => {
    const fetchedAtMs = unseenDays === Infinity ? undefined : T - unseenDays * DAY;
    const { presence } = scoreMeasures({ ...sampleMeasures(items), fetchedAtMs });
    expect(presence).toStrictEqual([low, high]);
  });
});

const honest = factsOf(honestDao(7));

test("a dead DAO has the score 0 and the risk 100, one that was not fetched lately has neither", () => {
  const later = T + 300 * DAY;
  const dead = scoreSample({ ...honest, lastCompleteFetchMs: later }, later);
  expect(dead.gvs).toStrictEqual({ low: 0, point: 0, high: 0 });
  expect(dead.risk?.score).toStrictEqual({ low: 100, point: 100, high: 100 });
  expect(dead).toMatchObject({ knownShare: 1, unscored: undefined, indexWeight: 0 });
  const unseen = scoreSample(honest, later);
  expect(unseen.gvs.low).toBe(0);
  expect(unseen.gvs.high).toBeGreaterThan(5);
  expect(unseen.risk?.score.low).toBeLessThan(60);
  expect(unseen.unscored).toBe("TOO_LITTLE_KNOWN");
});

const one = sampleDao({
  proposals: [sampleProposal("a")],
  held: [sampleProposalVotes("a", [{ voter: 0 }])],
});
test.each<[why: string, facts: DaoFacts, unscored: string | undefined]>([
  ["no frame", sampleDao(), "NO_PROPOSALS"],
  ["never fetched completely", { ...honest, lastCompleteFetchMs: undefined }, undefined],
  ["one proposal", one, "TOO_LITTLE_KNOWN"],
  ["known", honest, undefined],
  ["flagged", { ...honest, space: honest.space && { ...honest.space, isFlagged: true } }, "SPACE_FLAGGED"],
])("unscored: %s", (_, facts, unscored) => {
  expect(scoreSample(facts).unscored).toBe(unscored);
});

test("an archive counts as fetched at the end of its last day with votes, not when it was unpacked", () => {
  const archive = { ...honest, isArchive: true, lastCompleteFetchMs: T + 1000 * DAY };
  const measures = measureSample(archive);
  const lastMs = honest.proposals.at(-1)?.end?.atMs ?? 0;
  expect(measures.fetchedAtMs).toBe(Math.floor(lastMs / DAY) * DAY + DAY - 1);
});

test("without power on any ballot there is no risk, and HPR and DEI are open", () => {
  const proposals = [1, 2, 3].map((daysAgo) => sampleProposal(`p${daysAgo}`, { endDaysAgo: daysAgo }));
  const held = proposals.map(({ proposalId }) =>
    sampleProposalVotes(proposalId, [{ voter: 0, isPowerUnknown: true }]),
  );
  const { risk, components, notKnown, unscored } = scoreSample(sampleDao({ proposals, held }));
  expect(risk).toBeUndefined();
  expect(unscored).toBe("TOO_LITTLE_KNOWN");
  expect(components.hpr).toMatchObject({ low: 0, high: 10 });
  expect(components.dei).toMatchObject({ low: 0, high: 10 });
  expect(notKnown).toEqual(
    expect.arrayContaining(["breadth", "loyalty", "effective", "majority", "top", "contested"]),
  );
});

test("lows, points and highs are in order and in range", () => {
  const range = (low: number, point: number, high: number, top: number) => {
    expect(low).toBeGreaterThanOrEqual(0);
    expect(point).toBeGreaterThanOrEqual(low - 1e-9);
    expect(high).toBeGreaterThanOrEqual(point - 1e-9);
    expect(high).toBeLessThanOrEqual(top + 1e-9);
  };
  fc.assert(
    fc.property(randomDaoSpec, fc.constantFrom(0, 3, 200), (spec, daysLater) => {
      const { components, gvs, risk, knownShare } = scoreSample(buildRandomDao(spec), T + daysLater * DAY);
      for (const key of COMPONENT_KEYS) {
        const { low, point, high, indicators } = components[key];
        range(low, point, high, 10);
        for (const { mark } of indicators) range(mark[0], mark[0], mark[1], 1);
      }
      range(gvs.low, gvs.point, gvs.high, 10);
      if (risk) range(risk.score.low, risk.score.point, risk.score.high, 100);
      expect(knownShare).toBeGreaterThanOrEqual(0);
      expect(knownShare).toBeLessThanOrEqual(1);
    }),
    { numRuns: 100, ...SHRINK_LIMITS },
  );
});

test("the same plain data, written and read, give the same score", () => {
  const measures = measureSample(honest);
  const read = JSON.parse(JSON.stringify(measures)) as typeof measures;
  const score = scoreMeasures(measures);
  expect(scoreMeasures(read)).toEqual(score);
  expect(JSON.stringify(measures)).not.toMatch(/0xauthor/);
});

describe("a deleted field narrows no interval", () => {
  const widthOf = (facts: DaoFacts) => {
    const { gvs, components } = scoreSample(facts);
    return [gvs, ...COMPONENT_KEYS.map((key) => components[key])].map(({ low, high }) => high - low);
  };
  test.each(["discussion", "author", "created", "start", "quorum"] as const)("%s", (field) => {
    fc.assert(
      fc.property(randomDaoSpec, fc.nat(1000), (spec, seed) => {
        const facts = buildRandomDao(spec);
        const at = seed % Math.max(1, facts.proposals.length);
        const less = {
          ...facts,
          proposals: facts.proposals.map((each, index) =>
            index === at ? { ...each, [field]: undefined } : each,
          ),
        };
        const [, ...before] = widthOf(facts);
        const [, ...after] = widthOf(less);
        after.forEach((width, index) => {
          expect(width).toBeGreaterThanOrEqual((before[index] ?? 0) - 1e-9);
        });
      }),
      { numRuns: 40, ...SHRINK_LIMITS },
    );
  });
});

describe("trend", () => {
  const days = (count: number, riskOf: (day: number) => number) =>
    Array.from({ length: count }, (_, day) => ({ dayIndex: 20_000 + day, risk: riskOf(day) }));
  const rising = (by30Days: number) => days(30, (day) => 40 + (day * by30Days) / 30);
  test.each<[why: string, points: ReturnType<typeof days>, trend: string]>([
    ["flat", rising(0), "stable"],
    ["falling", rising(-3), "improving"],
    ["rising", rising(3), "declining"],
    ["boundary: just over 2", rising(2.0001), "declining"],
    ["boundary: just under 2", rising(1.9999), "stable"],
    ["boundary: just over 2 down", rising(-2.0001), "improving"],
    ["boundary: fourteen points are enough", rising(30).slice(-14), "declining"],
    ["unknown: thirteen are not", rising(30).slice(-13), "stable"],
    ["unknown: none", [], "stable"],
    ["one odd day does not matter", days(30, (day) => (day === 29 ? 100 : 40)), "stable"],
    ["nor does one in the middle", days(30, (day) => (day === 8 ? 1000 : day)), "declining"],
    ["missing days are not padded", rising(30).filter(({ dayIndex }) => dayIndex % 2 === 0), "declining"],
    ["the order does not matter", rising(30).reverse(), "declining"],
    [
      "impossible: one day many times has no slope",
      rising(30).map((point) => ({ ...point, dayIndex: 1 })),
      "stable",
    ],
  ])("%s", (_, points, trend) => {
    expect(scoreTrend(points)).toBe(trend);
  });
});
