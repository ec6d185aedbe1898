import { expect, test } from "vitest";
import { createElectorate } from "../../../../pipeline/score/frame/ballot.ts";
import { findBatchVotes } from "../../../../pipeline/score/frame/batch-voting.ts";
import { DAY, type SampleVote, sampleProposalVotes, T } from "../sample-facts.ts";

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
