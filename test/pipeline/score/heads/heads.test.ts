import { describe, expect, test } from "vitest";
import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import { sharesByHead } from "../../../../pipeline/score/heads/heads.ts";
import { createHeadsWindow } from "../../../../pipeline/score/heads/heads-window.ts";
import { everyoneAlone, sampleMember, sampleVotes } from "../sample-facts.ts";

/** Heads counted over members, by proposal. */
const countsOf = (members: readonly FrameProposal[], headOfVoter: Int32Array): number[] => [
  ...createHeadsWindow(headOfVoter.length).count(members, headOfVoter).perProposal,
];

describe("weight of a head", () => {
  // One big voter holds the rest, so a small one's power is (nearly) its share.
  test.each([
    { why: "low: just above dust", share: 2.5001e-7, weight: 0 },
    { why: "half way: (.625 − .25)/.75", share: 6.25e-7, weight: 0.5 },
    { why: "boundary: a millionth", share: 1.000001e-6, weight: 1 },
    { why: "high: more weighs no more", share: 0.4, weight: 1 },
  ])("$why", ({ share, weight }) => {
    const member = sampleMember([
      { voter: 0, power: share },
      { voter: 1, power: 1 - share },
    ]);
    expect(countsOf([member], everyoneAlone(2))[0]).toBeCloseTo(weight + 1, 3);
  });

  test("gap: unknown power weighs 1", () => {
    const member = sampleMember([{ voter: 0, isPowerUnknown: true }]);
    expect(countsOf([member], everyoneAlone(1))).toStrictEqual([1]);
  });

  test("a head of several wallets weighs by their joint share", () => {
    const votes = [0, 1, 2, 3].map((voter) => ({ voter, power: 3e-7 }));
    const member = sampleMember([...votes, { voter: 4, power: 1 }]);
    expect(countsOf([member], everyoneAlone(5))[0]).toBeCloseTo((4 * 0.2) / 3 + 1, 4);
    expect(countsOf([member], Int32Array.from([0, 0, 0, 0, 4]))).toStrictEqual([2]);
  });

  test("is the mean over the proposals it voted on, by their attention", () => {
    const small = { voter: 0, power: 6.25e-7 };
    const members = [
      sampleMember([small, { voter: 1, power: 1 }], { attention: 1 }),
      sampleMember(
        [
          { voter: 0, power: 1 },
          { voter: 1, power: 1 },
        ],
        { attention: 0.5 },
      ),
      sampleMember([{ voter: 1, power: 1 }], { attention: 0.5 }),
    ];
    const [first, second, third] = countsOf(members, everyoneAlone(2));
    expect(first).toBeCloseTo((0.5 * 1 + 1 * 0.5) / 1.5 + 1, 5);
    expect([second, third]).toStrictEqual([first, 1]);
  });
});

test("nobody", () => {
  expect(countsOf([], everyoneAlone(0))).toStrictEqual([]);
  expect(countsOf([sampleMember([])], everyoneAlone(3))).toStrictEqual([0]);
});

test("shares of one head add up; unknown power has none", () => {
  const votes = sampleVotes([
    { voter: 0, power: 1 },
    { voter: 1, power: 2 },
    { voter: 2, power: 5 },
  ]);
  const { heads, shares } = sharesByHead(votes, Int32Array.from([0, 1, 0]));
  expect([...heads]).toStrictEqual([0, 1]);
  expect([...(shares ?? [])]).toStrictEqual([0.75, 0.25]);
  expect(
    sharesByHead(sampleVotes([{ voter: 0, isPowerUnknown: true }]), everyoneAlone(1)).shares,
  ).toBeUndefined();
});
