import { describe, expect, test } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import {
  type Completeness,
  freshness,
  scoreCompleteness,
} from "../../../../pipeline/score/components/completeness.ts";
import { measureProposal, measureVotes } from "../../../../pipeline/score/components/measure-proposal.ts";
import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import { DAY, type SampleVote, sampleMember, T } from "../sample-facts.ts";

const votes = (count: number, flags = 0): SampleVote[] =>
  Array.from({ length: count }, (_, voter) => ({ voter, flags }));
const whole = { votesCount: 4, scoresTotal: 4 };
const completenessOf = (
  members: readonly FrameProposal[],
  missing: readonly FrameProposal[] = [],
  fresh?: number,
): Completeness =>
  scoreCompleteness(
    {
      members: members.map((member) => ({
        ...measureProposal(member, member.votes),
        ...measureVotes(member.votes),
      })),
      missing: missing.map((member) => measureProposal(member, undefined)),
    },
    fresh,
  );
const pctOf = (members: readonly FrameProposal[], missing: readonly FrameProposal[] = [], fresh = 1) =>
  completenessOf(members, missing, fresh).pct;
const reconciledOf = (member: FrameProposal) => completenessOf([member]).parts.reconciled;

describe("percentage", () => {
  test.each<{ why: string; pct: number | undefined; expected: number | undefined }>([
    { why: "high: everything", pct: pctOf([sampleMember(votes(4), whole)]), expected: 100 },
    {
      why: "half of the votes: .40·½ and a sum that is short",
      pct: pctOf([sampleMember(votes(2), whole)]),
      expected: 100 - 20 - 15,
    },
    {
      why: "more votes than declared is no more than all",
      pct: pctOf([sampleMember(votes(5), { ...whole, scoresTotal: 5 })]),
      expected: 100,
    },
    {
      why: "attention is not a weight here",
      pct: pctOf([
        sampleMember(votes(4), { ...whole, attention: 0.01 }),
        sampleMember(votes(2), { ...whole, id: "q", scoresTotal: 2 }),
      ]),
      expected: 90,
    },
    {
      why: "two of nine fields unknown: .15·2/9",
      pct: pctOf([sampleMember(votes(4), { ...whole, author: undefined, discussion: undefined })]),
      expected: 100 - 15 * (2 / 9),
    },
    {
      why: "a day counts as known",
      pct: pctOf([sampleMember(votes(4), { ...whole, end: { atMs: T, precision: "day" } })]),
      expected: 100,
    },
    {
      why: "half of the choices unreadable: .15·½",
      pct: pctOf([
        sampleMember(
          [
            ...votes(2),
            { voter: 8, flags: VOTE_FLAGS.choiceUnreadable },
            { voter: 9, flags: VOTE_FLAGS.choiceUnreadable },
          ],
          whole,
        ),
      ]),
      expected: 92.5,
    },
    { why: "stale: .10", pct: pctOf([sampleMember(votes(4), whole)], [], 0), expected: 90 },
    {
      why: "gap: freshness unknown is left out",
      pct: completenessOf([sampleMember(votes(2), { ...whole, scoresTotal: 2 })]).pct,
      expected: (100 * (0.2 + 0.2 + 0.15 + 0.15)) / 0.9,
    },
    {
      why: "gap: no declared count, no declared total",
      pct: pctOf([sampleMember(votes(4))]),
      expected: (100 * (0.2 + (0.15 * 7) / 9 + 0.1)) / 0.45,
    },
    {
      why: "a missing ballot: no votes, no sum",
      pct: pctOf([sampleMember(votes(4), whole)], [sampleMember([], { ...whole, id: "q" })]),
      expected: 100 - 20 - 7.5,
    },
    {
      why: "a missing ballot of unknown size has no votes either",
      pct: pctOf([sampleMember(votes(4), whole)], [sampleMember([], { scoresTotal: 4, id: "q" })]),
      expected: 100 - 20 - 7.5 - 15 / 18,
    },
    { why: "low: nothing but missing ones", pct: pctOf([], [sampleMember([], whole)], 0), expected: 20 + 15 },
    { why: "gap: nothing at all", pct: pctOf([]), expected: undefined },
  ])("$why", ({ pct, expected }) => {
    if (expected === undefined) expect(pct).toBeUndefined();
    else expect(pct).toBeCloseTo(expected, 9);
  });

  test("votes that are not final lose half of the part", () => {
    const member = sampleMember(votes(4), whole);
    const half = { ...member, votes: { ...member.votes, finalCount: 2 } };
    expect(pctOf([half])).toBeCloseTo(95, 9);
  });
});

describe("reconciled", () => {
  test.each([
    { why: "boundary: one per cent off", total: 100, sum: 101, expected: 1 },
    { why: "high", total: 100, sum: 101.01, expected: 0 },
    { why: "low", total: 100, sum: 98.99, expected: 0 },
    { why: "nothing is nothing", total: 0, sum: 0, expected: 1 },
    { why: "something is not nothing", total: 0, sum: 1, expected: 0 },
    { why: "gap: no declared total", total: undefined, sum: 5, expected: undefined },
    { why: "gap: power unknown", total: 5, sum: undefined, expected: undefined },
  ])("$why", ({ total, sum, expected }) => {
    const vote = sum === undefined ? { voter: 0, isPowerUnknown: true } : { voter: 0, power: sum };
    expect(reconciledOf(sampleMember([vote], { scoresTotal: total }))).toBe(expected);
  });

  test("dust and votes that do not count are part of the sum", () => {
    const member = sampleMember(
      [
        { voter: 0, power: 90 },
        { voter: 1, power: 10, flags: VOTE_FLAGS.outsideWindow },
      ],
      { scoresTotal: 100 },
    );
    expect(reconciledOf(member)).toBe(1);
  });
});

test.each([
  { why: "high: now", age: 0, expected: 1 },
  { why: "boundary: a day", age: 1, expected: 1 },
  { why: "half way: four days", age: 4, expected: 0.5 },
  { why: "boundary: a week", age: 7, expected: 0 },
  { why: "low: a year", age: 365, expected: 0 },
  { why: "fetched after t", age: -2, expected: 1 },
])("freshness: $why", ({ age, expected }) => {
  expect(freshness(T - age * DAY, T)).toBeCloseTo(expected, 12);
});
