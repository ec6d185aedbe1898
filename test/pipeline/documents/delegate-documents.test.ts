import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildDelegateListing, listedDelegates } from "../../../pipeline/documents/delegate-documents.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { DelegateRanking } from "../../../pipeline/score/delegates/rank-delegates.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
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

const listingOf = (ranking: DelegateRanking, entities = NOBODY) =>
  buildDelegateListing(scoredDao({ latestDelegates: ranking }), entities);
const latestOf = (delegates: readonly DelegateOptions[]) => listingOf(rankingOf(delegates))?.latest;
const delegate = (wallet: number, votes: bigint, delegators = 1): DelegateOptions => ({
  wallet,
  votes,
  delegators,
});

describe("buildDelegateListing", () => {
  it.each<[why: string, delegates: DelegateOptions[], total: number, pct: number[], average: number[]]>([
    ["nobody holds power: 0, not NaN", [], 0, [0, 0, 0], [0, 0]],
    ["one holds it all", [delegate(1, 1n, 3)], 1, [100, 0, 0], [3, 0]],
    ["power of 0 is not counted", [delegate(1, 5n), delegate(2, 0n)], 1, [100, 0, 0], [1, 0]],
    [
      "on the cuts: a hundredth is T1, a thousandth T2",
      [delegate(1, 9_889n, 2), delegate(2, 100n, 3), delegate(3, 10n, 7), delegate(4, 1n)],
      4,
      [99.89, 0.1, 0.01],
      [2.5, 7],
    ],
    [
      "averages have two decimals",
      [delegate(1, 1n), delegate(2, 1n), delegate(3, 1n, 0)],
      3,
      [100, 0, 0],
      [0.67, 0],
    ],
  ])("%s", (_, delegates, total, [t1, t2, t3], [average1, average2]) => {
    expect(latestOf(delegates)).toMatchObject({
      total_delegates: total,
      summary: {
        t1_voting_power_pct: t1,
        t2_voting_power_pct: t2,
        t3_voting_power_pct: t3,
        t1_avg_delegators: average1,
        t2_avg_delegators: average2,
      },
    });
  });

  it("counts in the summary the delegates that are not listed", () => {
    const many = Array.from({ length: 300 }, (_, index) => delegate(index + 2, 1n));
    const latest = latestOf([delegate(1, 1_000_000n), ...many]);
    expect([latest?.delegates.length, latest?.total_delegates]).toEqual([101, 301]);
    expect(latest?.summary.t3_voting_power_pct).toBe(0.03);
  });

  it("contains each day with its source and the whole ranking, also for a DAO without a score", () => {
    const latestDelegates = rankingOf([delegate(2, 123n, 4)]);
    const list = rankingOf([delegate(1, 5n)], { atMs: AS_OF_MS - DAY_MS });
    const logs = { ...rankingOf([delegate(1, 20n), delegate(2, 103n)]), lastBlock: 77 };
    const unscored = "TOO_LITTLE_KNOWN" as const;
    const scored = scoredDao({ unscored, latestDelegates, datedDelegates: [list, logs] });
    const listing = buildDelegateListing(scored, NOBODY);
    expect(listing?.latest.fetched_at).toBe("2026-04-01T00:59:59.999Z");
    expect(listing?.all).toEqual(listing?.latest.delegates);
    expect(
      listing?.dated.map(({ listing: { delegates }, ...day }) => ({
        ...day,
        votes: delegates[0]?.votes_human,
      })),
    ).toEqual([
      {
        date: "2026-03-30",
        block: null,
        as_of: timestampOf(AS_OF_MS - DAY_MS),
        source: "list",
        delegates: 1,
        total_votes: 0.05,
        votes: 0.05,
      },
      {
        date: "2026-03-31",
        block: 77,
        as_of: timestampOf(AS_OF_MS),
        source: "logs",
        delegates: 2,
        total_votes: 1.23,
        votes: 1.03,
      },
    ]);
  });

  it("is undefined without complete data, and throws on the impossible", () => {
    expect(buildDelegateListing(scoredDao(), NOBODY)).toBeUndefined();
    const dated = scoredDao({ datedDelegates: [rankingOf([])] });
    expect(() => buildDelegateListing(dated, NOBODY)).toThrow("without a latest");
    const withTotal = (total: bigint) => () => listingOf({ ...rankingOf([delegate(1, 2n)]), total });
    expect(withTotal(3n)).toThrow("not their total");
    expect(withTotal(1n)).toThrow("a part is larger than its total");
  });
});

describe("listedDelegates", () => {
  type Ranks = readonly (readonly [from: number, to: number])[];
  it.each<{ why: string; tiers: readonly [t1: number, t2: number, t3: number]; ranks: Ranks }>([
    { why: "nobody", tiers: [0, 0, 0], ranks: [] },
    { why: "fewer than a hundred in all", tiers: [10, 20, 30], ranks: [[1, 60]] },
    { why: "exactly a hundred of the first tier", tiers: [100, 0, 0], ranks: [[1, 100]] },
    { why: "exactly a hundred of each of two tiers", tiers: [0, 100, 100], ranks: [[1, 200]] },
    { why: "of a hundred and one of a tier the last is cut", tiers: [0, 0, 101], ranks: [[1, 100]] },
    {
      why: "a hundred by rank and a hundred of each tier",
      tiers: [12, 130, 160],
      ranks: [
        [1, 112],
        [143, 242],
      ],
    },
  ])("$why", ({ tiers, ranks }) => {
    // Heaviest first. T1 needs a hundredth of all, so at most 100 fit.
    const votes = tiers.flatMap((count, tier) =>
      Array<bigint>(count).fill([10_000_000n, 1_000_000n, 1n][tier] ?? 0n),
    );
    const { delegates } = rankingOf(votes.map((each, index) => delegate(index + 1, each)));
    const want = ranks.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    expect(listedDelegates(delegates).map(({ rank }) => rank)).toEqual(want);
  });
});

describe("the row of a delegate", () => {
  const hidden = entityOf("hush", { label: "Hush.example", wallets: [walletOf(3)], isOptedOut: true });
  const entities = publicEntities({ daos: [], entities: [hidden] });

  it.each<[why: string, wallet: number, ens: string | undefined, name: string | undefined]>([
    ["has a name", 1, "a.example", "a.example"],
    ["has none", 1, undefined, undefined],
    ["has an empty one", 1, "", undefined],
    ["has one that cleaning would turn into another", 1, "a\u200B.example", undefined],
    ["has one that is too long to be shown whole", 1, `${"a".repeat(100)}.x`, undefined],
    ["belongs to an opted-out entity", 3, "a.example", undefined],
    ["has the name of an opted-out entity", 1, "hush.example", undefined],
  ])("has a name, or a bare address: one that %s", (_, wallet, ens, name) => {
    const ranking = rankingOf([{ wallet, votes: 1n, ...(ens === undefined ? {} : { ens }) }]);
    const [item] = listingOf(ranking, entities)?.all ?? [];
    const { address, display_name, ...rest } = item ?? expect.fail("a delegate has a row");
    expect([address, display_name]).toEqual([walletOf(wallet), name ?? `0x0000…000${wallet}`]);
    expect("ens" in rest ? rest.ens : "no field").toBe(name ?? "no field");
  });

  const votesInUnits = (votes: bigint, decimals: number) =>
    listingOf(rankingOf([delegate(1, votes)], { decimals }))?.all[0]?.votes_human ?? Number.NaN;

  it.each<[why: string, votes: bigint, decimals: number, want: number]>([
    ["the smallest unit there is", 1n, 18, 1e-18],
    ["less than one", 5n, 2, 0.05],
    ["dividing doubles would miss it", 9_007_199_254_740_993_000n, 18, 9.007199254740993],
    ["more than a double can count", 10n ** 30n + 1n, 0, 1e30],
  ])("has its votes in whole tokens: %s", (_, votes, decimals, want) => {
    expect(votesInUnits(votes, decimals)).toBe(want);
  });

  it("has the nearest double of its votes: neither neighbour is closer", () => {
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

  it.each<[why: string, part: bigint, total: bigint, want: number]>([
    ["all", 10n ** 40n, 10n ** 40n, 100],
    ["a third", 1n, 3n, 33.33],
    ["two thirds round up", 2n, 3n, 66.67],
    ["half of a hundredth rounds as its double does", 12_345n, 100_000n, 12.35],
    ["less than half of a hundredth", 10n ** 36n - 1n, 2n * 10n ** 40n, 0],
    ["all but the smallest unit still rounds to all", 10n ** 25n - 1n, 10n ** 25n, 100],
  ])("has its share of all power: %s", (_, part, total, want) => {
    const rows = listingOf(rankingOf([delegate(1, part), delegate(2, total - part)]))?.all;
    expect(rows?.find(({ address }) => address === walletOf(1))?.votes_share_pct).toBe(want);
  });
});
