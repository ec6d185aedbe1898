import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildDelegateItems,
  buildDelegateListing,
  exactPercent,
  listedDelegates,
  votesInUnits,
} from "../../../pipeline/documents/delegate-listing.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import {
  AS_OF_MS,
  DAY_MS,
  type DelegateOptions,
  entityOf,
  rankingOf,
  scoredDao,
  walletOf,
} from "./scored-daos.ts";

const NOBODY = publicEntities({ daos: [], entities: [] });

const latestOf = (delegates: readonly DelegateOptions[]) =>
  buildDelegateListing(scoredDao({ latestDelegates: rankingOf(delegates) }), NOBODY)?.latest;

describe("buildDelegateListing", () => {
  it.each<{ why: string; delegates: DelegateOptions[]; total: number; pct: number[]; average: number[] }>([
    { why: "nobody holds power: 0, not NaN", delegates: [], total: 0, pct: [0, 0, 0], average: [0, 0] },
    {
      why: "one holds it all",
      delegates: [{ wallet: 1, votes: 1n, delegators: 3 }],
      total: 1,
      pct: [100, 0, 0],
      average: [3, 0],
    },
    {
      why: "power of 0 is not counted",
      delegates: [
        { wallet: 1, votes: 5n },
        { wallet: 2, votes: 0n },
      ],
      total: 1,
      pct: [100, 0, 0],
      average: [1, 0],
    },
    {
      why: "on the cuts: a hundredth is T1, a thousandth T2",
      delegates: [
        { wallet: 1, votes: 9_889n, delegators: 2 },
        { wallet: 2, votes: 100n, delegators: 3 },
        { wallet: 3, votes: 10n, delegators: 7 },
        { wallet: 4, votes: 1n, delegators: 1 },
      ],
      total: 4,
      pct: [99.89, 0.1, 0.01],
      average: [2.5, 7],
    },
    {
      why: "averages have two decimals",
      delegates: [
        { wallet: 1, votes: 1n, delegators: 1 },
        { wallet: 2, votes: 1n, delegators: 1 },
        { wallet: 3, votes: 1n, delegators: 0 },
      ],
      total: 3,
      pct: [100, 0, 0],
      average: [0.67, 0],
    },
  ])("$why", ({ delegates, total, pct, average }) => {
    const latest = latestOf(delegates);
    expect(latest?.total_delegates).toBe(total);
    expect(latest?.summary).toEqual({
      t1_voting_power_pct: pct[0],
      t2_voting_power_pct: pct[1],
      t3_voting_power_pct: pct[2],
      t1_avg_delegators: average[0],
      t2_avg_delegators: average[1],
    });
  });

  it("counts in the summary who is not listed", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ wallet: index + 2, votes: 1n, delegators: 1 }));
    const latest = latestOf([{ wallet: 1, votes: 1_000_000n }, ...many]);
    expect(latest?.delegates).toHaveLength(101);
    expect(latest?.total_delegates).toBe(301);
    expect(latest?.summary.t3_voting_power_pct).toBe(0.03);
  });

  it("exists for a DAO without a score, and holds every day and the whole list", () => {
    const listing = buildDelegateListing(
      scoredDao({
        unscored: "TOO_LITTLE_KNOWN",
        latestDelegates: rankingOf([{ wallet: 2, votes: 123n, delegators: 4 }]),
        datedDelegates: [
          rankingOf([{ wallet: 1, votes: 5n }], { atMs: AS_OF_MS - DAY_MS }),
          rankingOf([{ wallet: 2, votes: 123n }]),
        ],
      }),
      NOBODY,
    );
    expect(listing?.latest.fetched_at).toBe("2026-04-01T00:59:59.999Z");
    expect(listing?.all).toEqual(listing?.latest.delegates);
    expect(listing?.dated.map(({ date, listing: of }) => [date, of.delegates[0]?.votes_human])).toEqual([
      ["2026-03-30", 0.05],
      ["2026-03-31", 1.23],
    ]);
  });

  it("tells of each day what it was made from", () => {
    const listing = buildDelegateListing(
      scoredDao({
        latestDelegates: rankingOf([{ wallet: 2, votes: 123n, delegators: 4 }]),
        datedDelegates: [
          rankingOf([{ wallet: 1, votes: 5n }], { atMs: AS_OF_MS - DAY_MS }),
          {
            ...rankingOf([
              { wallet: 1, votes: 20n },
              { wallet: 2, votes: 103n },
            ]),
            lastBlock: 77,
          },
        ],
      }),
      NOBODY,
    );
    expect(listing?.dated.map(({ listing: _, ...day }) => day)).toEqual([
      {
        date: "2026-03-30",
        block: null,
        as_of: new Date(AS_OF_MS - DAY_MS).toISOString(),
        source: "list",
        delegates: 1,
        total_votes: 0.05,
      },
      {
        date: "2026-03-31",
        block: 77,
        as_of: new Date(AS_OF_MS).toISOString(),
        source: "logs",
        delegates: 2,
        total_votes: 1.23,
      },
    ]);
  });

  it("makes none without complete data, and stops on the impossible", () => {
    expect(buildDelegateListing(scoredDao(), NOBODY)).toBeUndefined();
    const dated = scoredDao({ datedDelegates: [rankingOf([])] });
    expect(() => buildDelegateListing(dated, NOBODY)).toThrow("without a latest");
    const wrongTotal = scoredDao({
      latestDelegates: { ...rankingOf([{ wallet: 1, votes: 2n }]), total: 3n },
    });
    expect(() => buildDelegateListing(wrongTotal, NOBODY)).toThrow("not their total");
  });
});

/** So many delegates of each tier, heaviest first. T1 needs a hundredth of all, so at most 100 fit. */
function tiersOf(t1: number, t2: number, t3: number) {
  const votes = [
    ...Array.from({ length: t1 }, () => 10_000_000n),
    ...Array.from({ length: t2 }, () => 1_000_000n),
    ...Array.from({ length: t3 }, () => 1n),
  ];
  return rankingOf(votes.map((each, index) => ({ wallet: index + 1, votes: each })));
}

describe("listedDelegates", () => {
  it.each([
    { why: "nobody", tiers: [0, 0, 0], ranks: [] },
    { why: "one", tiers: [1, 0, 0], ranks: [[1, 1]] },
    { why: "fewer than a hundred in all", tiers: [10, 20, 30], ranks: [[1, 60]] },
    { why: "exactly a hundred of each of two tiers", tiers: [0, 100, 100], ranks: [[1, 200]] },
    {
      why: "one more than a hundred of a tier: the last is cut",
      tiers: [0, 101, 100],
      ranks: [
        [1, 100],
        [102, 201],
      ],
    },
    {
      why: "a hundred by rank and a hundred of each tier",
      tiers: [12, 130, 160],
      ranks: [
        [1, 112],
        [143, 242],
      ],
    },
  ])("$why", ({ tiers, ranks }) => {
    const [t1 = 0, t2 = 0, t3 = 0] = tiers;
    const { delegates } = tiersOf(t1, t2, t3);
    const want = ranks.flatMap(([from = 0, to = 0]) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i),
    );
    const got = listedDelegates(delegates).map(({ rank }) => rank);
    expect(delegates).toHaveLength(t1 + t2 + t3);
    expect(got).toEqual(want);
  });
});

describe("buildDelegateItems", () => {
  const hidden = entityOf("hush", { label: "Hush.example", wallets: [walletOf(3)], isOptedOut: true });
  const entities = publicEntities({ daos: [], entities: [hidden] });

  it.each([
    { why: "has a name", wallet: 1, ens: "a.example", name: "a.example" },
    { why: "has none", wallet: 1, ens: undefined, name: undefined },
    { why: "has an empty one", wallet: 1, ens: "", name: undefined },
    {
      why: "has one that cleaning would turn into another",
      wallet: 1,
      ens: "a\u200B.example",
      name: undefined,
    },
    {
      why: "has one that is too long to be shown whole",
      wallet: 1,
      ens: `${"a".repeat(100)}.x`,
      name: undefined,
    },
    { why: "belongs to an opted-out entity", wallet: 3, ens: "a.example", name: undefined },
    { why: "is called like an opted-out entity", wallet: 1, ens: "hush.example", name: undefined },
  ])("a delegate that $why", ({ wallet, ens, name }) => {
    const ranking = rankingOf([{ wallet, votes: 1n, ...(ens === undefined ? {} : { ens }) }]);
    const [item] = buildDelegateItems(ranking.delegates, ranking, entities);
    const address = walletOf(wallet);
    expect(item?.address).toBe(address);
    expect(item?.ens).toBe(name);
    expect(item).toHaveProperty("display_name", name ?? `0x0000…000${wallet}`);
    expect(Object.keys(item ?? {}).includes("ens")).toBe(name !== undefined);
  });
});

describe("votesInUnits", () => {
  it.each([
    { why: "nothing", votes: 0n, decimals: 18, want: 0 },
    { why: "the smallest unit there is", votes: 1n, decimals: 18, want: 1e-18 },
    { why: "no decimals", votes: 7n, decimals: 0, want: 7 },
    { why: "less than one", votes: 5n, decimals: 2, want: 0.05 },
    { why: "as many digits as decimals", votes: 12n, decimals: 2, want: 0.12 },
    {
      why: "dividing doubles would miss it",
      votes: 9_007_199_254_740_993_000n,
      decimals: 18,
      want: 9.007199254740993,
    },
    { why: "more than a double can count", votes: 10n ** 30n + 1n, decimals: 0, want: 1e30 },
  ])("$why", ({ votes, decimals, want }) => {
    expect(votesInUnits(votes, decimals)).toBe(want);
  });

  it("is the nearest double: neither neighbour is closer", () => {
    // A double of 1 or more is a whole number of 2^-60, so this comparison rounds nothing.
    const inParts = (value: number) => BigInt(value * 2 ** 60);
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 25n }),
        fc.constantFrom(0, 2, 6, 18),
        (votes, decimals) => {
          const value = votesInUnits(votes, decimals);
          if (value < 1) return;
          const wanted = votes * 2n ** 60n;
          const distance = (candidate: number) => {
            const difference = inParts(candidate) * 10n ** BigInt(decimals) - wanted;
            return difference < 0n ? -difference : difference;
          };
          const step = 2 ** (Math.floor(Math.log2(value)) - 52);
          expect(distance(value)).toBeLessThanOrEqual(distance(value + step));
          expect(distance(value)).toBeLessThanOrEqual(distance(value - step));
        },
      ),
    );
  });
});

describe("exactPercent", () => {
  it.each([
    { why: "nothing of nothing", part: 0n, total: 0n, want: 0 },
    { why: "nothing of something", part: 0n, total: 3n, want: 0 },
    { why: "all", part: 10n ** 40n, total: 10n ** 40n, want: 100 },
    { why: "a third", part: 1n, total: 3n, want: 33.33 },
    { why: "two thirds round up", part: 2n, total: 3n, want: 66.67 },
    { why: "half of a hundredth rounds as its double does", part: 12_345n, total: 100_000n, want: 12.35 },
    { why: "less than half of a hundredth", part: 10n ** 36n - 1n, total: 2n * 10n ** 40n, want: 0 },
    {
      why: "all but the smallest unit still rounds to all",
      part: 10n ** 25n - 1n,
      total: 10n ** 25n,
      want: 100,
    },
  ])("$why", ({ part, total, want }) => {
    expect(exactPercent(part, total)).toBe(want);
  });

  it("stops on a part larger than its total", () => {
    expect(() => exactPercent(2n, 1n)).toThrow("larger");
    expect(() => exactPercent(-1n, 1n)).toThrow("larger");
  });
});
