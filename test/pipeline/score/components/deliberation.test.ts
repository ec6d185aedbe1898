import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import type { Choice } from "../../../../pipeline/facts/proposal-votes.ts";
import {
  castMarks,
  oppositionShare,
  proposalMarks,
} from "../../../../pipeline/score/components/deliberation.ts";
import { createElectorate, readBallot } from "../../../../pipeline/score/frame/ballot.ts";
import { BATCH } from "../../../../pipeline/score/frame/batch-voting.ts";
import { DAY, type SampleVote, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const second = (daysAgo: number) => ({ atMs: T - daysAgo * DAY, precision: "second" as const });

test.each<{ why: string; changes: Partial<Proposal>; marks: readonly (number | undefined)[] }>([
  { why: "a week, two days before, a link", changes: {}, marks: [1, 1, 1] },
  { why: "low: an empty link", changes: { discussion: "" }, marks: [0, 1, 1] },
  { why: "low: a link of another kind", changes: { discussion: "mailto:a@b.example" }, marks: [0, 1, 1] },
  { why: "unknown: no such field", changes: { discussion: undefined }, marks: [undefined, 1, 1] },
  { why: "low: a day", changes: { start: second(2), created: second(3) }, marks: [1, 0, 0.5] },
  {
    why: "between: four days, half a day before",
    changes: { start: second(5), created: second(5.5) },
    marks: [1, 0.5, 0.25],
  },
  { why: "low: created after it started", changes: { created: second(1) }, marks: [1, 1, 0] },
  { why: "unknown: no start", changes: { start: undefined }, marks: [1, undefined, undefined] },
  {
    why: "days are known whole, finer durations are not",
    changes: { start: { atMs: T + 1 - 8 * DAY, precision: "day" } },
    marks: [1, 5 / 6, undefined],
  },
])("words and dates: $why", ({ changes, marks }) => {
  const { discussion, period, delay } = proposalMarks(sampleProposal("p", changes));
  [discussion, period, delay].forEach((mark, at) => {
    const expected = marks[at];
    if (expected === undefined) expect(mark).toBeUndefined();
    else expect(mark?.[0]).toBeCloseTo(expected, 9);
    expect(mark?.[0]).toBe(mark?.[1]);
  });
});

function cast(
  votes: readonly SampleVote[],
  changes: Partial<Proposal> = {},
  batch: readonly number[] = [],
  entities = new Map<number, string>(),
) {
  const packed = sampleProposalVotes("p", votes);
  const read = readBallot(packed, createElectorate([packed], entities));
  const proposal = sampleProposal("p", changes);
  const flags = Uint8Array.from({ length: votes.length }, (_, row) => batch[row] ?? BATCH.apart);
  return { ...castMarks(proposal, packed, read, flags), opposition: oppositionShare(proposal, packed, read) };
}
const half: Choice = {
  kind: "weights",
  weights: [
    [1, 1],
    [2, 1],
  ],
};

const thirds: Choice = {
  kind: "weights",
  weights: [
    [1, 1],
    [2, 1],
    [3, 1],
  ],
};

describe("contested", () => {
  test.each<{
    why: string;
    votes: SampleVote[];
    changes?: Partial<Proposal>;
    opposition: number | undefined;
    mark: number | undefined;
  }>([
    { why: "low: all agree", votes: [{ voter: 0 }, { voter: 1 }], opposition: 0, mark: 0 },
    {
      why: "boundary: a quarter against",
      votes: [
        { voter: 0, power: 3 },
        { voter: 1, choice: 2 },
      ],
      opposition: 0.25,
      mark: 1,
    },
    {
      why: "an eighth against",
      votes: [
        { voter: 0, power: 7 },
        { voter: 1, choice: 2 },
      ],
      opposition: 0.125,
      mark: 0.5,
    },
    {
      why: "weights by allotted share",
      votes: [{ voter: 0, choice: half }, { voter: 1 }],
      changes: { votingType: "weighted" },
      opposition: 0.25,
      mark: 1,
    },
    {
      why: "basic: the third option is against nobody",
      votes: [
        { voter: 0, power: 3 },
        { voter: 1, power: 4, choice: 3 },
        { voter: 2, choice: 2 },
      ],
      opposition: 0.125,
      mark: 0.5,
    },
    {
      why: "basic: nor is it the leading one",
      votes: [
        { voter: 0, power: 9, choice: 3 },
        { voter: 1, choice: 2 },
      ],
      opposition: 0,
      mark: 0,
    },
    { why: "basic: all abstain", votes: [{ voter: 0, choice: 3 }], opposition: 0, mark: 0 },
    {
      why: "single choice: the third option is one like the others",
      votes: [
        { voter: 0, power: 3 },
        { voter: 1, choice: 3 },
      ],
      changes: { votingType: "single-choice" },
      opposition: 0.25,
      mark: 1,
    },
    {
      why: "fractional: a third of a vote abstains",
      votes: [
        { voter: 0, power: 6, choice: thirds },
        { voter: 1, power: 10 },
      ],
      changes: { votingType: "fractional" },
      opposition: 0.125,
      mark: 0.5,
    },
    {
      why: "unknown: approval",
      votes: [{ voter: 0 }],
      changes: { votingType: "approval" },
      opposition: undefined,
      mark: undefined,
    },
    {
      why: "unknown type, single choices",
      votes: [{ voter: 0 }],
      changes: { votingType: undefined },
      opposition: 0,
      mark: 0,
    },
    {
      why: "unknown type, other choices",
      votes: [{ voter: 0, choice: half }],
      changes: { votingType: undefined },
      opposition: undefined,
      mark: undefined,
    },
  ])("$why", ({ votes, changes, opposition, mark }) => {
    const found = cast(votes, changes);
    expect(found.opposition).toEqual(opposition === undefined ? undefined : expect.closeTo(opposition, 12));
    expect(found.contested?.[0]).toEqual(mark === undefined ? undefined : expect.closeTo(mark, 9));
  });
});

test("to abstain instead of voting with the majority leaves a vote as contested as it was", () => {
  const votes = [
    { voter: 0, power: 60 },
    { voter: 1, power: 30 },
    { voter: 2, power: 5, choice: 2 },
    { voter: 3, power: 5, choice: 3 },
  ];
  const abstained = votes.map((vote) => (vote.voter === 0 ? { ...vote, choice: 3 } : vote));
  expect(cast(abstained).contested).toStrictEqual(cast(votes).contested);
});

describe("rationale", () => {
  // Ten equal voters: each has a tenth of the capped power.
  const ten = (reasonOf: (voter: number) => boolean | undefined): SampleVote[] =>
    Array.from({ length: 10 }, (_, voter) => ({ voter, reason: reasonOf(voter) }));
  test.each([
    { why: "low: none", votes: ten(() => false), changes: {}, mark: [0, 0] },
    { why: "boundary: a tenth", votes: ten((voter) => voter === 0), changes: {}, mark: [1, 1] },
    { why: "high: all", votes: ten(() => true), changes: {}, mark: [1, 1] },
    {
      why: "open: one does not tell",
      votes: ten((voter) => (voter === 0 ? undefined : false)),
      changes: {},
      mark: [0, 1],
    },
    { why: "open: nobody tells", votes: ten(() => undefined), changes: {}, mark: [0, 1] },
    { why: "unknown: shutter", votes: ten(() => true), changes: { isShutter: true }, mark: undefined },
  ])("$why", ({ votes, changes, mark }) => {
    const found = cast(votes, changes).rationale;
    if (mark === undefined) expect(found).toBeUndefined();
    else expect(found?.map((end) => Number(end.toFixed(9)))).toStrictEqual(mark);
  });

  test("an entity's capped power is divided among its wallets by power", () => {
    const votes = [
      { voter: 0, power: 30, reason: true },
      { voter: 1, power: 70, reason: false },
      { voter: 2, power: 100, reason: false },
      ...Array.from({ length: 30 }, (_, at) => ({ voter: 3 + at, power: 100, reason: false })),
    ];
    const entities = new Map([
      [0, "one"],
      [1, "one"],
    ]);
    const [low] = cast(votes, {}, [], entities).rationale ?? [];
    expect(low).toBeCloseTo(0.3 / 32 / 0.1, 9);
  });

  test("dust with reasons is worth its power", () => {
    const dust = Array.from({ length: 1000 }, (_, at) => ({ voter: 100 + at, power: 1e-9, reason: true }));
    const found = cast([...ten(() => false).map((vote) => ({ ...vote, power: 1 })), ...dust]).rationale;
    expect(found?.[0]).toBeLessThan(1e-3);
  });
});

test.each([
  { why: "high: all apart", batch: [0, 0], mark: [1, 1] },
  { why: "low: all in a batch", batch: [1, 1], mark: [0, 0] },
  { why: "half", batch: [1, 0], mark: [0.5, 0.5] },
  { why: "open: one untimed", batch: [2, 0], mark: [0.5, 1] },
  { why: "open: both", batch: [2, 2], mark: [0, 1] },
  { why: "one in a batch, one untimed", batch: [1, 2], mark: [0, 0.5] },
])("not in a batch: $why", ({ batch, mark }) => {
  expect(cast([{ voter: 0 }, { voter: 1 }], {}, batch).not_batch).toStrictEqual(mark);
});
