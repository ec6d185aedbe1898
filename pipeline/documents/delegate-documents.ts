import type {
  DelegateDay,
  DelegateItem,
  DelegateListing,
  DelegateSummary,
  DelegationGraph,
} from "../../snapshots/format/delegates.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { GRAPH_ACCOUNTS_MAX, LISTING_ROWS_PER_CUT } from "../../snapshots/format/limits.ts";
import type { PublishedListing } from "../../snapshots/format/published-set.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../facts/errors.ts";
import type { DelegateRanking, RankedDelegate } from "../score/delegates/rank-delegates.ts";
import type { PublicEntities } from "./entities.ts";
import { nullableTime, published, type ScoredDao } from "./scored-dao.ts";

/** Precision of a share before it becomes a double; 10^14 is still a whole number in a double. */
const PERCENT_PARTS = 1_000_000_000_000n;

/** 100 · part / total, computed in whole numbers and rounded once; 0 if the total is 0. */
function exactPercent(part: bigint, total: bigint): number {
  invariant(part >= 0n && part <= total, "a part is larger than its total");
  if (total === 0n) return 0;
  return published(Number((part * 100n * PERCENT_PARTS) / total) / Number(PERCENT_PARTS));
}

/** The double nearest to votes / 10^decimals. Parses a decimal, because dividing two doubles would round twice. */
function votesInUnits(votes: bigint, decimals: number): number {
  return Number(`${votes}e-${decimals}`);
}

/** The first 100 delegates by rank and the first 100 of each tier, in rank order, without repeats. */
export function listedDelegates(delegates: readonly RankedDelegate[]): readonly RankedDelegate[] {
  const ofTier: Record<WeightTier, number> = { T1: 0, T2: 0, T3: 0 };
  // The first 100 of all are also among the first 100 of their tiers, so one condition suffices.
  return delegates.filter(({ weightTier }) => {
    ofTier[weightTier] += 1;
    return ofTier[weightTier] <= LISTING_ROWS_PER_CUT;
  });
}

/** Builds the rows of a ranking. Rows never contain an entity's label, and no name for an opted-out wallet. */
function buildDelegateItems(
  delegates: readonly RankedDelegate[],
  { total, decimals }: Pick<DelegateRanking, "total" | "decimals">,
  entities: PublicEntities,
): DelegateItem[] {
  return delegates.map((delegate) => {
    const ens = entities.delegateName(delegate.address, delegate.ens);
    return {
      rank: delegate.rank,
      address: delegate.address,
      ...(ens === undefined ? {} : { ens }),
      display_name: ens ?? shortAddress(delegate.address),
      votes_human: votesInUnits(delegate.votes, decimals),
      votes_share_pct: exactPercent(delegate.votes, total),
      delegators_count: delegate.delegatorsCount,
      weight_tier: delegate.weightTier,
    };
  });
}

/** Power and delegators per tier over all delegates; an empty tier has 0 of both. */
function summarise({ delegates, total }: DelegateRanking): DelegateSummary {
  const ofTier = (tier: WeightTier) => delegates.filter((delegate) => delegate.weightTier === tier);
  const tiers = { T1: ofTier("T1"), T2: ofTier("T2"), T3: ofTier("T3") };
  const votesOf = (tier: WeightTier) => tiers[tier].reduce((sum, { votes }) => sum + votes, 0n);
  const averageDelegators = (tier: WeightTier) => {
    const count = tiers[tier].length;
    const delegators = tiers[tier].reduce((sum, { delegatorsCount }) => sum + delegatorsCount, 0);
    return count === 0 ? 0 : published(delegators / count);
  };
  const votes = { T1: votesOf("T1"), T2: votesOf("T2"), T3: votesOf("T3") };
  invariant(votes.T1 + votes.T2 + votes.T3 === total, "the power of the delegates is not their total");
  return {
    t1_voting_power_pct: exactPercent(votes.T1, total),
    t2_voting_power_pct: exactPercent(votes.T2, total),
    t3_voting_power_pct: exactPercent(votes.T3, total),
    t1_avg_delegators: averageDelegators("T1"),
    t2_avg_delegators: averageDelegators("T2"),
  };
}

function listingOf(spaceId: string, ranking: DelegateRanking, entities: PublicEntities): DelegateListing {
  return {
    dao: spaceId,
    fetched_at: timestampOf(ranking.fetchedAtMs),
    total_delegates: ranking.delegates.length,
    delegates: buildDelegateItems(listedDelegates(ranking.delegates), ranking, entities),
    summary: summarise(ranking),
  };
}

/** Describes the data behind a dated listing, so that it can be reproduced. */
function dayOf(ranking: DelegateRanking & { readonly date: string }): DelegateDay {
  const { date, asOfMs, lastBlock, delegates, total, decimals } = ranking;
  invariant(asOfMs !== undefined, `the delegates of ${date} have no moment`);
  return {
    date,
    block: lastBlock ?? null,
    as_of: timestampOf(asOfMs),
    source: lastBlock === undefined ? "list" : "logs",
    delegates: delegates.length,
    total_votes: votesInUnits(total, decimals),
  };
}

/** Builds the delegate documents of a DAO, scored or not; `undefined` without complete delegation data. */
export function buildDelegateListing(
  { dao, latestDelegates, datedDelegates }: ScoredDao,
  entities: PublicEntities,
): PublishedListing | undefined {
  const { spaceId } = dao;
  if (latestDelegates === undefined) {
    invariant(datedDelegates.length === 0, `${spaceId} has dated delegates without a latest ranking`);
    return undefined;
  }
  return {
    spaceId,
    latest: listingOf(spaceId, latestDelegates, entities),
    dated: datedDelegates.map((ranking) => ({
      ...dayOf(ranking),
      listing: listingOf(spaceId, ranking, entities),
    })),
    all: buildDelegateItems(latestDelegates.delegates, latestDelegates, entities),
  };
}

const UNKNOWN_POWER = { votes: null, votes_human: null, votes_share_pct: null };

/** Builds `graph/<space_id>.json` of a DAO, scored or not; `undefined` if its latest ranking is not from logs. */
export function buildDelegationGraph(
  { dao: { spaceId }, latestDelegates: ranking, delegations }: ScoredDao,
  entities: PublicEntities,
): DelegationGraph | undefined {
  if (delegations === undefined) return undefined;
  invariant(ranking !== undefined, `${spaceId} has delegations without a ranking`);
  const { delegates, total, decimals, asOfMs, lastBlock } = ranking;
  invariant(lastBlock !== undefined, `${spaceId} has a delegation graph without a block`);
  const first = delegates.slice(0, GRAPH_ACCOUNTS_MAX);
  const others = delegates.slice(GRAPH_ACCOUNTS_MAX);
  const othersVotes = others.reduce((sum, { votes }) => sum + votes, 0n);
  const items = buildDelegateItems(first, ranking, entities);
  return {
    space_id: spaceId,
    as_of: nullableTime(asOfMs),
    fetched_at: timestampOf(ranking.fetchedAtMs),
    block: lastBlock,
    decimals,
    totals: {
      delegates: delegates.length,
      delegators: delegations.delegatorsCount,
      votes: total.toString(),
      traced_votes: delegations.tracedVotes.toString(),
    },
    delegates: items.map((item, index) => ({ ...item, votes: (first[index]?.votes ?? 0n).toString() })),
    other_delegates: {
      delegates: others.length,
      delegators_count: others.reduce((sum, other) => sum + other.delegatorsCount, 0),
      ...powerOf(othersVotes, ranking),
    },
    delegations: delegations.strong.map(({ delegator, delegate, delegateRank, votes }) => ({
      address: delegator,
      display_name: shortAddress(delegator),
      delegate_rank: delegateRank ?? null,
      is_self: delegator === delegate,
      ...powerOf(votes, ranking),
    })),
    folded_delegations: delegations.weak.map(({ delegateRank, delegatorsCount, votes }) => ({
      delegate_rank: delegateRank ?? null,
      delegators_count: delegatorsCount,
      ...(votes === undefined ? UNKNOWN_POWER : powerOf(votes, ranking)),
    })),
  };
}

/** Power as exact digits, in whole tokens, and as a share of all delegated power. */
function powerOf(votes: bigint, { total, decimals }: DelegateRanking) {
  return {
    votes: votes.toString(),
    votes_human: votesInUnits(votes, decimals),
    votes_share_pct: exactPercent(votes, total),
  };
}
