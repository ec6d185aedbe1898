import { describe, expect, test } from "vitest";
import type { Space } from "../../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { cadence } from "../../../../pipeline/score/components/process.ts";
import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import { pointsOf, sampleFrame, sampleMember, T } from "../sample-facts.ts";
import { diversityOf, guardrailsOf, processOf, quorumRateOf } from "../score-frame.ts";

const self = (author: string): string => author;

/** Members of S = 100 each, one per change. */
function membersOf(
  ...changes: readonly (Partial<Proposal> & {
    readonly attention?: number;
    readonly power?: number | undefined;
    readonly endDaysAgo?: number;
  })[]
): FrameProposal[] {
  return changes.map((change, index) => sampleMember([], { id: `p${index}`, power: 100, ...change }));
}

describe("quorum", () => {
  test.each<{ why: string; members: FrameProposal[]; rate: number | undefined }>([
    { why: "high: all reached", members: membersOf({ quorum: 50 }, { quorum: 100 }), rate: 1 },
    { why: "boundary: reached exactly", members: membersOf({ quorum: 100 }), rate: 1 },
    { why: "low: none", members: membersOf({ quorum: 100.01 }), rate: 0 },
    { why: "by attention", members: membersOf({ quorum: 50 }, { quorum: 200, attention: 0.25 }), rate: 0.8 },
    { why: "boundary: 1 % of the median means something", members: membersOf({ quorum: 1 }), rate: 1 },
    { why: "gap: less means nothing", members: membersOf({ quorum: 0.99 }, { quorum: 0 }), rate: undefined },
    { why: "gap: no quorum", members: membersOf({}, {}), rate: undefined },
    {
      why: "gap: a rejection quorum is a veto",
      members: membersOf({ quorum: 50, isQuorumRejection: true }),
      rate: undefined,
    },
    { why: "gap: power unknown", members: membersOf({ quorum: 50, power: undefined }), rate: undefined },
    {
      why: "unknown power beside known",
      members: membersOf({ quorum: 50, power: undefined }, { quorum: 200 }),
      rate: 0,
    },
    {
      why: "impossible: nothing cast anywhere",
      members: membersOf({ quorum: 0, power: 0 }),
      rate: undefined,
    },
    { why: "no members", members: [], rate: undefined },
  ])("$why", ({ members, rate }) => {
    expect(quorumRateOf(members)).toBe(rate);
  });
});

describe("cadence", () => {
  test.each([
    { why: "low: none", days: [], share: 0 },
    { why: "boundary: ended at t", days: [0], share: 0 },
    { why: "one, long enough ago", days: [90], share: 1 / 6 },
    { why: "boundary: thirty days ago", days: [30], share: 1 / 6 },
    { why: "cut by t", days: [15], share: 1 / 12 },
    { why: "cut by the window", days: [195], share: 1 / 12 },
    { why: "boundary: its reach ends where the window begins", days: [210], share: 0 },
    { why: "equal ends count once", days: [90, 90], share: 1 / 6 },
    { why: "overlaps count once", days: [100, 90], share: 40 / 180 },
    { why: "high: every month", days: [180, 150, 120, 90, 60, 30], share: 1 },
    { why: "fractions of days", days: [29.5], share: 29.5 / 180 },
  ])("$why", ({ days, share }) => {
    const attended = days.map((endDaysAgo) => sampleMember([], { endDaysAgo }));
    expect(cadence(attended, T)).toBeCloseTo(share, 12);
  });
});

describe("proposers", () => {
  const by = (...authors: readonly (string | undefined)[]) =>
    membersOf(...authors.map((author) => ({ author })));
  test.each<{ why: string; members: FrameProposal[]; value: number | undefined }>([
    { why: "low: one author of all", members: by("a", "a", "a"), value: 0 },
    { why: "high: each its own, fewer than ten", members: by("a", "b", "c"), value: 1 },
    { why: "two authors of four: ln 2 / ln 4", members: by("a", "a", "b", "b"), value: 0.5 },
    { why: "boundary: ten authors of twenty earn all", members: by(..."abcdefghijabcdefghij"), value: 1 },
    { why: "gap: one proposal", members: by("a"), value: undefined },
    {
      why: "boundary: two equal weights are two, whatever they round to",
      members: membersOf({ author: "a", attention: 0.1 }, { author: "b", attention: 0.1 }),
      value: 1,
    },
    {
      why: "gap: fewer than two effective ones",
      members: membersOf({ author: "a" }, { author: "b", attention: 0.5 }),
      value: undefined,
    },
    { why: "gap: authors unknown", members: by(undefined, undefined), value: undefined },
    { why: "unknown authors are nobody", members: by("a", "b", undefined), value: 1 },
    { why: "no members", members: [], value: undefined },
  ])("$why", ({ members, value }) => {
    const found = diversityOf(members, self);
    if (value === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(value, 12);
  });

  test("wallets of one entity are one author", () => {
    expect(diversityOf(by("a", "b", "c"), () => "one")).toBe(0);
  });

  test("equal weights of any size are as many as they are", () => {
    for (let weight = 0.01; weight <= 1; weight += 0.01)
      expect(
        diversityOf(membersOf({ author: "a", attention: weight }, { author: "b", attention: weight }), self),
      ).toBe(1);
  });
});

describe("guardrails", () => {
  const space = (changes: Partial<Space>): Space => ({
    spaceId: "sample.eth",
    name: undefined,
    website: undefined,
    forum: undefined,
    isProposingGated: undefined,
    hasFixedPeriod: undefined,
    quorum: undefined,
    adminsAndModeratorsCount: undefined,
    isFlagged: undefined,
    isHibernated: undefined,
    isVerified: undefined,
    ...changes,
  });
  const plain = membersOf({}, {});
  const veto = membersOf({ quorum: 50, isQuorumRejection: true });
  test.each<{ why: string; space: Space | undefined; members: FrameProposal[]; value: number | undefined }>([
    {
      why: "high: all four",
      space: space({ isProposingGated: true, hasFixedPeriod: true, quorum: 50, adminsAndModeratorsCount: 2 }),
      members: plain,
      value: 1,
    },
    {
      why: "low: none of four",
      space: space({
        isProposingGated: false,
        hasFixedPeriod: false,
        quorum: 0,
        adminsAndModeratorsCount: 1,
      }),
      members: plain,
      value: 0,
    },
    {
      why: "boundary: two known",
      space: space({ isProposingGated: true, hasFixedPeriod: false }),
      members: plain,
      value: 0.5,
    },
    { why: "gap: one known", space: space({ isProposingGated: true }), members: plain, value: undefined },
    { why: "gap: no space", space: undefined, members: plain, value: undefined },
    {
      why: "a quorum of 1 % means something",
      space: space({ isProposingGated: true, quorum: 1 }),
      members: plain,
      value: 1,
    },
    {
      why: "less does not",
      space: space({ isProposingGated: true, quorum: 0.9 }),
      members: plain,
      value: 0.5,
    },
    {
      why: "the latest proposal's quorum, where the space has none",
      space: space({ hasFixedPeriod: false }),
      members: membersOf({ quorum: 0 }, { quorum: 50 }),
      value: 0.5,
    },
    {
      why: "gap: a rejection quorum is a veto",
      space: space({ hasFixedPeriod: false, quorum: 50 }),
      members: veto,
      value: undefined,
    },
    {
      why: "gap: a quorum, but no power is known",
      space: space({ hasFixedPeriod: false, quorum: 50 }),
      members: membersOf({ power: undefined }),
      value: undefined,
    },
    {
      why: "no quorum is none, even then",
      space: space({ hasFixedPeriod: false, quorum: 0 }),
      members: membersOf({ power: undefined }),
      value: 0,
    },
  ])("$why", ({ space: rules, members, value }) => {
    expect(guardrailsOf(rules, members)).toBe(value);
  });

  test("hand-made: .30·1 + .25·(1/6) + .25·1 + .20·½", () => {
    const members = membersOf({ quorum: 50, author: "a", endDaysAgo: 90 }, { author: "b", endDaysAgo: 90 });
    const score = processOf({
      frame: sampleFrame(members),
      space: space({
        isProposingGated: true,
        hasFixedPeriod: false,
        quorum: 50,
        adminsAndModeratorsCount: 1,
      }),
      headOfAuthor: self,
    });
    expect(pointsOf(score)).toBeCloseTo(10 * (0.3 + 0.25 / 6 + 0.25 + 0.1), 9);
  });
});

describe("how much must be known", () => {
  const scoreOf = (members: FrameProposal[]) =>
    processOf({ frame: sampleFrame(members), space: undefined, headOfAuthor: self });
  test.each<{ why: string; members: FrameProposal[]; points: number | undefined }>([
    { why: "gap: cadence alone is a quarter", members: membersOf({ author: undefined }), points: undefined },
    {
      why: "boundary: cadence and proposers are half",
      members: membersOf({ author: "a", endDaysAgo: 90 }, { author: "b", endDaysAgo: 90 }),
      points: (10 * (1 / 6 + 1)) / 2,
    },
    {
      why: "cadence and quorum: (.25/6 + .3)/.55",
      members: membersOf({ quorum: 50, endDaysAgo: 90 }),
      points: (10 * (0.25 / 6 + 0.3)) / 0.55,
    },
  ])("$why", ({ members, points }) => {
    const score = scoreOf(members);
    if (points === undefined) expect(score).toStrictEqual({ kind: "gap", reason: "PROCESS_UNKNOWN" });
    else expect(pointsOf(score)).toBeCloseTo(points, 9);
  });
});
