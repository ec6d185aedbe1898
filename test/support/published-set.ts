import { DAY_MS } from "../../snapshots/base/days.ts";
import { digestOf } from "../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  type CheckResult,
  checkDaoDocuments,
  checkVersionLists,
} from "../../snapshots/format/agreement/check-shapes.ts";
import type {
  DaoDetail,
  DaoSummary,
  LabelledComponents,
  RiskAssessment,
} from "../../snapshots/format/dao.ts";
import type { DelegateItem, DelegateListing } from "../../snapshots/format/delegates.ts";
import type { Entity } from "../../snapshots/format/entity.ts";
import { dayOf, roundTo, timestampOf } from "../../snapshots/format/ids.ts";
import { LISTING_ROWS_PER_CUT } from "../../snapshots/format/limits.ts";
import type { RunReport } from "../../snapshots/format/manifest.ts";
import type { DatedListing, PublishedListing, PublishedSet } from "../../snapshots/format/published-set.ts";
import type { Ranking } from "../../snapshots/format/rankings.ts";
import { COMPONENT_KEYS, labelOf, WEIGHT_TIERS, weightTierOf } from "../../snapshots/format/value-sets.ts";
import { certaintyIn } from "../../snapshots/store/write/build-index.ts";
import { publishSnapshot, type SnapshotPlan } from "../../snapshots/store/write/publish-snapshot.ts";
import type { PublishResult } from "../../snapshots/store/write/publish-version.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { partsOf } from "./parts-of.ts";

/** The moment of the fixture. */
export const FIXTURE_AS_OF_MS = Date.parse("2026-03-31T23:59:59.999Z");

/** An entity with two wallets, the first of which is also the strongest delegate of `tidewater.example`. */
export const FIXTURE_ENTITY_ID = "ent_0000000000000000000lantern";

/** A fictional wallet, in lower case. */
export function walletOf(index: number): string {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

function summaryOf(row: {
  spaceId: string;
  name: string;
  category: DaoSummary["category"];
  gvs: number;
  rank: number;
  asOf: string;
}): DaoSummary {
  return {
    space_id: row.spaceId,
    name: row.name,
    category: row.category,
    gvs: row.gvs,
    gvs_confidence: row.gvs >= 5 ? "high" : "low",
    rank: row.rank,
    components: { hpr: row.gvs, dei: roundTo(row.gvs / 2, 2), pdi: row.gvs, gpi: 8 },
    delta_24h: -0.12,
    last_calculated: row.asOf,
  };
}

function detailOf(summary: DaoSummary, daos: readonly DaoSummary[], topEntity: boolean): DaoDetail {
  const inCategory = daos.filter((dao) => dao.category === summary.category);
  const components = Object.fromEntries(
    COMPONENT_KEYS.map((key) => [
      key,
      { score: summary.components[key], label: labelOf(summary.components[key]) },
    ]),
  ) as LabelledComponents;
  return {
    space_id: summary.space_id,
    name: summary.name,
    category: summary.category,
    gvs: summary.gvs,
    gvs_confidence: summary.gvs_confidence,
    last_calculated: summary.last_calculated,
    data_completeness: 97.5,
    components,
    rankings: {
      overall: { rank: summary.rank, total: daos.length },
      category: {
        rank: inCategory.indexOf(summary) + 1,
        category: summary.category,
        total: inCategory.length,
      },
    },
    history: { gvs_30d: [summary.gvs, summary.gvs, summary.gvs], interval: "daily" },
    gvs_30d_dates: [3, 2, 1].map((ago) => dayOf(Date.parse(summary.last_calculated) - ago * DAY_MS)),
    top_entities: topEntity
      ? [
          {
            entity_id: FIXTURE_ENTITY_ID,
            label: "Lantern Labs",
            voting_power_share_pct: 5.25,
            proposals_voted: 12,
            proposals_known: 20,
            proposals_unknown: 0,
            participation_pct: 60,
            participation_interval_pct: [60, 60],
          },
        ]
      : [],
  };
}

function riskOf(summary: DaoSummary): RiskAssessment {
  return {
    space_id: summary.space_id,
    risk_score: 41.5,
    risk_level: "moderate",
    factors: {
      governance_capture_risk: "high",
      whale_control_pct: 61.02,
      active_voter_count: 208,
      delegate_centralization: summary.rank === 1 ? "moderate" : "unknown",
      proposal_velocity: "low",
      checkpoint_voting_pct: 3.1,
    },
    trend: "stable",
    assessed_at: summary.last_calculated,
  };
}

/** The place of a DAO whose rank is certain. */
export function certainPlace({ space_id, rank }: Pick<DaoSummary, "space_id" | "rank">): Ranking {
  const weights = COMPONENT_KEYS.map((component) => ({ component, less: rank, more: rank }));
  return { space_id, rank, best: rank, worst: rank, weights };
}

/** A whole ranking with a number of delegates per tier, heaviest first, all with different votes. */
function rankingOf(perTier: { t1: number; t2: number; t3: number }): DelegateItem[] {
  const votes = [
    ...Array.from({ length: perTier.t1 }, (_, index) => 5000 - index),
    ...Array.from({ length: perTier.t2 }, (_, index) => 350 - index),
    ...Array.from({ length: perTier.t3 }, (_, index) => 60 - index / 8),
  ];
  const total = votes.reduce((sum, vote) => sum + vote, 0);
  return votes.map((vote, index) => {
    const address = walletOf(index + 1);
    const ens = index % 40 === 0 ? { ens: `delegate-${index + 1}.example` } : {};
    return {
      rank: index + 1,
      address,
      ...ens,
      display_name: ens.ens ?? `${address.slice(0, 6)}…${address.slice(-4)}`,
      votes_human: vote,
      votes_share_pct: roundTo((100 * vote) / total, 2),
      delegators_count: 1 + ((votes.length - index) % 90),
      weight_tier: weightTierOf(BigInt(Math.round(vote * 8)), BigInt(Math.round(total * 8))),
    };
  });
}

function listingOf(dao: string, all: readonly DelegateItem[], fetchedAt: string): DelegateListing {
  const total = all.reduce((sum, item) => sum + item.votes_human, 0);
  const ofTier = (tier: string) => all.filter((item) => item.weight_tier === tier);
  const pct = (tier: string) =>
    roundTo((100 * ofTier(tier).reduce((sum, item) => sum + item.votes_human, 0)) / (total || 1), 2);
  const average = (tier: string) =>
    roundTo(
      ofTier(tier).reduce((sum, item) => sum + item.delegators_count, 0) / (ofTier(tier).length || 1),
      2,
    );
  const listed = new Set([
    ...all.slice(0, LISTING_ROWS_PER_CUT),
    ...WEIGHT_TIERS.flatMap((tier) => ofTier(tier).slice(0, LISTING_ROWS_PER_CUT)),
  ]);
  return {
    dao,
    fetched_at: fetchedAt,
    total_delegates: all.length,
    delegates: all.filter((item) => listed.has(item)),
    summary: {
      t1_voting_power_pct: pct("T1"),
      t2_voting_power_pct: pct("T2"),
      t3_voting_power_pct: pct("T3"),
      t1_avg_delegators: average("T1"),
      t2_avg_delegators: average("T2"),
    },
  };
}

/** A listing as the dated listing of a day, from a list of its first moment. */
export function datedListing(date: string, listing: DelegateListing): DatedListing {
  const votes = listing.delegates.reduce((sum, { votes_human }) => sum + votes_human, 0);
  return {
    date,
    block: null,
    as_of: `${date}T00:00:00.000Z`,
    source: "list",
    delegates: listing.total_delegates,
    total_votes: votes,
    listing,
  };
}

function listingsOf(asOfMs: number): PublishedListing[] {
  const fetchedAt = timestampOf(asOfMs - 3_600_000);
  const large = rankingOf({ t1: 12, t2: 130, t3: 160 });
  const small = rankingOf({ t1: 4, t2: 0, t3: 0 });
  const dated = [2, 1, 0].map((daysAgo) => {
    const date = dayOf(asOfMs - daysAgo * DAY_MS);
    const list = rankingOf({ t1: 12, t2: 130, t3: 160 - daysAgo });
    return datedListing(date, listingOf("tidewater.example", list, fetchedAt));
  });
  return [
    {
      spaceId: "tidewater.example",
      latest: listingOf("tidewater.example", large, fetchedAt),
      dated,
      all: large,
    },
    { spaceId: "orchard", latest: listingOf("orchard", small, fetchedAt), dated: [], all: small },
  ];
}

const ENTITY: Entity = {
  entity_id: FIXTURE_ENTITY_ID,
  label: "Lantern Labs",
  wallets: [walletOf(1), walletOf(0xfeed)],
  dao_participations: [
    {
      space_id: "tidewater.example",
      name: "Tidewater",
      proposals_voted: 12,
      proposals_known: 20,
      proposals_unknown: 0,
      participation_pct: 60,
      participation_interval_pct: [60, 60],
      voting_power_share_pct: 5.25,
      first_vote_at: "2025-11-02T10:00:00.000Z",
      last_vote_at: "2026-03-20T18:30:00.000Z",
      delegate_rank: 1,
    },
  ],
};

/**
 * A small, valid, plainly fictional set: three scored DAOs (`tidewater.example` with 302 delegates and three
 * dated listings, `orchard` with 4 delegates, `harbor-lights` with none), one unscored, one entity, a DGI of
 * 40 days. No DAO is of category `infrastructure`; `harbor-lights` has no risk document.
 */
export function publishedSet(asOfMs: number = FIXTURE_AS_OF_MS): PublishedSet {
  const asOf = timestampOf(asOfMs);
  const daos = [
    {
      spaceId: "tidewater.example",
      name: "Tidewater",
      category: "defi" as const,
      gvs: 7.25,
      rank: 1,
      asOf,
    },
    { spaceId: "orchard", name: "Orchard", category: "public_goods" as const, gvs: 5.5, rank: 2, asOf },
    { spaceId: "harbor-lights", name: "Harbor Lights", category: "defi" as const, gvs: 3, rank: 3, asOf },
  ].map(summaryOf);
  const components = { hpr: 5, dei: 2.5, pdi: 5, gpi: 8 };
  return {
    asOf,
    methodologyVersion: "1.0.0",
    daos,
    rankings: daos.map(certainPlace),
    details: daos.map((dao) => detailOf(dao, daos, dao.rank === 1)),
    risks: daos.filter((dao) => dao.rank < 3).map(riskOf),
    listings: listingsOf(asOfMs),
    graphs: [],
    dgi: { composite: 5.25, components, dao_count: 3, calculated_at: asOf },
    dgiHistory: {
      period: "365d",
      values: Array.from({ length: 40 }, (_, index) => ({
        date: dayOf(asOfMs + 1 - (40 - index) * DAY_MS),
        composite: roundTo(5 + index / 160, 2),
        components,
      })),
    },
    entities: [ENTITY],
    histories: daos.map((dao) => ({
      space_id: dao.space_id,
      points: [
        {
          date: dayOf(asOfMs + 1 - DAY_MS),
          methodology_version: "1.0.0",
          gvs: dao.gvs,
          components: dao.components,
          risk_score: 41.5,
          data_completeness: 97.5,
          index_weight: 0.75,
        },
      ],
    })),
    evidence: [],
    emptyFrames: [],
    unscored: [
      {
        space_id: "quiet-reef",
        name: "Quiet Reef",
        category: "social",
        reason: { code: "TOO_LITTLE_KNOWN", message: "Too little is known for a score." },
        interval: { gvs: [0.75, 8.5], hpr: [0, 10], dei: [0, 10], pdi: [2.5, 6], gpi: [3, 4.25] },
        known_share: 0.29,
        presence: [1, 1],
        not_known: [{ id: "top", component: "dei", source: "the voting power of each vote" }],
        assessed_at: asOf,
      },
    ],
  };
}

/** The report of a successful run that published `set`. */
export function runReport(set: PublishedSet, createdAtMs: number): RunReport {
  return {
    run_id: createdAtMs.toString(16).padStart(16, "0"),
    started_at: timestampOf(createdAtMs - 1000),
    finished_at: timestampOf(createdAtMs),
    as_of: set.asOf,
    fetches: [],
    rejected: [],
    rejected_total: 0,
    findings: [],
    counts: {
      daos_tracked: set.daos.length + set.unscored.length,
      daos_scored: set.daos.length,
      daos_unscored: set.unscored.length,
      entities_published: set.entities.length,
      delegate_listings: set.listings.length,
    },
    traffic: [],
    names: null,
    stages: [],
  };
}

/** Renders a set like a run: DAO by DAO, and the lists last; throws if it cannot be published. */
export function renderedParts(set: PublishedSet): readonly RenderedPart[] {
  const parts = partsOf(set);
  const ofDaos = parts.map((part) => passed(checkDaoDocuments(part)));
  const certainty = new Map(ofDaos.flatMap((part) => [...certaintyIn(part, set.rankings)]));
  const about = { as_of: set.asOf, methodology_version: set.methodologyVersion, certainty };
  const lists = passed(checkVersionLists(set, parts.map(digestOf)));
  return [...ofDaos, lists].map((part) => renderPart(part, about));
}

function passed({ checked, problems }: CheckResult): CheckedDocuments {
  if (checked !== undefined) return checked;
  throw new Error(problems.map(({ message }) => message).join("\n"));
}

/** The plan of a run at `createdAtMs` that publishes a set. */
export function snapshotPlan(
  set: PublishedSet,
  createdAtMs: number,
  rest: Partial<SnapshotPlan> = {},
): SnapshotPlan {
  const run = runReport(set, createdAtMs);
  const { asOf, methodologyVersion } = set;
  const about = { runId: run.run_id, createdAtMs, asOf, methodologyVersion };
  return { ...about, sources: [], parts: renderedParts(set), report: () => run, ...rest };
}

/** Publishes the fixture (or `set`) under `root`, like a run at `createdAtMs` (by default an hour after `as_of`). */
export function publishFixture(
  root: string,
  options: {
    readonly set?: PublishedSet;
    readonly createdAtMs?: number;
    readonly tables?: SnapshotPlan["tables"];
  } = {},
): Promise<PublishResult> {
  const set = options.set ?? publishedSet();
  const createdAtMs = options.createdAtMs ?? Date.parse(set.asOf) + 3_600_001;
  const sources = [
    { source_id: "archive", fetched_at: timestampOf(createdAtMs), spaces: 4, proposals: 40, votes: 900 },
  ];
  return publishSnapshot(
    snapshotPlan(set, createdAtMs, { sources, tables: options.tables }),
    createSnapshotDisk(root),
  );
}
