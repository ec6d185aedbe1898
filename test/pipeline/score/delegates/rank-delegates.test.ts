import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ListedDelegate } from "../../../../pipeline/facts/delegation.ts";
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

  // The rest of the total belongs to one other delegate.
  test.each([
    { why: "boundary: exactly one per cent", votes: 10n ** 22n, total: 10n ** 24n, tier: "T1" },
    {
      why: "one unit less, beyond what a double can tell",
      votes: 10n ** 22n - 1n,
      total: 10n ** 24n,
      tier: "T2",
    },
    { why: "boundary: exactly a thousandth", votes: 10n ** 21n, total: 10n ** 24n, tier: "T2" },
    { why: "one unit less", votes: 10n ** 21n - 1n, total: 10n ** 24n, tier: "T3" },
    { why: "low: one unit", votes: 1n, total: 10n ** 24n, tier: "T3" },
    { why: "high: all", votes: 7n, total: 7n, tier: "T1" },
  ])("$why is $tier", ({ votes, total, tier }) => {
    const rest = total === votes ? [] : [delegate("0xrest", total - votes)];
    const row = rank([delegate("0xme", votes), ...rest]).delegates.find(({ address }) => address === "0xme");
    expect(row?.weightTier).toBe(tier);
  });

  test("order of arrival is nothing", () => {
    const rows = fc.array(fc.record({ votes: fc.bigInt(0n, 9n), count: fc.nat(2) }), { maxLength: 12 });
    fc.assert(
      fc.property(rows, (list) => {
        const delegates = list.map(({ votes, count }, index) => delegate(`0x${index}`, votes, count));
        expect(rank([...delegates].reverse())).toStrictEqual(rank(delegates));
      }),
    );
  });

  test("gap: nobody", () => {
    expect(rank([])).toMatchObject({ total: 0n, delegates: [] });
  });
});

describe("concentration of delegated power", () => {
  const levelOf = (ranking: DelegateRanking | undefined, asOfMs: number) =>
    delegateCentralizationAt(measureDelegation(ranking), asOfMs);

  test.each([
    { why: "alone", votes: [5], points: 10_000 },
    { why: "30/30/20/20", votes: [30, 30, 20, 20], points: 2600 },
    { why: "a hundred equal", votes: Array<number>(100).fill(3), points: 100 },
    { why: "in wei", votes: [3n * 10n ** 26n, 10n ** 26n], points: 6250 },
  ])("$why", ({ votes, points }) => {
    expect(measureDelegation(rank(ofVotes(votes)))?.hhiPoints).toBeCloseTo(points, 6);
  });

  test("gap: of no power", () => {
    expect(measureDelegation(rank([]))).toBeUndefined();
  });

  // a² + (100 − a)·1 of a hundred: one of `a` per cent and singles.
  const oneOf = (percent: number) => ofVotes([percent * 100, ...Array<number>(100 - percent).fill(100)]);
  test.each([
    { why: "low: ten equal are 1000, no more low", delegates: ofVotes(Array(10).fill(1)), level: "moderate" },
    { why: "eleven equal are 909", delegates: ofVotes(Array(11).fill(1)), level: "low" },
    { why: "1657", delegates: oneOf(40), level: "moderate" },
    {
      why: "boundary: 40/10/10 and 40 singles of 1: 1840",
      delegates: ofVotes([40, 10, 10, ...Array<number>(40).fill(1)]),
      level: "high",
    },
    { why: "boundary: 2500 is critical", delegates: ofVotes([1, 1, 1, 1]), level: "critical" },
    { why: "five equal are 2000", delegates: ofVotes([1, 1, 1, 1, 1]), level: "high" },
    { why: "high", delegates: ofVotes([1]), level: "critical" },
  ])("$why", ({ delegates, level }) => {
    expect(levelOf(rank(delegates), T)).toBe(level);
  });

  test.each([
    { why: "of today", asOfMs: T, level: "critical" },
    {
      why: "boundary: 45 days before t means after t − 45 days",
      asOfMs: T - 45 * DAY + 1,
      level: "critical",
    },
    { why: "exactly 45 days old", asOfMs: T - 45 * DAY, level: "unknown" },
    { why: "of tomorrow", asOfMs: T + 1, level: "unknown" },
  ])("$why is $level", ({ asOfMs, level }) => {
    expect(levelOf(rank(ofVotes([1]), asOfMs), T)).toBe(level);
  });

  test("gap: no data, no time, nobody with power", () => {
    const untimed = { ...rank(ofVotes([1])), asOfMs: undefined };
    expect(levelOf(undefined, T)).toBe("unknown");
    expect(levelOf(untimed, T)).toBe("unknown");
    expect(levelOf(rank([]), T)).toBe("unknown");
  });
});
