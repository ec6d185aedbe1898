import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ListedDelegate } from "../../../../pipeline/facts/dao-facts.ts";
import {
  type DelegateRanking,
  delegateCentralizationAt,
  measureDelegation,
  rankDelegates,
} from "../../../../pipeline/score/delegates/rank-delegates.ts";
import { DAY, T } from "../sample-facts.ts";

const delegate = (address: string, votes: bigint, delegatorsCount = 1): ListedDelegate => ({
  address,
  votes,
  delegatorsCount,
  ens: undefined,
});
const rank = (delegates: readonly ListedDelegate[], asOfMs: number | undefined = T) =>
  rankDelegates({ date: "2025-06-29", asOfMs, fetchedAtMs: T, decimals: 0, delegates });
const ofVotes = (votes: readonly (number | bigint)[]) =>
  votes.map((value, index) => delegate(`0x${String(index).padStart(3, "0")}`, BigInt(value)));

describe("order and tiers", () => {
  test("votes, then delegators, then address; power of 0 is no delegate", () => {
    const ranking = rank([
      delegate("0xd", 5n, 2),
      delegate("0xz", 0n, 99),
      delegate("0xc", 5n, 3),
      delegate("0xb", 5n, 2),
      delegate("0xa", 10n ** 30n, 1),
    ]);
    expect(ranking.delegates.map(({ rank: index, address }) => `${index} ${address}`)).toStrictEqual([
      "1 0xa",
      "2 0xc",
      "3 0xb",
      "4 0xd",
    ]);
    expect(ranking.total).toBe(10n ** 30n + 15n);
  });

  const whole = 10n ** 24n;
  test.each<[tier: string, why: string, votes: bigint, total: bigint]>([
    ["T1", "boundary: exactly one per cent", whole / 100n, whole],
    ["T2", "a unit less, which a double does not show", whole / 100n - 1n, whole],
    ["T2", "boundary: exactly a thousandth", whole / 1000n, whole],
    ["T3", "a unit less", whole / 1000n - 1n, whole],
    ["T3", "low: one unit", 1n, whole],
    ["T1", "high: all", 7n, 7n],
  ])("%s: %s", (tier, _, votes, total) => {
    // The rest belongs to one other delegate.
    const rest = total === votes ? [] : [delegate("0xrest", total - votes)];
    const row = rank([delegate("0xme", votes), ...rest]).delegates.find(({ address }) => address === "0xme");
    expect(row?.weightTier).toBe(tier);
  });

  test("the order of the input does not matter", () => {
    const rows = fc.array(fc.record({ votes: fc.bigInt(0n, 9n), count: fc.nat(2) }), { maxLength: 12 });
    fc.assert(
      fc.property(rows, (list) => {
        const delegates = list.map(({ votes, count }, index) => delegate(`0x${index}`, votes, count));
        expect(rank([...delegates].reverse())).toStrictEqual(rank(delegates));
      }),
    );
  });

  test("unknown: nobody", () => {
    expect(rank([])).toMatchObject({ total: 0n, delegates: [] });
  });
});

describe("concentration of delegated power", () => {
  const levelOf = (ranking: DelegateRanking | undefined) =>
    delegateCentralizationAt(measureDelegation(ranking), T);

  test.each<[why: string, votes: (number | bigint)[], points: number, level: string]>([
    ["high: alone", [5], 10_000, "critical"],
    ["30/30/20/20", [30, 30, 20, 20], 2600, "critical"],
    ["boundary: 2500 is critical", [1, 1, 1, 1], 2500, "critical"],
    ["five equal", [1, 1, 1, 1, 1], 2000, "high"],
    ["boundary: above 1800", [40, 10, 10, ...Array<number>(40).fill(1)], 1840, "high"],
    ["40 and 60 singles of a hundred", [40, ...Array<number>(60).fill(1)], 1660, "moderate"],
    ["boundary: ten equal are 1000, no more low", Array<number>(10).fill(1), 1000, "moderate"],
    ["eleven equal", Array<number>(11).fill(1), 10_000 / 11, "low"],
    ["low: a hundred equal", Array<number>(100).fill(3), 100, "low"],
    ["in wei", [3n * 10n ** 26n, 10n ** 26n], 6250, "critical"],
  ])("%s", (_, votes, points, level) => {
    const ranking = rank(ofVotes(votes));
    expect(measureDelegation(ranking)?.hhiPoints).toBeCloseTo(points, 6);
    expect(levelOf(ranking)).toBe(level);
  });

  test.each<[why: string, asOfMs: number, level: string]>([
    ["today", T, "critical"],
    ["boundary: after t − 45 days", T - 45 * DAY + 1, "critical"],
    ["exactly 45 days old", T - 45 * DAY, "unknown"],
    ["tomorrow", T + 1, "unknown"],
  ])("data of %s", (_, asOfMs, level) => {
    expect(levelOf(rank(ofVotes([1]), asOfMs))).toBe(level);
  });

  test.each<[why: string, ranking: DelegateRanking | undefined]>([
    ["no data", undefined],
    ["no time", { ...rank(ofVotes([1])), asOfMs: undefined }],
    ["nobody with power", rank([])],
  ])("unknown: %s", (_, ranking) => {
    expect(measureDelegation(ranking)).toBeUndefined();
    expect(levelOf(ranking)).toBe("unknown");
  });
});
