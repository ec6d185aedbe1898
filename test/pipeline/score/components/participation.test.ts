import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import {
  completenessPct,
  fetchedShareOf,
  fieldsShareOf,
  reconcile,
} from "../../../../pipeline/score/components/completeness.ts";
import {
  decentralizationMarks,
  gini,
  majorityVoters,
  whaleShare,
} from "../../../../pipeline/score/components/decentralization.ts";
import { breadthOf, createLoyaltyMeasurer } from "../../../../pipeline/score/components/participation.ts";
import type { Ballot } from "../../../../pipeline/score/frame/ballot.ts";
import {
  ballotOf,
  measureSample,
  sampleDao,
  sampleProposal,
  sampleProposalVotes,
  T,
} from "../sample-facts.ts";

const equal = (from: number, count: number): Ballot =>
  ballotOf(Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, 1])));

test.each<[why: string, ballot: Ballot, mark: number]>([
  ["low: one", equal(0, 1), 0],
  ["boundary: three", equal(0, 3), 0],
  ["between", equal(0, 10), Math.log(10 / 3) / Math.log(100 / 3)],
  ["boundary: a hundred", equal(0, 100), 1],
  ["high: a thousand", equal(0, 1000), 1],
  ["voters above the cap count alike", ballotOf([900, 50, 50, 100]), Math.log(4 / 3) / Math.log(100 / 3)],
])("breadth: %s", (_, ballot, mark) => {
  expect(breadthOf(ballot)).toBeCloseTo(mark, 9);
});

describe("loyalty", () => {
  const measurerOf = (ballots: readonly Ballot[]) => createLoyaltyMeasurer(collectVoterVotes(ballots, 3000));
  const loyalties = (ballots: readonly Ballot[], attention = 1) =>
    measurerOf(ballots)(ballots.map((merged, index) => ({ index, attention, merged })));
  const all = equal(0, 8);
  const others = equal(100, 8);
  const half = ballotOf({ 0: 1, 1: 1, 200: 1, 201: 1 });
  const quarter = ballotOf({ 0: 1, 302: 1, 300: 1, 301: 1 });

  test.each<[why: string, ballots: readonly Ballot[], attention: number, mark: number | undefined]>([
    ["unknown: the first", [all], 0, undefined],
    ["high: the same again", [all, all], 1, 1],
    ["low: all others", [all, others], 1, 0],
    ["boundary: half of the capped power", [half, ballotOf({ 0: 1, 1: 1, 300: 1, 301: 1 })], 1, 1],
    ["a quarter", [half, quarter], 1, 0.5],
    ["the mean of two", [others, quarter, half], 2, 0.25],
    ["only the last ten", [others, ...Array<Ballot>(11).fill(all)], 10, 1],
  ])("%s", (_, ballots, attention, mark) => {
    const last = loyalties(ballots).at(-1);
    expect(last?.attention).toBeCloseTo(attention, 12);
    expect(last?.mark?.[0]).toEqual(mark === undefined ? undefined : expect.closeTo(mark, 9));
  });

  test("the last of the ten counts with the part that is missing", () => {
    // .7 · 14 = 9.8: of the fifteenth .2.
    const last = loyalties([...Array<Ballot>(15).fill(others), all], 0.7).at(-1);
    expect(last?.attention).toBeCloseTo(10, 12);
    const one = loyalties([all, ...Array<Ballot>(14).fill(others), all], 0.7).at(-1);
    expect(one?.mark?.[1]).toBeCloseTo(0.02 / 0.5, 9);
  });

  const merged = [
    { index: 0, attention: 1, merged: ballotOf({ 0: 2, 1: 0, 200: 1, 201: 1 }) },
    { index: 1, attention: 1, merged: ballotOf({ 0: 1, 300: 3, 301: 0, 302: 0 }) },
  ];

  test("merging gives the other end", () => {
    const [, last] = measurerOf([half, quarter])(merged);
    expect(last?.mark?.[0]).toBeCloseTo(0.5, 9);
    expect(last?.mark?.[1]).toBeCloseTo(2 / 3, 9);
  });

  test("consecutive frames are measured as each frame alone", () => {
    const ballots = [half, quarter, others, all];
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
  const ascending = (powers: readonly number[]): Float64Array => ballotOf(powers).ascending;
  const equally = (count: number): Float64Array => equal(0, count).ascending;
  const points = (shares: Float64Array): number => {
    const { effective, majority, top } = decentralizationMarks({ ascending: shares });
    return (10 * (effective + majority + top)) / 3;
  };

  test.each<[why: string, shares: Float64Array, expected: number]>([
    ["low: a lone voter", equally(1), 0],
    ["three equal", equally(3), 2.81],
    ["boundary: fifty equal", equally(50), 10],
    ["high: a thousand are no more", equally(1000), 10],
    ["one with all but dust", ascending([1, 1e-12]), 0],
  ])("%s", (_, shares, expected) => {
    expect(points(shares)).toBeCloseTo(expected, 2);
  });

  test("each mark is that of n voters for n equal voters", () => {
    for (const count of [1, 2, 3, 7, 50]) {
      const mark = expect.closeTo(Math.log(count) / Math.log(50), 9);
      expect(decentralizationMarks({ ascending: equally(count) })).toEqual({
        effective: mark,
        majority: mark,
        top: mark,
      });
    }
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

  test.each<[why: string, shares: Float64Array, K: number, cr4: number, inequality: number]>([
    ["one alone", equally(1), 1, 1, 0],
    ["boundary: two equal halves are not more than half", equally(2), 2, 1, 0],
    ["ten tenths: six are more than half", equally(10), 6, 0.4, 0],
    ["one with 60 %", ascending([6, 1, 1, 1, 1]), 1, 0.9, 0.4],
  ])("diagnostics: %s", (_, shares, K, cr4, inequality) => {
    expect(majorityVoters(shares)).toBe(K);
    expect(whaleShare(shares)).toBeCloseTo(cr4, 12);
    expect(gini(shares)).toBeCloseTo(inequality, 12);
  });
});

const fetched = (validPower: number, knownCount: number, fetchedCount: number) => ({
  validPower,
  knownCount,
  fetchedCount,
});
test.each<
  [why: string, declared: Partial<Proposal>, ballot: ReturnType<typeof fetched> | undefined, share: number]
>([
  ["unknown: no ballot", { scoresTotal: 5 }, undefined, 0],
  ["unknown: no power", { scoresTotal: 5 }, fetched(0, 0, 7), 0],
  ["half of the declared power", { scoresTotal: 10 }, fetched(5, 1, 1), 0.5],
  ["high: more than declared is whole", { scoresTotal: 10 }, fetched(11, 1, 1), 1],
  ["no total: fetched of declared votes", { votesCount: 8 }, fetched(5, 2, 2), 0.25],
  ["no number either", {}, fetched(5, 2, 2), 1],
  ["a vote of unknown power is missing", {}, fetched(5, 3, 4), 0.75],
  ["of more votes than were declared", { votesCount: 2 }, fetched(5, 3, 4), 0.75],
])("the part that was fetched: %s", (_, declared, ballot, share) => {
  expect(fetchedShareOf(sampleProposal("p", declared), ballot)).toBe(share);
});

test.each<[why: string, changes: Partial<Proposal>, share: number]>([
  ["all but two", {}, 7 / 9],
  ["high: all", { scoresTotal: 0, votesCount: 0 }, 1],
  ["an empty link is known", { discussion: "" }, 7 / 9],
  ["a day counts", { created: { atMs: 0, precision: "day" } }, 7 / 9],
  ["one less", { author: undefined }, 6 / 9],
])("fields: %s", (_, changes, share) => {
  expect(fieldsShareOf(sampleProposal("p", changes))).toBe(share);
});

test("half for the power fetched, half for the fields known, by weight", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 365, scoresTotal: 2, votesCount: 2 }),
    sampleProposal("b", { endDaysAgo: 0, scoresTotal: 2 }),
  ];
  const held = [sampleProposalVotes("a", [{ voter: 0 }, { voter: 1 }])];
  expect(completenessPct(measureSample(sampleDao({ proposals, held })))).toBeCloseTo(
    (100 * (0.5 * 1 + 1 * (0.5 * (8 / 9)))) / 1.5,
    9,
  );
  expect(completenessPct(measureSample(sampleDao()))).toBeUndefined();
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
