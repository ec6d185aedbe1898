import { describe, expect, test } from "vitest";
import { countHeads, sharesByHead } from "../../../../pipeline/score/heads/heads.ts";
import { everyoneAlone, sampleMember, sampleVotes } from "../sample-facts.ts";

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
    expect(countHeads([member], everyoneAlone(2)).weights[0]).toBeCloseTo(weight, 3);
  });

  test("gap: unknown power weighs 1", () => {
    const member = sampleMember([{ voter: 0, isPowerUnknown: true }]);
    expect([...countHeads([member], everyoneAlone(1)).weights]).toStrictEqual([1]);
  });

  test("a head of several wallets weighs by their joint share", () => {
    const votes = [0, 1, 2, 3].map((voter) => ({ voter, power: 3e-7 }));
    const member = sampleMember([...votes, { voter: 4, power: 1 }]);
    const apart = countHeads([member], everyoneAlone(5));
    const together = countHeads([member], Int32Array.from([0, 0, 0, 0, 4]));
    expect(apart.weights[0]).toBeCloseTo(0.2 / 3, 4);
    expect([...together.weights]).toStrictEqual([1, 1]);
    expect([...together.perProposal]).toStrictEqual([2]);
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
    const heads = countHeads(members, everyoneAlone(2));
    expect(heads.weights[0]).toBeCloseTo((0.5 * 1 + 1 * 0.5) / 1.5, 5);
    expect([...heads.attendance]).toStrictEqual([0.75, 1]);
    expect(heads.perProposal[2]).toBe(1);
  });
});

test("nobody", () => {
  expect(countHeads([], everyoneAlone(0)).heads).toHaveLength(0);
  const heads = countHeads([sampleMember([])], everyoneAlone(3));
  expect(heads.heads).toHaveLength(0);
  expect([...heads.perProposal]).toStrictEqual([0]);
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
