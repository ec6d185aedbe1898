import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import {
  completenessPct,
  fetchedShareOf,
  fieldsShareOf,
  reconcile,
} from "../../../../pipeline/score/components/completeness.ts";
import {
  decentralizationMarks,
  equalVoters,
  gini,
  majorityVoters,
  whaleShare,
} from "../../../../pipeline/score/components/decentralization.ts";
import { breadthOf, createLoyaltyMeasurer } from "../../../../pipeline/score/components/participation.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import { sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

/** A ballot of voters with so much power each. */
function ballot(powers: Readonly<Record<number, number>>): Ballot {
  const voters = Int32Array.from(Object.keys(powers), Number);
  const total = Object.values(powers).reduce((sum, power) => sum + power, 0);
  const shares = Float64Array.from(Object.values(powers), (power) => power / total);
  const ascending = shares.slice().sort();
  return {
    voters,
    shares,
    choices: new Uint32Array(voters.length),
    agreement: undefined,
    ascending,
    capped: cappedShares(shares, ascending),
    validPower: total,
    knownCount: voters.length,
    fetchedCount: voters.length,
  };
}
const equal = (from: number, count: number): Ballot =>
  ballot(Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, 1])));

test.each([
  { why: "low: one", of: equal(0, 1), mark: 0 },
  { why: "boundary: three", of: equal(0, 3), mark: 0 },
  { why: "between", of: equal(0, 10), mark: Math.log(10 / 3) / Math.log(100 / 3) },
  { why: "boundary: a hundred", of: equal(0, 100), mark: 1 },
  { why: "high: a thousand", of: equal(0, 1000), mark: 1 },
  {
    why: "beyond the cap all count alike",
    of: ballot({ 0: 900, 1: 50, 2: 50, 3: 100 }),
    mark: Math.log(4 / 3) / Math.log(100 / 3),
  },
])("breadth: $why", ({ of, mark }) => {
  expect(breadthOf(of)).toBeCloseTo(mark, 9);
});

describe("loyalty", () => {
  const measurerOf = (ballots: readonly Ballot[]) => createLoyaltyMeasurer(collectVoterVotes(ballots, 3000));
  const loyalties = (ballots: readonly Ballot[], attention = 1) =>
    measurerOf(ballots)(ballots.map((merged, index) => ({ index, attention, merged })));
  const all = equal(0, 8);
  const others = equal(100, 8);
  const half = ballot({ 0: 1, 1: 1, 200: 1, 201: 1 });

  test.each([
    { why: "unknown: the first", ballots: [all], attention: 0, mark: undefined },
    { why: "high: the same again", ballots: [all, all], attention: 1, mark: 1 },
    { why: "low: all others", ballots: [all, others], attention: 1, mark: 0 },
    {
      why: "boundary: half of the capped power",
      ballots: [half, ballot({ 0: 1, 1: 1, 300: 1, 301: 1 })],
      attention: 1,
      mark: 1,
    },
    { why: "a quarter", ballots: [half, ballot({ 0: 1, 302: 1, 300: 1, 301: 1 })], attention: 1, mark: 0.5 },
    {
      why: "the mean of two",
      ballots: [others, ballot({ 0: 1, 302: 1, 300: 1, 301: 1 }), half],
      attention: 2,
      mark: 0.25,
    },
    {
      why: "only the last ten",
      ballots: [others, ...Array<Ballot>(11).fill(all)],
      attention: 10,
      mark: 1,
    },
  ])("$why", ({ ballots, attention, mark }) => {
    const last = loyalties(ballots).at(-1);
    expect(last?.attention).toBeCloseTo(attention, 12);
    if (mark === undefined) expect(last?.mark).toBeUndefined();
    else expect(last?.mark?.[0]).toBeCloseTo(mark, 9);
  });

  test("the last of the ten counts with the part that is missing", () => {
    // .7 · 14 = 9.8: of the fifteenth .2.
    const last = loyalties([...Array<Ballot>(15).fill(others), all], 0.7).at(-1);
    expect(last?.attention).toBeCloseTo(10, 12);
    const one = loyalties([...Array<Ballot>(1).fill(all), ...Array<Ballot>(14).fill(others), all], 0.7).at(
      -1,
    );
    expect(one?.mark?.[1]).toBeCloseTo(0.02 / 0.5, 9);
  });

  const then = ballot({ 0: 1, 300: 1, 301: 1, 302: 1 });
  const merged = [
    { index: 0, attention: 1, merged: ballot({ 0: 2, 1: 0, 200: 1, 201: 1 }) },
    { index: 1, attention: 1, merged: ballot({ 0: 1, 300: 3, 301: 0, 302: 0 }) },
  ];

  test("merging gives the other end", () => {
    const [, last] = measurerOf([half, then])(merged);
    expect(last?.mark?.[0]).toBeCloseTo(0.5, 9);
    expect(last?.mark?.[1]).toBeCloseTo(2 / 3, 9);
  });

  test("one frame after another measures what each alone does", () => {
    const ballots = [half, then, others, all];
    const plain = ballots.map((ballot, index) => ({ index, attention: 1, merged: ballot }));
    const frames = [
      // Of these each looks no further than the one before it.
      plain.map((each) => ({ ...each, attention: 10 })),
      plain.slice(0, 3),
      [...merged, ...plain.slice(2)],
      plain,
      [...plain.slice(0, 1), ...plain.slice(2)],
      plain.slice(1).map((each) => ({ ...each, attention: 0.3 })),
    ];
    const measure = measurerOf(ballots);
    for (const frame of frames) expect(measure(frame)).toStrictEqual(measurerOf(ballots)(frame));
  });
});

describe("decentralization", () => {
  const ascending = (powers: readonly number[]): Float64Array => {
    const total = powers.reduce((sum, power) => sum + power, 0);
    return Float64Array.from(powers, (power) => power / total).sort();
  };
  const equal = (count: number): Float64Array => ascending(Array<number>(count).fill(1));
  const points = (shares: Float64Array): number => {
    const { effective, majority, top } = decentralizationMarks({ ascending: shares });
    return (10 * (effective + majority + top)) / 3;
  };

  describe("known groups", () => {
    test.each([
      { why: "low: a lone voter", shares: equal(1), expected: 0 },
      { why: "three equal", shares: equal(3), expected: 2.81 },
      { why: "boundary: fifty equal", shares: equal(50), expected: 10 },
      { why: "high: a thousand are no more", shares: equal(1000), expected: 10 },
      { why: "one with all but dust", shares: ascending([1, 1e-12]), expected: 0 },
    ])("$why", ({ shares, expected }) => {
      expect(points(shares)).toBeCloseTo(expected, 2);
    });

    test("each answer is n for n equal voters", () => {
      for (const count of [1, 2, 3, 7, 50, 999]) {
        const { effective, majority, top } = equalVoters({ ascending: equal(count) });
        expect(effective).toBeCloseTo(count, 9);
        expect(majority).toBeCloseTo(count, 9);
        expect(top).toBeCloseTo(count, 9);
      }
    });
  });

  test("one minimal vote more changes next to nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (powers) => {
          const more = ascending([...powers, 1e-9]);
          expect(Math.abs(points(more) - points(ascending(powers)))).toBeLessThan(1e-4);
        },
      ),
    );
  });

  test.each([
    { why: "one alone", shares: equal(1), K: 1, cr4: 1, inequality: 0 },
    {
      why: "boundary: two equal halves are not more than half",
      shares: equal(2),
      K: 2,
      cr4: 1,
      inequality: 0,
    },
    { why: "ten tenths: six are more than half", shares: equal(10), K: 6, cr4: 0.4, inequality: 0 },
    { why: "one with 60 %", shares: ascending([6, 1, 1, 1, 1]), K: 1, cr4: 0.9, inequality: 0.4 },
  ])("diagnostics: $why", ({ shares, K, cr4, inequality }) => {
    expect(majorityVoters(shares)).toBe(K);
    expect(whaleShare(shares)).toBeCloseTo(cr4, 12);
    expect(gini(shares)).toBeCloseTo(inequality, 12);
  });
});

test.each([
  { why: "unknown: no ballot", proposal: { scoresTotal: 5 }, ballot: undefined, share: 0 },
  { why: "unknown: no power", proposal: { scoresTotal: 5 }, ballot: [0, 0, 7], share: 0 },
  { why: "half of the declared power", proposal: { scoresTotal: 10 }, ballot: [5, 1, 1], share: 0.5 },
  { why: "high: more than declared is whole", proposal: { scoresTotal: 10 }, ballot: [11, 1, 1], share: 1 },
  { why: "no total: fetched of declared votes", proposal: { votesCount: 8 }, ballot: [5, 2, 2], share: 0.25 },
  { why: "no number either", proposal: {}, ballot: [5, 2, 2], share: 1 },
  { why: "a vote of unknown power is missing", proposal: {}, ballot: [5, 3, 4], share: 0.75 },
  { why: "of more votes than were declared", proposal: { votesCount: 2 }, ballot: [5, 3, 4], share: 0.75 },
])("the part that was fetched: $why", ({ proposal, ballot, share }) => {
  const [validPower = 0, knownCount = 0, fetchedCount = 0] = ballot ?? [];
  const held = ballot === undefined ? undefined : { validPower, knownCount, fetchedCount };
  expect(fetchedShareOf({ scoresTotal: undefined, votesCount: undefined, ...proposal }, held)).toBe(share);
});

test.each([
  { why: "all but two", changes: {}, share: 7 / 9 },
  { why: "high: all", changes: { scoresTotal: 0, votesCount: 0 }, share: 1 },
  { why: "an empty link is known", changes: { discussion: "" }, share: 7 / 9 },
  { why: "a day counts", changes: { created: { atMs: 0, precision: "day" as const } }, share: 7 / 9 },
  { why: "one less", changes: { author: undefined }, share: 6 / 9 },
])("fields: $why", ({ changes, share }) => {
  expect(fieldsShareOf(sampleProposal("p", changes))).toBe(share);
});

test("half for the power fetched, half for the fields known, by weight", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 365, scoresTotal: 2, votesCount: 2 }),
    sampleProposal("b", { endDaysAgo: 0, scoresTotal: 2 }),
  ];
  const held = [sampleProposalVotes("a", [{ voter: 0 }, { voter: 1 }])];
  const measures = createDaoMeasurer(sampleDao({ proposals, held }), () => undefined).measureAt(T);
  expect(completenessPct(measures)).toBeCloseTo((100 * (0.5 * 1 + 1 * (0.5 * (8 / 9)))) / 1.5, 9);
  const none = createDaoMeasurer(sampleDao(), () => undefined).measureAt(T);
  expect(completenessPct(none)).toBeUndefined();
});

test("what was fetched is compared with what the source declares", () => {
  const proposals = [
    sampleProposal("a", { scoresTotal: 2, votesCount: 2 }),
    sampleProposal("b", { scoresTotal: 3, votesCount: 1 }),
    sampleProposal("c", { votesCount: 4 }),
    // Its votes are fetched when it has ended.
    sampleProposal("open", { votesCount: 4, end: { atMs: T + 1, precision: "second" } }),
    sampleProposal("d", { scoresTotal: 1 }),
  ];
  const two = [{ voter: 0 }, { voter: 1 }];
  const held = [
    sampleProposalVotes("a", two),
    sampleProposalVotes("b", two),
    sampleProposalVotes("d", [{ voter: 0, isPowerUnknown: true }]),
  ];
  expect(reconcile(sampleDao({ proposals, held }), T)).toStrictEqual({
    powerDiffers: ["b"],
    powerCompared: 2,
    votersDiffer: ["b"],
    votersCompared: 2,
    ballotsMissing: ["c"],
  });
});
