import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { presenceOf, scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { factsOf, honestDao } from "./attacked-dao.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, scoreSample, T } from "./sample-facts.ts";

describe("presence", () => {
  const ended = (...items: readonly (readonly [daysAgo: number, attention: number])[]) =>
    items.map(([daysAgo, attention]) => ({ endMs: T - daysAgo * DAY, attention }));
  test.each([
    { why: "low: none", items: ended(), unseen: 0, presence: [0, 0] },
    { why: "boundary: two of 120 days ago", items: ended([120, 1], [120, 1]), unseen: 0, presence: [1, 1] },
    { why: "one is half", items: ended([3, 1]), unseen: 0, presence: [0.5, 0.5] },
    { why: "it fades", items: ended([150, 1], [150, 1]), unseen: 0, presence: [0.5, 0.5] },
    { why: "boundary: 180 days", items: ended([180, 1], [180, 1]), unseen: 0, presence: [0, 0] },
    { why: "of little attention", items: ended([1, 0.25], [2, 0.25]), unseen: 0, presence: [0.25, 0.25] },
    {
      why: "of many the two most present count, whatever their order",
      items: ended([150, 1], [2, 0.25], [130, 0.6], [2, 0.25]),
      unseen: 0,
      presence: [0.5, 0.5],
    },
    {
      why: "ten that ended on one day fade as two",
      items: ended(...Array.from({ length: 10 }, () => [126, 1] as const)),
      unseen: 0,
      presence: [0.9, 0.9],
    },
    { why: "open: not looked at for half a week", items: ended(), unseen: 3.5, presence: [0, 0.5] },
    { why: "open: for years", items: ended([3, 1]), unseen: 1000, presence: [0.5, 1] },
    { why: "unknown: never looked at", items: ended(), unseen: Infinity, presence: [0, 1] },
  ])("$why", ({ items, unseen, presence }) => {
    expect(presenceOf(items, T, unseen)).toStrictEqual(presence);
  });
});

const honest = factsOf(honestDao(7));

test("a dead DAO is 0 and 100, one not looked at neither", () => {
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

test.each([
  { why: "no frame", facts: sampleDao(), unscored: "NO_PROPOSALS" },
  { why: "never fetched whole", facts: { ...honest, lastCompleteFetchMs: undefined }, unscored: undefined },
  {
    why: "one proposal",
    facts: sampleDao({ proposals: [sampleProposal("a")], held: [sampleProposalVotes("a", [{ voter: 0 }])] }),
    unscored: "TOO_LITTLE_KNOWN",
  },
  { why: "known", facts: honest, unscored: undefined },
  {
    why: "flagged as abuse or spam",
    facts: { ...honest, space: honest.space && { ...honest.space, isFlagged: true } },
    unscored: "SPACE_FLAGGED",
  },
])("unscored: $why", ({ facts, unscored }) => {
  expect(scoreSample(facts).unscored).toBe(unscored);
});

test("an archive counts as fetched at the end of its last day with votes, not when it was unpacked", () => {
  const archive = { ...honest, isArchive: true, lastCompleteFetchMs: T + 1000 * DAY };
  const measures = createDaoMeasurer(archive, () => undefined).measureAt(T);
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

test("lows, points and highs are in order and in range, and labels of what is open are Moderate", () => {
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
  const measures = createDaoMeasurer(honest, () => undefined).measureAt(T);
  const read = JSON.parse(JSON.stringify(measures)) as typeof measures;
  const score = scoreMeasures(measures);
  expect(scoreMeasures(read)).toEqual(score);
  expect(JSON.stringify(measures)).not.toMatch(/0xauthor/);
});

describe("a deleted field narrows no interval", () => {
  const deletions: readonly (readonly [name: string, change: (proposal: Proposal) => Proposal])[] = [
    ["discussion", (proposal) => ({ ...proposal, discussion: undefined })],
    ["author", (proposal) => ({ ...proposal, author: undefined })],
    ["created", (proposal) => ({ ...proposal, created: undefined })],
    ["start", (proposal) => ({ ...proposal, start: undefined })],
    ["quorum", (proposal) => ({ ...proposal, quorum: undefined })],
  ];
  const widthOf = (facts: DaoFacts) => {
    const { gvs, components } = scoreSample(facts);
    return [gvs, ...COMPONENT_KEYS.map((key) => components[key])].map(({ low, high }) => high - low);
  };
  test.each(deletions)("%s", (_, change) => {
    fc.assert(
      fc.property(randomDaoSpec, fc.nat(1000), (spec, seed) => {
        const facts = buildRandomDao(spec);
        const at = seed % Math.max(1, facts.proposals.length);
        const less = {
          ...facts,
          proposals: facts.proposals.map((each, index) => (index === at ? change(each) : each)),
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
