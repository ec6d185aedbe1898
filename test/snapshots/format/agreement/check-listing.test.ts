import { describe, expect, it } from "vitest";
import type { DelegateItem } from "../../../../snapshots/format/delegates.ts";
import type { Ranking } from "../../../../snapshots/format/rankings.ts";
import { type Change, changeAt, changed, inDao, inDetail, inLatest, inListing } from "../../changed-set.ts";

/** A change of the power of the tiers in the first listing. */
const inTiers = (t1: number, t2: number, t3: number): Change =>
  inLatest(({ summary }) => ({
    summary: { ...summary, t1_voting_power_pct: t1, t2_voting_power_pct: t2, t3_voting_power_pct: t3 },
  }));

/** A change of each row of the first listing. */
const inRows = (change: (row: DelegateItem) => Partial<DelegateItem>): Change =>
  inLatest(({ delegates }) => ({ delegates: delegates.map((row) => ({ ...row, ...change(row) })) }));

describe("checkListing", () => {
  it.each<{ why: string; change: Change }>([
    { why: "tiers that miss 100 by rounding, low", change: inTiers(33.33, 33.33, 33.33) },
    { why: "tiers that miss 100 by rounding, high", change: inTiers(50, 25, 25.01) },
    {
      why: "rows that are equal in votes",
      change: inListing(({ latest, all }) => {
        const even = (rows: readonly DelegateItem[]) =>
          rows.map((row) => ({ ...row, votes_human: 1, votes_share_pct: 0.1 }));
        return { latest: { ...latest, delegates: even(latest.delegates) }, all: even(all) };
      }),
    },
  ])("takes $why", ({ change }) => {
    expect(changed(change)).not.toThrow();
  });

  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "tiers that do not add up",
      change: inLatest(({ summary }) => ({ summary: { ...summary, t3_voting_power_pct: 0 } })),
      message: /does not add up to 100/,
    },
    {
      why: "tiers that miss 100, low",
      change: inTiers(33.33, 33.33, 33.32),
      message: /does not add up to 100/,
    },
    { why: "tiers that miss 100, high", change: inTiers(50, 25, 25.02), message: /does not add up to 100/ },
    { why: "tiers of nothing", change: inTiers(0, 0, 0), message: /does not add up to 100/ },
    {
      why: "power of nobody",
      change: inLatest(() => ({ total_delegates: 0, delegates: [] })),
      message: /does not add up to 100/,
    },
    {
      why: "shares that rise",
      change: inRows(({ rank }) => ({ votes_share_pct: rank / 100 })),
      message: /delegates are not ranked by votes/,
    },
    {
      why: "a dated listing of another DAO",
      change: inListing(({ dated }) => ({
        dated: dated.map((day) => ({ ...day, listing: { ...day.listing, dao: "orchard" } })),
      })),
      message:
        /^delegates\/[a-z.-]+\/\d{4}-\d{2}\.ndjson: the line of \d{4}-\d{2}-\d{2} is the listing of another DAO/,
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
      message: /all\.csv: has another row than the listing at the same rank/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});

/** Changes one place of `rankings.json`. */
const inPlace =
  (index: number, change: Partial<Ranking>): Change =>
  ({ rankings }) => ({
    rankings: rankings.map((place, placeIndex) => (placeIndex === index ? { ...place, ...change } : place)),
  });

describe("checkDaos, and the shapes of DAOs", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    { why: "NaN", change: inDao(0, { gvs: Number.NaN }), message: /^daos\.json 0 gvs: / },
    {
      why: "infinity",
      change: inDao(0, { delta_24h: Number.POSITIVE_INFINITY }),
      message: /^daos\.json 0 delta_24h: /,
    },
    {
      why: "an unrounded score",
      change: inDao(1, { gvs: 5.501 }),
      message: /^daos\.json 1 gvs: not rounded/,
    },
    {
      why: "a space id that is a path",
      change: inDetail(() => ({ space_id: "../x" })),
      message: /space_id: /,
    },
    {
      why: "a DAO listed twice",
      change: (set) => ({ daos: [...set.daos, { ...set.daos[2]!, rank: 4 }] }),
      message: /^daos\.json: names a DAO twice/,
    },
    { why: "a hole in the ranks", change: inDao(2, { rank: 4 }), message: /ranks are not 1 to n/ },
    {
      why: "a better rank for a lower score",
      change: inDao(2, { gvs: 9 }),
      message: /DAOs are not ranked by gvs/,
    },
    {
      why: "a range of a DAO that is not listed",
      change: inPlace(0, { space_id: "another" }),
      message: /^rankings\.json: does not have the DAOs and ranks of daos\.json/,
    },
    {
      why: "another rank beside its range",
      change: inPlace(0, { rank: 2 }),
      message: /^rankings\.json: does not have the DAOs and ranks/,
    },
    {
      why: "a range beyond the last rank",
      change: inPlace(2, { worst: 4 }),
      message: /^rankings\.json: a range is not one of ranks/,
    },
    {
      why: "a range that ends before it begins",
      change: inPlace(2, { best: 3, worst: 2 }),
      message: /^rankings\.json: a range is not one of ranks/,
    },
    {
      why: "a weight without its ranks",
      change: inPlace(0, { weights: [] }),
      message: /^rankings\.json: does not have a rank for each change/,
    },
    {
      why: "a list of another moment",
      change: inDao(0, { last_calculated: "2026-03-30T23:59:59.999Z" }),
      message: /last_calculated is not as_of/,
    },
    {
      why: "a listed DAO without its detail",
      change: (set) => ({ details: set.details.slice(1) }),
      message: /daos\.json: the listed DAOs and the DAO details/,
    },
    {
      why: "a detail of another DAO",
      change: inDetail(() => ({ space_id: "another" })),
      message: /is listed without its detail/,
    },
    {
      why: "a detail of another name",
      change: inDetail(() => ({ name: "Another" })),
      message: /name is not that of daos\.json/,
    },
    {
      why: "another total of ranked DAOs",
      change: inDetail(({ rankings }) => ({ rankings: { ...rankings, overall: { rank: 1, total: 4 } } })),
      message: /rankings\.overall is not its place/,
    },
    {
      why: "another rank",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, overall: { ...rankings.overall, rank: 2 } },
      })),
      message: /rankings\.overall is not its place/,
    },
    {
      why: "another total of its category",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, category: { ...rankings.category, total: 9 } },
      })),
      message: /rankings\.category is not its place/,
    },
    {
      why: "a rank in another category",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, category: { ...rankings.category, category: "social" } },
      })),
      message: /rankings\.category is not its place/,
    },
    {
      why: "a wrong place in its category",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, category: { rank: 2, category: "defi", total: 2 } },
      })),
      message: /rankings\.category is not its place/,
    },
    {
      why: "a risk of a DAO that is not listed",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, space_id: "quiet-reef" })) }),
      message: /is of a DAO that is not listed/,
    },
    {
      why: "a risk level of another score",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, risk_level: "low" })) }),
      message: /risk_level is not that of risk_score/,
    },
    {
      why: "an unscored DAO that is scored",
      change: (set) => ({ unscored: changeAt(set.unscored, 0, (dao) => ({ ...dao, space_id: "orchard" })) }),
      message: /unscored\.json: names a DAO that is listed/,
    },
    {
      why: "an unscored DAO twice",
      change: (set) => ({ unscored: [...set.unscored, ...set.unscored] }),
      message: /unscored\.json: is not sorted/,
    },
    {
      why: "a name that would lie",
      change: inDao(0, { name: "Tide\u202Ewater" }),
      message: /^daos\.json 0 name: contains characters/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});
