import { describe, expect, test } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { type SampleVote, sampleVotes } from "../sample-facts.ts";

const sharesOf = (votes: readonly SampleVote[]): number[] | undefined => {
  const { shares } = sampleVotes(votes);
  return shares === undefined ? undefined : [...shares];
};

describe("which votes count", () => {
  test.each<{ why: string; votes: SampleVote[]; shares: number[] | undefined; voters: number[] }>([
    { why: "nobody", votes: [], shares: undefined, voters: [] },
    {
      why: "ascending by power",
      votes: [
        { voter: 0, power: 3 },
        { voter: 1, power: 1 },
      ],
      shares: [0.25, 0.75],
      voters: [1, 0],
    },
    {
      why: "no power, no vote",
      votes: [
        { voter: 0, power: 0 },
        { voter: 1, power: 1 },
      ],
      shares: [1],
      voters: [1],
    },
    {
      why: "outside its window: neither counted nor part of the power",
      votes: [
        { voter: 0, power: 9, flags: VOTE_FLAGS.outsideWindow },
        { voter: 1, power: 1 },
      ],
      shares: [1],
      voters: [1],
    },
    {
      why: "unreadable choice likewise",
      votes: [
        { voter: 0, power: 9, flags: VOTE_FLAGS.choiceUnreadable },
        { voter: 1, power: 1 },
      ],
      shares: [1],
      voters: [1],
    },
    {
      why: "low: dust is a share below 2.5e-7",
      votes: [
        { voter: 0, power: 2.4e-7 },
        { voter: 1, power: 1 },
      ],
      shares: [1 / (1 + 2.4e-7)],
      voters: [1],
    },
    {
      why: "boundary: just above dust",
      votes: [
        { voter: 0, power: 2.6e-7 },
        { voter: 1, power: 1 },
      ],
      shares: [2.6e-7 / (1 + 2.6e-7), 1 / (1 + 2.6e-7)],
      voters: [0, 1],
    },
    {
      why: "gap: unknown power makes no shares, and keeps every voter",
      votes: [
        { voter: 0, isPowerUnknown: true },
        { voter: 1, isPowerUnknown: true },
      ],
      shares: undefined,
      voters: [0, 1],
    },
    {
      why: "gap: one unknown power and no share can be told",
      votes: [
        { voter: 0, isPowerUnknown: true },
        { voter: 1, power: 5 },
      ],
      shares: undefined,
      voters: [0, 1],
    },
    {
      why: "an unknown power that does not count hides nothing",
      votes: [
        { voter: 0, isPowerUnknown: true, flags: VOTE_FLAGS.outsideWindow },
        { voter: 1, power: 5 },
      ],
      shares: [1],
      voters: [1],
    },
    {
      why: "impossible: a sum that is no finite number is no power",
      votes: [
        { voter: 0, power: 1.7e308 },
        { voter: 1, power: 1.7e308 },
      ],
      shares: undefined,
      voters: [0, 1],
    },
    { why: "the smallest power there is", votes: [{ voter: 0, power: 5e-324 }], shares: [1], voters: [0] },
  ])("$why", ({ votes, shares, voters }) => {
    expect(sharesOf(votes)).toStrictEqual(shares);
    expect([...sampleVotes(votes).voters]).toStrictEqual(voters);
  });

  test("completeness counts what measures do not look at", () => {
    const votes = sampleVotes([
      { voter: 0, power: 1e-9 },
      { voter: 1, power: 0 },
      { voter: 2, power: 2, flags: VOTE_FLAGS.outsideWindow },
      { voter: 3, power: 3, flags: VOTE_FLAGS.choiceUnreadable },
      { voter: 4, power: 4 },
    ]);
    expect(votes).toMatchObject({ fetchedCount: 5, readableCount: 4, finalCount: 5 });
    expect(votes.fetchedPower).toBeCloseTo(9, 6);
    expect(votes.voters).toHaveLength(1);
  });

  test.each<{ why: string; votes: SampleVote[]; power: number | undefined }>([
    {
      why: "all known",
      votes: [
        { voter: 0, power: 2 },
        { voter: 1, power: 3 },
      ],
      power: 5,
    },
    {
      why: "one unknown",
      votes: [
        { voter: 0, power: 2 },
        { voter: 1, isPowerUnknown: true },
      ],
      power: undefined,
    },
    { why: "none fetched", votes: [], power: undefined },
    {
      why: "overflow",
      votes: [
        { voter: 0, power: 1.7e308 },
        { voter: 1, power: 1.7e308 },
      ],
      power: undefined,
    },
  ])("fetched power: $why", ({ votes, power }) => {
    expect(sampleVotes(votes).fetchedPower).toBe(power);
  });

  test.each<{ why: string; votes: SampleVote[]; reasons: number | undefined }>([
    {
      why: "counted where known of all",
      votes: [
        { voter: 0, reason: true },
        { voter: 1, reason: false },
      ],
      reasons: 1,
    },
    { why: "gap: of one unknown", votes: [{ voter: 0, reason: true }, { voter: 1 }], reasons: undefined },
    { why: "gap: nobody", votes: [], reasons: undefined },
    {
      why: "dust gives no reasons",
      votes: [
        { voter: 0, reason: true, power: 1e-9 },
        { voter: 1, reason: false },
      ],
      reasons: 0,
    },
  ])("reasons: $why", ({ votes, reasons }) => {
    expect(sampleVotes(votes).reasonsCount).toBe(reasons);
  });

  test("a day is no time", () => {
    const votes = sampleVotes([
      { voter: 0, dayMs: 86_400_000 },
      { voter: 1, atMs: 86_400_000 },
      { voter: 2 },
    ]);
    expect(votes.timedCount).toBe(1);
    expect([...votes.isTimed]).toStrictEqual([0, 1, 0]);
  });
});
