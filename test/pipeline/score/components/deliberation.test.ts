import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { presentMeanOf } from "../../../../pipeline/score/method/indicators.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import {
  DAY,
  pointsOf,
  type SampleVote,
  sampleMember,
  sampleProposal,
  sampleVotes,
  T,
} from "../sample-facts.ts";
import { deliberationMarks, deliberationOf, type Marks } from "../score-frame.ts";

const NO_OVERLAP = { overlappingCount: 0, batchCount: 0 };
const start = T - 8 * DAY;

/** Indicators of a proposal of seven days; two voters, 3 : 1, timed at the start and the end. */
function indicatorsOf(
  changes: Partial<Proposal> = {},
  votes: readonly SampleVote[] = [
    { voter: 0, power: 3, atMs: start + 3.5 * DAY, choice: 1, reason: false },
    { voter: 1, power: 1, atMs: start + 7 * DAY, choice: 2, reason: false },
  ],
  batch = NO_OVERLAP,
): Marks {
  return deliberationMarks(sampleProposal("p", changes), sampleVotes(votes), batch);
}

describe("discussion", () => {
  test.each([
    { why: "gap: the source has no such field", discussion: undefined, value: undefined },
    { why: "low: the author gave none", discussion: "", value: 0 },
    { why: "a link", discussion: "https://forum.example/t/1", value: 1 },
    { why: "plain http", discussion: "http://forum.example", value: 1 },
    { why: "no link at all", discussion: "see forum", value: 0 },
    { why: "no web link", discussion: "ftp://forum.example/x", value: 0 },
    { why: "a script is no link", discussion: "javascript:alert(1)", value: 0 },
    { why: "no host", discussion: "https://", value: 0 },
  ])("$why", ({ discussion, value }) => {
    expect(indicatorsOf({ discussion }).discussion).toBe(value);
  });
});

const moment = (atMs: number, precision: "second" | "day" = "second") => ({ atMs, precision });

describe("periods", () => {
  const midnight = Date.UTC(2025, 4, 1);
  test.each<{ why: string; changes: Partial<Proposal>; value: number | undefined }>([
    { why: "low: a day earns nothing", changes: { start: moment(T - DAY), end: moment(T) }, value: 0 },
    { why: "four days are half", changes: { start: moment(T - 4 * DAY), end: moment(T) }, value: 0.5 },
    { why: "boundary: a week earns all", changes: { start: moment(T - 7 * DAY), end: moment(T) }, value: 1 },
    { why: "high: more earns no more", changes: { start: moment(T - 30 * DAY), end: moment(T) }, value: 1 },
    {
      why: "whole days where only days are known",
      changes: { start: moment(midnight, "day"), end: moment(midnight + 5 * DAY - 1, "day") },
      value: 0.5,
    },
    {
      why: "whole days where one end is a day",
      changes: { start: moment(midnight + 9e6), end: moment(midnight + 5 * DAY - 1, "day") },
      value: 0.5,
    },
    { why: "gap: no start", changes: { start: undefined }, value: undefined },
    {
      why: "impossible: it ends before it starts",
      changes: { start: moment(T), end: moment(T - DAY) },
      value: 0,
    },
  ])("voting period: $why", ({ changes, value }) => {
    const found = indicatorsOf(changes).votingPeriod;
    if (value === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(value, 9);
  });

  test.each<{ why: string; changes: Partial<Proposal>; value: number | undefined }>([
    { why: "low: none", changes: { created: moment(start), start: moment(start) }, value: 0 },
    { why: "a day is half", changes: { created: moment(start - DAY), start: moment(start) }, value: 0.5 },
    {
      why: "boundary: two days are all",
      changes: { created: moment(start - 2 * DAY), start: moment(start) },
      value: 1,
    },
    {
      why: "impossible: created after it started",
      changes: { created: moment(start + DAY), start: moment(start) },
      value: 0,
    },
    { why: "gap: created unknown", changes: { created: undefined }, value: undefined },
    { why: "gap: start known to the day", changes: { start: moment(start, "day") }, value: undefined },
    { why: "gap: created known to the day", changes: { created: moment(start, "day") }, value: undefined },
  ])("review delay: $why", ({ changes, value }) => {
    expect(indicatorsOf(changes).reviewDelay).toBe(value);
  });
});

describe("votes", () => {
  test.each([
    { why: "low: unanimous", second: 0, value: 0 },
    { why: "an eighth dissents", second: 1 / 7, value: 0.5 },
    { why: "boundary: a quarter dissents", second: 1 / 3, value: 1 },
    { why: "high: half dissents", second: 1, value: 1 },
  ])("contestedness: $why", ({ second, value }) => {
    const votes = [
      { voter: 0, power: 1 },
      { voter: 1, power: second, choice: 2 },
    ];
    expect(indicatorsOf({}, votes).contestedness).toBeCloseTo(value, 9);
  });

  const withReasons = (reasons: number): SampleVote[] =>
    Array.from({ length: 40 }, (_, voter) => ({ voter, reason: voter < reasons }));
  test.each<{ why: string; votes: SampleVote[]; isShutter: boolean; value: number | undefined }>([
    { why: "low: none", votes: withReasons(0), isShutter: false, value: 0 },
    { why: "a twentieth is half", votes: withReasons(2), isShutter: false, value: 0.5 },
    { why: "boundary: a tenth is all", votes: withReasons(4), isShutter: false, value: 1 },
    { why: "high", votes: withReasons(40), isShutter: false, value: 1 },
    { why: "gap: under shutter", votes: withReasons(4), isShutter: true, value: undefined },
    { why: "gap: the source does not tell", votes: [{ voter: 0 }], isShutter: false, value: undefined },
    { why: "gap: nobody", votes: [], isShutter: false, value: undefined },
  ])("rationale: $why", ({ votes, isShutter, value }) => {
    expect(indicatorsOf({ isShutter }, votes).rationale).toBe(value);
  });

  const at = (...pairs: readonly (readonly [power: number, elapsed: number])[]): SampleVote[] =>
    pairs.map(([power, elapsed], voter) => ({ voter, power, atMs: start + elapsed * 7 * DAY }));
  test.each<{ why: string; votes: SampleVote[]; changes?: Partial<Proposal>; value: number | undefined }>([
    { why: "low: all at the start", votes: at([1, 0]), value: 0 },
    { why: "low: all at the end", votes: at([1, 1]), value: 0 },
    { why: "high: half way", votes: at([1, 0.5]), value: 1 },
    { why: "a quarter in: 4·¼·¾", votes: at([3, 0.25], [1, 0.9]), value: 0.75 },
    {
      why: "boundary: exactly half is half",
      votes: at([0.1, 0.25], [0.1, 0.25], [0.1, 0.25], [0.3, 0.9]),
      value: 0.75,
    },
    { why: "votes without a time take no part", votes: [...at([1, 0.5]), { voter: 9, power: 50 }], value: 1 },
    { why: "gap: nobody timed", votes: [{ voter: 9 }], value: undefined },
    { why: "gap: power unknown", votes: [{ voter: 9, isPowerUnknown: true, atMs: start }], value: undefined },
    {
      why: "gap: the end is a day",
      votes: at([1, 0.5]),
      changes: { end: moment(T, "day") },
      value: undefined,
    },
    {
      why: "impossible: no duration",
      votes: at([1, 0]),
      changes: { end: moment(start), start: moment(start) },
      value: undefined,
    },
  ])("half-power time: $why", ({ votes, changes, value }) => {
    const found = indicatorsOf(changes, votes).halfPowerTime;
    if (value === undefined) expect(found).toBeUndefined();
    // A vote's time is in whole seconds.
    else expect(found).toBeCloseTo(value, 4);
  });

  test.each([
    { why: "gap: no overlap", batch: NO_OVERLAP, value: undefined },
    { why: "high: none", batch: { overlappingCount: 4, batchCount: 0 }, value: 1 },
    { why: "some", batch: { overlappingCount: 4, batchCount: 1 }, value: 0.75 },
    { why: "low: all", batch: { overlappingCount: 4, batchCount: 4 }, value: 0 },
  ])("not batch: $why", ({ batch, value }) => {
    expect(indicatorsOf({}, [], batch).notBatch).toBe(value);
  });
});

describe("the index", () => {
  test("weights sum to 1", () => {
    const sum = Object.values(METHODOLOGY.deliberation.weights).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  test("hand-made: .20·1 + .20·1 + .10·1 + .15·1 + .10·0 + .10·1, of .85", () => {
    // A link, seven days, two days of review, a quarter dissents, no reasons, half way; no overlap.
    const member = sampleMember(
      [
        { voter: 0, power: 3, atMs: start + 3.5 * DAY, reason: false },
        { voter: 1, power: 1, atMs: start + 7 * DAY, choice: 2, reason: false },
      ],
      { endDaysAgo: 1 },
    );
    expect(pointsOf(deliberationOf([member], () => NO_OVERLAP))).toBeCloseTo((10 * 0.75) / 0.85, 4);
  });

  test.each([
    { why: "gap: less than half of the weight", a: 0.49, points: undefined },
    { why: "boundary: half, summed of parts that round", a: 0.5, points: 1 },
  ])("$why", ({ a, points }) => {
    const known = [a - 0.3, 0.2, 0.1].map((weight) => ({ weight, value: 1 }));
    expect(presentMeanOf([...known, { weight: 1 - a, value: undefined }], 0.5)).toBe(points);
  });

  test("proposals count by attention; those with too little known do not", () => {
    const none = { discussion: "", votingType: "approval" as const };
    const short = { start: moment(T - DAY), end: moment(T), created: moment(T - DAY) };
    const poor = sampleMember([], { ...none, ...short, id: "a", attention: 3 });
    const rich = sampleMember([], { id: "b", attention: 1, endDaysAgo: 1 });
    const blind = sampleMember([], { id: "c", discussion: undefined, start: undefined });
    expect(pointsOf(deliberationOf([poor, rich, blind], () => NO_OVERLAP))).toBeCloseTo(2.5, 9);
    expect(deliberationOf([blind], () => NO_OVERLAP)).toStrictEqual({
      kind: "gap",
      reason: "DELIBERATION_UNKNOWN",
    });
    expect(deliberationOf([], () => NO_OVERLAP).kind).toBe("gap");
  });
});
