import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { type Choice, VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { castMarks, proposalMarks } from "../../../../pipeline/score/components/deliberation.ts";
import { createElectorate, readBallot } from "../../../../pipeline/score/frame/ballot.ts";
import { BATCH } from "../../../../pipeline/score/frame/batch-voting.ts";
import { DAY, type SampleVote, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const second = (daysAgo: number) => ({ atMs: T - daysAgo * DAY, precision: "second" as const });
const dayOnly = { atMs: T + 1 - 8 * DAY, precision: "day" } as const;
type Known = number | undefined;

test.each<[why: string, changes: Partial<Proposal>, discussion: Known, period: Known, delay: Known]>([
  ["a week, two days before, a link", {}, 1, 1, 1],
  ["low: an empty link", { discussion: "" }, 0, 1, 1],
  ["low: a link of another kind", { discussion: "mailto:a@b.example" }, 0, 1, 1],
  ["a link without encryption", { discussion: "http://forum.example/1" }, 1, 1, 1],
  ["unknown: no such field", { discussion: undefined }, undefined, 1, 1],
  ["low: a day", { start: second(2), created: second(3) }, 1, 0, 0.5],
  ["between: four days, half a day before", { start: second(5), created: second(5.5) }, 1, 0.5, 0.25],
  ["low: created after it started", { created: second(1) }, 1, 1, 0],
  ["unknown: no start", { start: undefined }, 1, undefined, undefined],
  ["days are known whole, finer durations are not", { start: dayOnly }, 1, 5 / 6, undefined],
  [
    "an end that is known as a day, three days after that of the start",
    { start: second(3.5), created: second(5.5), end: { atMs: T + 1 - DAY, precision: "day" } },
    ...([1, 1 / 3, 1] as const),
  ],
])("words and dates: %s", (_, changes, ...marks) => {
  const { discussion, period, delay } = proposalMarks(sampleProposal("p", changes));
  const found = [discussion, period, delay];
  expect(found.map((mark) => mark?.[0])).toEqual(
    marks.map((mark) => (mark === undefined ? undefined : expect.closeTo(mark, 9))),
  );
  expect(found.map((mark) => mark?.[1])).toStrictEqual(found.map((mark) => mark?.[0]));
});

function cast(
  votes: readonly SampleVote[],
  changes: Partial<Proposal> = {},
  batch: readonly number[] = [],
  entities = new Map<number, string>(),
) {
  const packed = sampleProposalVotes("p", votes);
  const read = readBallot(packed, createElectorate([packed], entities));
  const flags = Uint8Array.from({ length: votes.length }, (_, row) => batch[row] ?? BATCH.apart);
  return castMarks(sampleProposal("p", changes), packed, read, flags);
}

const equally = (...options: readonly number[]): Choice => ({
  kind: "weights",
  weights: options.map((option) => [option, 1]),
});

const RANKED: Choice = { kind: "list", options: [2, 1] };
const vote = (power: number, choice: number | Choice) => ({ power, choice });
const UNREADABLE = { ...vote(1, { kind: "unreadable" }), flags: VOTE_FLAGS.choiceUnreadable };

describe("contested", () => {
  test.each<[why: string, votes: ReturnType<typeof vote>[], type: Proposal["votingType"], mark: Known]>([
    ["low: all agree", [vote(1, 1), vote(1, 1)], "basic", 0],
    ["boundary: a quarter against", [vote(3, 1), vote(1, 2)], "basic", 1],
    ["an eighth against", [vote(7, 1), vote(1, 2)], "basic", 0.5],
    ["weights by allotted share", [vote(3, equally(1, 2)), vote(9, 1)], "weighted", 0.5],
    ["basic: the third option is against nobody", [vote(3, 1), vote(4, 3), vote(1, 2)], "basic", 0.5],
    ["basic: nor is it the leading one", [vote(9, 3), vote(1, 2)], "basic", 0],
    ["basic: all abstain", [vote(1, 3)], "basic", 0],
    [
      "single choice: the third option is one like the others",
      [vote(7, 1), vote(1, 3)],
      "single-choice",
      0.5,
    ],
    ["fractional: a third of a vote abstains", [vote(6, equally(1, 2, 3)), vote(10, 1)], "fractional", 0.5],
    ["quadratic: as single choices", [vote(7, 1), vote(1, 2)], "quadratic", 0.5],
    ["a choice that cannot be read is not one of them", [vote(3, 1), UNREADABLE], "basic", 0],
    ["unknown: a ranking among weights", [vote(3, 1), vote(1, RANKED)], "weighted", undefined],
    ["unknown type, one other choice", [vote(3, 1), vote(1, equally(1, 2))], undefined, undefined],
    ["unknown: approval", [vote(1, 1)], "approval", undefined],
    ["unknown type, single choices", [vote(1, 1)], undefined, 0],
    ["unknown type, other choices", [vote(1, equally(1, 2))], undefined, undefined],
  ])("%s", (_, votes, votingType, mark) => {
    const { contested } = cast(
      votes.map((each, voter) => ({ voter, ...each })),
      { votingType },
    );
    const end = mark === undefined ? undefined : expect.closeTo(mark, 9);
    expect(contested).toEqual(end && [end, end]);
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
  test.each<[why: string, votes: SampleVote[], changes: Partial<Proposal>, mark: number[] | undefined]>([
    ["low: none", ten(() => false), {}, [0, 0]],
    ["boundary: a tenth", ten((voter) => voter === 0), {}, [1, 1]],
    ["high: all", ten(() => true), {}, [1, 1]],
    ["open: one does not tell", ten((voter) => (voter === 0 ? undefined : false)), {}, [0, 1]],
    ["open: nobody tells", ten(() => undefined), {}, [0, 1]],
    ["unknown: shutter", ten(() => true), { isShutter: true }, undefined],
  ])("%s", (_, votes, changes, mark) => {
    const found = cast(votes, changes).rationale;
    expect(found?.map((end) => Number(end.toFixed(9)))).toStrictEqual(mark);
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

test.each<[why: string, batch: number[], mark: [number, number]]>([
  ["high: all apart", [0, 0], [1, 1]],
  ["low: all in a batch", [1, 1], [0, 0]],
  ["half", [1, 0], [0.5, 0.5]],
  ["open: one untimed", [2, 0], [0.5, 1]],
  ["open: both", [2, 2], [0, 1]],
  ["one in a batch, one untimed", [1, 2], [0, 0.5]],
])("not in a batch: %s", (_, batch, mark) => {
  expect(cast([{ voter: 0 }, { voter: 1 }], {}, batch).not_batch).toStrictEqual(mark);
});
