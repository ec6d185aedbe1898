import { expect, test } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { createElectorate, fetchedPowerOf } from "../../../../pipeline/score/frame/ballot.ts";
import { findBatchVotes } from "../../../../pipeline/score/frame/batch-voting.ts";
import { DAY, type SampleVote, sampleBallot, sampleProposalVotes, T } from "../sample-facts.ts";

const { outsideWindow, choiceUnreadable } = VOTE_FLAGS;
const huge = [0, 1].map((voter) => ({ voter, power: 1.7e308 }));

test.each<[why: string, votes: SampleVote[], shares: number[], known: number, fetched: number]>([
  ["by power", [{ voter: 0, power: 3 }, { voter: 1 }], [0.75, 0.25], 2, 2],
  ["cast outside of the window", [{ voter: 0, flags: outsideWindow }, { voter: 1 }], [1], 2, 2],
  ["with an unreadable choice", [{ voter: 0, flags: choiceUnreadable }, { voter: 1 }], [1], 2, 2],
  ["without power", [{ voter: 0, power: 0 }, { voter: 1 }], [1], 2, 2],
  ["of unknown power", [{ voter: 0, isPowerUnknown: true }, { voter: 1 }], [1], 1, 2],
  ["unknown: all", [{ voter: 0, isPowerUnknown: true }], [], 0, 1],
  ["impossible: a sum that is no number", huge, [], 2, 2],
  ["nobody", [], [], 0, 0],
])("valid votes: %s", (_, votes, shares, ...counts) => {
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
  const entities = new Map([0, 2].map((voter) => [voter, "one"]));
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

test.each<[why: string, votes: SampleVote[], power: number | undefined]>([
  [
    "all known, valid or not",
    [
      { voter: 0, power: 3 },
      { voter: 1, flags: outsideWindow },
    ],
    4,
  ],
  ["unknown: one is not", [{ voter: 0 }, { voter: 1, isPowerUnknown: true }], undefined],
  ["unknown: no vote", [], undefined],
  ["impossible: no number", huge, undefined],
])("fetched power: %s", (_, votes, power) => {
  expect(fetchedPowerOf(sampleProposalVotes("p", votes))).toBe(power);
});

/** A vote so many seconds after the beginning of the day before the last one. */
const at = (voter: number, seconds: number): SampleVote => ({
  voter,
  atMs: T + 1 - 2 * DAY + seconds * 1000,
});
const dayOnly: SampleVote = { voter: 0, dayMs: T + 1 - 2 * DAY };

/** How the votes on a second proposal are judged; voters 0 and 1 are one entity, and the first one ended a day before. */
function judged(first: readonly SampleVote[], second: readonly SampleVote[], endDaysAgo = 1): number[] {
  const [a, b] = [sampleProposalVotes("a", first), sampleProposalVotes("b", second)];
  const electorate = createElectorate([a, b], new Map([0, 1].map((voter) => [voter, "e"])));
  const ended = [
    { endMs: T - endDaysAgo * DAY, votes: a },
    { endMs: T, votes: b },
  ];
  return [...(findBatchVotes(ended, electorate).get("b") ?? [])];
}

test.each<[why: string, a: SampleVote[], b: SampleVote[], batch: number[]]>([
  ["nobody voted on both", [at(2, 0)], [at(3, 0)], [0]],
  ["high: within the same second", [at(0, 0)], [at(0, 0)], [1]],
  ["boundary: sixty seconds later", [at(0, 0)], [at(0, 60)], [1]],
  ["boundary: sixty seconds earlier", [at(0, 60)], [at(0, 0)], [1]],
  ["low: sixty-one seconds", [at(0, 0)], [at(0, 61)], [0]],
  ["another wallet of the entity is another wallet", [at(0, 0)], [at(1, 0)], [0]],
  ["open: a vote without a time", [at(0, 0)], [{ voter: 0 }], [2]],
  ["open: known to the day only", [at(0, 0)], [dayOnly], [2]],
  ["open: its other vote has no time", [{ voter: 0 }], [at(0, 0)], [2]],
  ["an invalid vote is no vote", [{ ...at(0, 0), flags: outsideWindow }], [at(0, 0)], [0]],
  ["one of two", [at(0, 0), at(1, 900)], [at(0, 1), at(1, 0)], [1, 0]],
])("votes in a batch: %s", (_, a, b, batch) => {
  expect(judged(a, b)).toStrictEqual(batch);
});

test("an untimed vote is in no batch with one a minute after its proposal closed", () => {
  expect(judged([{ voter: 0 }], [at(0, 61)], 2)).toStrictEqual([0]);
  expect(judged([{ voter: 0 }], [at(0, 59)], 2)).toStrictEqual([2]);
});
