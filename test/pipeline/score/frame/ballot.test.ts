import { expect, test } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { fetchedPowerOf } from "../../../../pipeline/score/frame/ballot.ts";
import { type SampleVote, sampleBallot, sampleProposalVotes } from "../sample-facts.ts";

const { outsideWindow, choiceUnreadable } = VOTE_FLAGS;

test.each<{ why: string; votes: SampleVote[]; shares: number[]; counts: [known: number, fetched: number] }>([
  { why: "by power", votes: [{ voter: 0, power: 3 }, { voter: 1 }], shares: [0.75, 0.25], counts: [2, 2] },
  {
    why: "cast outside of the window",
    votes: [{ voter: 0, flags: outsideWindow }, { voter: 1 }],
    shares: [1],
    counts: [2, 2],
  },
  {
    why: "cast for what nobody can read",
    votes: [{ voter: 0, flags: choiceUnreadable }, { voter: 1 }],
    shares: [1],
    counts: [2, 2],
  },
  { why: "without power", votes: [{ voter: 0, power: 0 }, { voter: 1 }], shares: [1], counts: [2, 2] },
  {
    why: "of unknown power",
    votes: [{ voter: 0, isPowerUnknown: true }, { voter: 1 }],
    shares: [1],
    counts: [1, 2],
  },
  { why: "unknown: all", votes: [{ voter: 0, isPowerUnknown: true }], shares: [], counts: [0, 1] },
  {
    why: "impossible: a sum that is no number",
    votes: [
      { voter: 0, power: 1.7e308 },
      { voter: 1, power: 1.7e308 },
    ],
    shares: [],
    counts: [2, 2],
  },
  { why: "nobody", votes: [], shares: [], counts: [0, 0] },
])("valid votes: $why", ({ votes, shares, counts }) => {
  const { ballot } = sampleBallot(votes);
  expect([...ballot.shares]).toStrictEqual(shares);
  expect([...ballot.ascending]).toStrictEqual(shares.toSorted((a, b) => a - b));
  expect([ballot.knownCount, ballot.fetchedCount]).toStrictEqual(counts);
});

test("the wallets of an entity are one voter, whose choice is that of its largest vote", () => {
  const votes: SampleVote[] = [
    { voter: 0, power: 2, choice: 1 },
    { voter: 1, power: 4, choice: 1 },
    { voter: 2, power: 3, choice: 2 },
    { voter: 3, power: 1, choice: 1 },
  ];
  const entities = new Map([
    [0, "one"],
    [2, "one"],
  ]);
  const { ballot, places, shares } = sampleBallot(votes, entities);
  expect([...ballot.shares]).toStrictEqual([0.5, 0.4, 0.1]);
  expect([...ballot.choices]).toStrictEqual([1, 0, 0]);
  expect([...places]).toStrictEqual([0, 1, 0, 2]);
  expect([...shares]).toStrictEqual([0.2, 0.4, 0.3, 0.1]);
});

test("shares capped at 1 % are parts of their sum", () => {
  const votes = Array.from({ length: 101 }, (_, voter) => ({ voter, power: voter === 0 ? 900 : 1 }));
  const { ballot } = sampleBallot(votes);
  expect(ballot.capped[0]).toBeCloseTo(0.01 / (0.01 + 0.1), 12);
  expect(ballot.capped.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 12);
});

test.each([
  {
    why: "all known",
    votes: [
      { voter: 0, power: 3 },
      { voter: 1, flags: outsideWindow },
    ],
    power: 4,
  },
  { why: "unknown: one is not", votes: [{ voter: 0 }, { voter: 1, isPowerUnknown: true }], power: undefined },
  { why: "unknown: no vote", votes: [], power: undefined },
  {
    why: "impossible: no number",
    votes: [
      { voter: 0, power: 1.7e308 },
      { voter: 1, power: 1.7e308 },
    ],
    power: undefined,
  },
])("fetched power: $why", ({ votes, power }) => {
  expect(fetchedPowerOf(sampleProposalVotes("p", votes))).toBe(power);
});
