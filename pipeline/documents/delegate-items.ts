import type { DelegateItem } from "../../snapshots/format/delegates.ts";
import { LISTING_ROWS_PER_CUT } from "../../snapshots/format/limits.ts";
import { shortAddress } from "../../snapshots/format/short-address.ts";
import type { WeightTier } from "../../snapshots/format/value-sets.ts";
import type { DelegateRanking, RankedDelegate } from "../score/delegate-ranking.ts";
import { exactPercent, votesInUnits } from "./exact-numbers.ts";
import type { PublicEntities } from "./public-entities.ts";

/** The first 100 by rank and the first 100 of each tier, in rank order, each once. */
export function listedDelegates(delegates: readonly RankedDelegate[]): readonly RankedDelegate[] {
  const ofTier: Record<WeightTier, number> = { T1: 0, T2: 0, T3: 0 };
  // Whoever is among the first 100 of all is among the first 100 of a tier, so that one question is enough.
  return delegates.filter(({ weightTier }) => {
    ofTier[weightTier] += 1;
    return ofTier[weightTier] <= LISTING_ROWS_PER_CUT;
  });
}

/** Rows of a ranking. A delegate never carries an entity's label, and an opted-out wallet no name at all. */
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
