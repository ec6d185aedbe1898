import type { DelegateDay } from "../../snapshots/format/delegate-day.ts";
import type { DelegateListing, DelegateSummary } from "../../snapshots/format/delegates.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { PublishedListing } from "../../snapshots/format/published-set.ts";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../base/invariant.ts";
import type { DelegateRanking } from "../score/delegate-ranking.ts";
import { buildDelegateItems, listedDelegates } from "./delegate-items.ts";
import { exactPercent, votesInUnits } from "./exact-numbers.ts";
import type { PublicEntities } from "./public-entities.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

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

/** What a dated listing was made from, for whoever wants to draw it up again. */
function dayOf(ranking: DelegateRanking & { readonly date: string }): DelegateDay {
  const { date, asOfMs, lastBlock, delegates, total, decimals } = ranking;
  invariant(asOfMs !== undefined, `the delegates of ${date} are of no moment`);
  return {
    date,
    block: lastBlock ?? null,
    as_of: timestampOf(asOfMs),
    source: lastBlock === undefined ? "list" : "logs",
    delegates: delegates.length,
    total_votes: votesInUnits(total, decimals),
  };
}

/** The delegate documents of a DAO, scored or not; `undefined` without complete delegation data. */
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
      date: ranking.date,
      listing: listingOf(spaceId, ranking, entities),
    })),
    days: datedDelegates.map(dayOf),
    all: buildDelegateItems(latestDelegates.delegates, latestDelegates, entities),
  };
}
