import { describe, expect, it } from "vitest";
import { buildDelegateItems, listedDelegates } from "../../../pipeline/documents/delegate-listing.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import { entityOf, rankingOf, walletOf } from "./scored-daos.ts";

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
