import { describe, expect, it } from "vitest";
import type { PublishedListing, PublishedSet } from "../../../snapshots/format/published-set.ts";
import type { RunReport } from "../../../snapshots/format/run-report.ts";
import { assertPublishable } from "../../../snapshots/store/check-plan.ts";
import { renderDocuments } from "../../../snapshots/store/render-documents.ts";
import { FIXTURE_AS_OF_MS, publishedSet, runReport } from "../../support/published-set.ts";

type Change = (set: PublishedSet) => Partial<PublishedSet>;

/** The fixture with one change, and a run report that agrees with it. */
function changed(change: Change, run: Partial<RunReport> = {}): () => void {
  const set = { ...publishedSet(), ...change(publishedSet()) };
  const report = { ...runReport(set, FIXTURE_AS_OF_MS), ...run };
  return () => {
    renderDocuments(set, report);
    assertPublishable(set, report);
  };
}

/** Changes the one at `at`, leaves the others. */
function changeAt<Item>(items: readonly Item[], at: number, change: (item: Item) => Item): Item[] {
  return items.map((item, index) => (index === at ? change(item) : item));
}

const inListing =
  (change: (listing: PublishedListing) => Partial<PublishedListing>): Change =>
  (set) => ({ listings: changeAt(set.listings, 0, (listing) => ({ ...listing, ...change(listing) })) });

const inLatest = (
  change: (latest: PublishedListing["latest"]) => Partial<PublishedListing["latest"]>,
): Change => inListing(({ latest }) => ({ latest: { ...latest, ...change(latest) } }));

const inDao =
  (at: number, change: Partial<PublishedSet["daos"][number]>): Change =>
  (set) => ({ daos: changeAt(set.daos, at, (dao) => ({ ...dao, ...change })) });

const inDetail =
  (change: (detail: PublishedSet["details"][number]) => object): Change =>
  (set) => ({ details: changeAt(set.details, 0, (detail) => ({ ...detail, ...change(detail) })) });

describe("what may be published", () => {
  it("takes the fixture as it is", () => {
    expect(changed(() => ({}))).not.toThrow();
  });

  it.each<{ why: string; change: Change }>([
    { why: "no DGI", change: () => ({ dgi: undefined }) },
    { why: "no risk document at all", change: () => ({ risks: [] }) },
    { why: "no listing", change: () => ({ listings: [] }) },
    { why: "an empty DGI history", change: () => ({ dgiHistory: { period: "365d", values: [] } }) },
    {
      why: "two equal scores",
      change: (set) => ({
        daos: changeAt(set.daos, 1, (dao) => ({ ...dao, gvs: 7.25 })),
        details: changeAt(set.details, 1, (detail) => ({ ...detail, gvs: 7.25 })),
      }),
    },
    {
      why: "a listing of nobody",
      change: inListing(({ latest }) => ({
        all: [],
        dated: [],
        latest: {
          ...latest,
          total_delegates: 0,
          delegates: [],
          summary: {
            t1_voting_power_pct: 0,
            t2_voting_power_pct: 0,
            t3_voting_power_pct: 0,
            t1_avg_delegators: 0,
            t2_avg_delegators: 0,
          },
        },
      })),
    },
    {
      why: "tiers that miss 100 by rounding",
      change: inLatest(({ summary }) => ({
        summary: { ...summary, t3_voting_power_pct: Number((summary.t3_voting_power_pct - 0.01).toFixed(2)) },
      })),
    },
  ])("takes $why", ({ change }) => {
    expect(changed(change)).not.toThrow();
  });

  it.each<{ why: string; change: Change; message: RegExp }>([
    { why: "NaN", change: inDao(0, { gvs: Number.NaN }), message: /^daos\.json: 0\.gvs: / },
    {
      why: "infinity",
      change: inDao(0, { delta_24h: Number.POSITIVE_INFINITY }),
      message: /^daos\.json: 0\.delta_24h: /,
    },
    { why: "a score above 10", change: inDao(1, { gvs: 10.01 }), message: /^daos\.json: 1\.gvs: / },
    {
      why: "an unrounded score",
      change: inDao(1, { gvs: 5.501 }),
      message: /^daos\.json: 1\.gvs: not rounded/,
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
      message: /a lower gvs has the better rank/,
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
      why: "a label that is not that of the score",
      change: inDetail(({ components }) => ({
        components: { ...components, hpr: { score: 7.25, label: "Weak" } },
      })),
      message: /label of components\.hpr/,
    },
    {
      why: "another total of ranked DAOs",
      change: inDetail(({ rankings }) => ({ rankings: { ...rankings, overall: { rank: 1, total: 4 } } })),
      message: /rankings\.overall\.total/,
    },
    {
      why: "a wrong place in its category",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, category: { rank: 2, category: "defi", total: 2 } },
      })),
      message: /rankings\.category\.rank/,
    },
    {
      why: "an entity named that is not published",
      change: () => ({ entities: [] }),
      message: /top_entities names an entity that is not published/,
    },
    {
      why: "an entity named by another label",
      change: (set) => ({ entities: changeAt(set.entities, 0, (entity) => ({ ...entity, label: "Other" })) }),
      message: /by another label/,
    },
    {
      why: "an entity given twice",
      change: (set) => ({ entities: [...set.entities, ...set.entities] }),
      message: /entities: an entity_id is given twice/,
    },
    {
      why: "a wallet given to two entities",
      change: (set) => ({
        entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
      }),
      message: /holds a wallet that was given before/,
    },
    {
      why: "a risk of a DAO that is not listed",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, space_id: "quiet-reef" })) }),
      message: /assesses a DAO that is not listed/,
    },
    {
      why: "a risk level of another score",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, risk_level: "low" })) }),
      message: /risk_level is not that of risk_score/,
    },
    {
      why: "two risks of one DAO",
      change: (set) => ({ risks: [...set.risks, set.risks[0]!] }),
      message: /two risk assessments/,
    },
    {
      why: "an unscored DAO that is scored",
      change: (set) => ({ unscored: changeAt(set.unscored, 0, (dao) => ({ ...dao, space_id: "orchard" })) }),
      message: /unscored\.json: names a DAO that is listed/,
    },
    {
      why: "an unscored DAO twice",
      change: (set) => ({ unscored: [...set.unscored, ...set.unscored] }),
      message: /unscored\.json: is not in the order/,
    },
    {
      why: "a DGI of more DAOs than there are",
      change: (set) => ({ dgi: { ...set.dgi!, dao_count: 4 } }),
      message: /dao_count exceeds/,
    },
    {
      why: "a short DGI history",
      change: (set) => ({ dgiHistory: { ...set.dgiHistory!, period: "30d" } }),
      message: /is not the history of 365d/,
    },
    {
      why: "a DGI day given twice",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [...set.dgiHistory!.values, set.dgiHistory!.values.at(-1)!] },
      }),
      message: /dates do not rise/,
    },
    {
      why: "a DGI day that has not ended",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2026-04-01" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a DGI day 365 days before the last",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2025-03-31" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a history of tomorrow",
      change: (set) => ({
        histories: changeAt(set.histories, 0, (history) => ({
          ...history,
          points: [{ ...history.points[0]!, date: "2026-04-01" }],
        })),
      }),
      message: /had not ended/,
    },
    {
      why: "two listings of one DAO",
      change: (set) => ({ listings: [...set.listings, set.listings[1]!] }),
      message: /a DAO has two listings/,
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
      message: /does not hold total_delegates rows/,
    },
    {
      why: "a delegate missing from the first hundred",
      change: inLatest(({ delegates }) => ({ delegates: delegates.slice(1) })),
      message: /first by rank are not all there/,
    },
    {
      why: "rows out of order",
      change: inLatest(({ delegates }) => ({
        delegates: [delegates[1]!, delegates[0]!, ...delegates.slice(2)],
      })),
      message: /ranks do not rise/,
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
      message: /more votes have the worse rank/,
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
      message: /is of a day after as_of/,
    },
    {
      why: "days out of order",
      change: inListing(({ dated }) => ({ dated: dated.toReversed() })),
      message: /not in order of their days/,
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
    {
      why: "a name that would lie",
      change: inDao(0, { name: "Tide\u202Ewater" }),
      message: /^daos\.json: 0\.name: holds characters/,
    },
  ])("refuses $why", ({ change, message }) => {
    const refusal = changed(change);
    expect(refusal).toThrow(message);
    expect(refusal).toThrow(expect.objectContaining({ code: "DOCUMENT_INVALID" }) as Error);
  });

  it.each<{ why: string; run: Partial<RunReport>; message: RegExp }>([
    { why: "of another moment", run: { as_of: "2026-03-30T23:59:59.999Z" }, message: /run\.json: as_of/ },
    {
      why: "that counts otherwise",
      run: {
        counts: {
          daos_tracked: 4,
          daos_scored: 4,
          daos_unscored: 1,
          entities_published: 1,
          delegate_listings: 2,
        },
      },
      message: /counts\.daos_scored/,
    },
    { why: "without a run id", run: { run_id: "" }, message: /run\.json: run_id/ },
  ])("refuses a run report $why", ({ run, message }) => {
    expect(changed(() => ({}), run)).toThrow(message);
  });

  it("names no wallet in what it refuses", () => {
    const twice: Change = (set) => ({
      entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
    });
    expect(changed(twice)).not.toThrow(/0x/);
  });
});
