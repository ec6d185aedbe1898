import type {
  DelegateDay,
  DelegateItem,
  DelegateListing,
  DelegateSummary,
} from "../../snapshots/format/delegates.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { LISTING_ROWS_PER_CUT } from "../../snapshots/format/limits.ts";
import type { PublishedListing } from "../../snapshots/format/published-set.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../facts/errors.ts";
import type { DelegateRanking, RankedDelegate } from "../score/delegates/rank-delegates.ts";
import type { PublicEntities } from "./entities.ts";
import { published, type ScoredDao } from "./scored-dao.ts";

/** Precision of a share before it becomes a double; 10^14 is still a whole number in a double. */
const PERCENT_PARTS = 1_000_000_000_000n;

/** 100 · part / total, computed in whole numbers and rounded once; 0 if the total is 0. */
export function exactPercent(part: bigint, total: bigint): number {
  invariant(part >= 0n && part <= total, "a part is larger than its total");
  if (total === 0n) return 0;
  return published(Number((part * 100n * PERCENT_PARTS) / total) / Number(PERCENT_PARTS));
}

/** The double nearest to votes / 10^decimals. Parses a decimal, because dividing two doubles would round twice. */
export function votesInUnits(votes: bigint, decimals: number): number {
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
export function buildDelegateItems(
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
