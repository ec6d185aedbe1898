import { describe, expect, it } from "vitest";
import { type Change, changeAt, changed, inLatest, inListing } from "../../changed-set.ts";

describe("checkListing", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "two listings of one DAO",
      change: (set) => ({ listings: [...set.listings, set.listings[1]!] }),
      message: /two documents have the same path/,
    },
    {
      why: "tiers that do not add up",
      change: inLatest(({ summary }) => ({ summary: { ...summary, t3_voting_power_pct: 0 } })),
      message: /does not add up to 100/,
    },
    {
      why: "a total below the rows",
      change: inLatest(() => ({ total_delegates: 200 })),
      message: /exceeds total_delegates/,
    },
    {
      why: "a total above the rows",
      change: inLatest(() => ({ total_delegates: 303 })),
      message: /does not contain total_delegates rows/,
    },
    {
      why: "a delegate missing from the first hundred",
      change: inLatest(({ delegates }) => ({ delegates: delegates.slice(1) })),
      message: /first by rank are missing/,
    },
    {
      why: "rows out of order",
      change: inLatest(({ delegates }) => ({
        delegates: [delegates[1]!, delegates[0]!, ...delegates.slice(2)],
      })),
      message: /ranks are not ascending/,
    },
    {
      why: "an address listed twice",
      change: inLatest(({ delegates }) => ({
        delegates: changeAt(delegates, 1, (item) => ({ ...item, address: delegates[0]!.address })),
      })),
      message: /lists an address twice/,
    },
    {
      why: "a lighter delegate before a heavier",
      change: inLatest(({ delegates }) => ({
        delegates: changeAt(delegates, 1, (item) => ({ ...item, votes_human: 9999 })),
      })),
      message: /delegates are not ranked by votes/,
    },
    {
      why: "a tier out of order",
      change: inLatest(({ delegates }) => ({
        delegates: changeAt(delegates, 0, (item) => ({ ...item, weight_tier: "T3" })),
      })),
      message: /heavier tier/,
    },
    {
      why: "shares above 100 %",
      change: inLatest(({ delegates }) => ({
        delegates: delegates.map((item) => ({ ...item, votes_share_pct: 50 })),
      })),
      message: /listed shares exceed/,
    },
    {
      why: "the listing of another DAO",
      change: inLatest(() => ({ dao: "orchard" })),
      message: /listing of another DAO/,
    },
    {
      why: "a listing of tomorrow",
      change: inListing(({ dated }) => ({ dated: [{ ...dated[0]!, date: "2026-04-01" }] })),
      message: /is dated after as_of/,
    },
    {
      why: "days out of order",
      change: inListing(({ dated }) => ({ dated: dated.toReversed() })),
      message: /not sorted by day/,
    },
    {
      why: "a whole ranking with a hole",
      change: inListing(({ all }) => ({ all: changeAt(all, 300, (item) => ({ ...item, rank: 999 })) })),
      message: /all\.csv: ranks are not 1 to n/,
    },
    {
      why: "a whole ranking that ranks another first",
      change: inListing(({ all }) => ({
        all: changeAt(
          changeAt(all, 0, (item) => ({ ...item, address: all[1]!.address })),
          1,
          (item) => ({ ...item, address: all[0]!.address }),
        ),
      })),
      message: /another rank in the whole ranking/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});
