import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { createElectorate } from "../../../../pipeline/score/frame/ballot.ts";
import { findBatchVotes } from "../../../../pipeline/score/frame/batch-voting.ts";
import {
  attend,
  type CastProposal,
  createFrameWindow,
  powerCast,
  selectFrame,
} from "../../../../pipeline/score/frame/frame.ts";
import { DAY, type SampleVote, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const powerOf = ({ scoresTotal }: Proposal): number | undefined => scoresTotal;
const unjudged = () => new Map<string, number>();
const proposals = [
  sampleProposal("old", { endDaysAgo: 730, scoresTotal: 100 }),
  sampleProposal("edge", { endDaysAgo: 729.99, scoresTotal: 100 }),
  sampleProposal("junk", { endDaysAgo: 10, scoresTotal: 1 }),
  sampleProposal("flagged", { endDaysAgo: 9, scoresTotal: 100, isFlagged: true }),
  sampleProposal("unknown", { endDaysAgo: 8 }),
  sampleProposal("open", { endDaysAgo: -1, scoresTotal: 100 }),
];

test("every proposal is in the frame or says why not", () => {
  const { members, excluded, eligibleCount } = selectFrame(proposals, powerOf, unjudged, T);
  expect(
    members.map(({ proposal, attention, scale }) => [proposal.proposalId, attention, scale]),
  ).toStrictEqual([
    ["edge", 1, 100],
    ["unknown", 1, 100],
  ]);
  expect(new Map(excluded.map(({ proposalId, reason }) => [proposalId, reason]))).toStrictEqual(
    new Map([
      ["old", "TOO_OLD"],
      ["flagged", "FLAGGED"],
      ["open", "NOT_ENDED"],
      ["junk", "IGNORED"],
    ]),
  );
  expect(eligibleCount).toBe(3);
});

test("one moment after another, forwards and back, is each alone, and the same object between turns", () => {
  const frameAt = createFrameWindow(proposals, powerOf, unjudged);
  for (const daysAgo of [1000, 731, 730, 729, 20, 10, 9.5, 8, 0, -1, -2, -800, 10])
    expect(frameAt(T - daysAgo * DAY)).toStrictEqual(
      selectFrame(proposals, powerOf, unjudged, T - daysAgo * DAY),
    );
  expect(frameAt(T - 7 * DAY)).toBe(frameAt(T - DAY));
});

const cast = (powers: readonly (number | undefined)[], strategiesKey?: string): CastProposal[] =>
  powers.map((power) => ({ strategiesKey, power }));

const weights = (items: readonly CastProposal[]): number[] => attend(items).map(({ attention }) => attention);

test.each([
  { why: "what the source declares", scoresTotal: 7, votesCount: 3, fetched: 5, isFetched: true, S: 7 },
  {
    why: "else the sum of the ballot",
    scoresTotal: undefined,
    votesCount: 3,
    fetched: 5,
    isFetched: true,
    S: 5,
  },
  { why: "nobody voted", scoresTotal: undefined, votesCount: 0, fetched: undefined, isFetched: false, S: 0 },
  { why: "unknown: no ballot", scoresTotal: undefined, votesCount: 3, fetched: undefined, isFetched: false },
  {
    why: "unknown: a ballot without power",
    scoresTotal: undefined,
    votesCount: 0,
    fetched: undefined,
    isFetched: true,
  },
])("power cast: $why", ({ scoresTotal, votesCount, fetched, isFetched, S }) => {
  expect(powerCast({ scoresTotal, votesCount }, fetched, isFetched)).toBe(S);
});

describe("attention of a proposal", () => {
  // Scale of {100 ×3, …}: the power-weighted median is 100 in every row but where said.
  test.each([
    { why: "low: below a quarter of the scale", powers: [100, 100, 100, 24.9], expected: [1, 1, 1, 0] },
    { why: "boundary: exactly a quarter", powers: [100, 100, 100, 25], expected: [1, 1, 1, 0] },
    { why: "between: (.625 − .25) / .75", powers: [100, 100, 100, 62.5], expected: [1, 1, 1, 0.5] },
    { why: "high: far above counts once", powers: [100, 100, 100, 250], expected: [1, 1, 1, 1] },
    {
      why: "301 of 601 is more than half: the scale is 301",
      powers: [100, 100, 100, 301],
      expected: [...Array<number>(3).fill((100 / 301 - 0.25) / 0.75), 1],
    },
    { why: "alone it is its own scale", powers: [7], expected: [1] },
    { why: "unknown: unknown power weighs 1", powers: [100, undefined], expected: [1, 1] },
    { why: "unknown: all unknown", powers: [undefined, undefined], expected: [1, 1] },
    { why: "nothing cast on one", powers: [100, 0], expected: [1, 0] },
    { why: "nothing cast anywhere: no attention, and no NaN", powers: [0, 0, 0], expected: [0, 0, 0] },
    { why: "no proposals", powers: [], expected: [] },
  ])("$why", ({ powers, expected }) => {
    const found = weights(cast(powers));
    expected.forEach((value, index) => {
      expect(found[index]).toBeCloseTo(value, 12);
    });
    expect(found).toHaveLength(expected.length);
  });

  test("proposals of other strategies have a scale of their own", () => {
    expect(weights([...cast([1000, 1000]), ...cast([1, 1], "a"), ...cast([5e6, 5e6], "b")])).toStrictEqual(
      Array(6).fill(1),
    );
  });

  test("a heap of small proposals cannot pull the scale of fifty down", () => {
    const real = Array<number>(50).fill(100);
    const heap = Array<number>(5000).fill(20);
    expect(weights(cast([...real, ...heap])).reduce((sum, weight) => sum + weight, 0)).toBe(50);
  });

  test.each([
    { why: "boundary: of the fifty largest, 19 × 100 outweigh 31 × 60", large: 19, scale: 100 },
    { why: "18 × 100 do not outweigh 32 × 60", large: 18, scale: 60 },
  ])("$why", ({ large, scale }) => {
    const [, ...rest] = weights(cast([...Array<number>(large).fill(100), ...Array<number>(500).fill(60)]));
    expect(rest.at(-1)).toBeCloseTo((60 / scale - 0.25) / 0.75, 12);
  });

  test("the scale is a median of power, not of proposals", () => {
    // Sum 100 + 9 × 10 = 190; ascending, the tens reach 90 < 95, so the scale is 100, and a tenth is nothing.
    expect(weights(cast([100, ...Array<number>(9).fill(10)]))).toStrictEqual([
      1,
      ...Array<number>(9).fill(0),
    ]);
  });
});

const at = (voter: number, seconds: number): SampleVote => ({
  voter,
  atMs: T + 1 - 2 * DAY + seconds * 1000,
});
const found = (a: readonly SampleVote[], b: readonly SampleVote[], endDaysAgo = 1): number[] => {
  const [first, second] = [sampleProposalVotes("a", a), sampleProposalVotes("b", b)];
  const ended = [
    { endMs: T - endDaysAgo * DAY, votes: first },
    { endMs: T, votes: second },
  ];
  return [
    ...(findBatchVotes(
      ended,
      createElectorate(
        [first, second],
        new Map([
          [0, "e"],
          [1, "e"],
        ]),
      ),
    ).get("b") ?? []),
  ];
};

test.each([
  { why: "nobody voted on both", a: [at(2, 0)], b: [at(3, 0)], judged: [0] },
  { why: "high: within the same second", a: [at(0, 0)], b: [at(0, 0)], judged: [1] },
  { why: "boundary: sixty seconds later", a: [at(0, 0)], b: [at(0, 60)], judged: [1] },
  { why: "boundary: sixty seconds earlier", a: [at(0, 60)], b: [at(0, 0)], judged: [1] },
  { why: "low: sixty-one seconds", a: [at(0, 0)], b: [at(0, 61)], judged: [0] },
  { why: "another wallet of the entity is another wallet", a: [at(0, 0)], b: [at(1, 0)], judged: [0] },
  { why: "open: a vote without a time", a: [at(0, 0)], b: [{ voter: 0 }], judged: [2] },
  {
    why: "open: known to the day only",
    a: [at(0, 0)],
    b: [{ voter: 0, dayMs: T + 1 - 2 * DAY }],
    judged: [2],
  },
  { why: "open: its other vote has no time", a: [{ voter: 0 }], b: [at(0, 0)], judged: [2] },
  { why: "an invalid vote is no vote", a: [{ ...at(0, 0), flags: 32 }], b: [at(0, 0)], judged: [0] },
  { why: "one of two", a: [at(0, 0), at(1, 900)], b: [at(0, 1), at(1, 0)], judged: [1, 0] },
])("$why", ({ a, b, judged }) => {
  expect(found(a, b)).toStrictEqual(judged);
});

test("an untimed vote on what had closed a minute before says nothing", () => {
  expect(found([{ voter: 0 }], [at(0, 61)], 2)).toStrictEqual([0]);
  expect(found([{ voter: 0 }], [at(0, 59)], 2)).toStrictEqual([2]);
});
