import { describe, expect, it } from "vitest";
import { buildDelegateListing } from "../../../pipeline/documents/delegate-listing.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import { AS_OF_MS, DAY_MS, type DelegateOptions, rankingOf, scoredDao } from "./scored-daos.ts";

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
