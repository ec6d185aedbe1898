import { z } from "zod";
import { SpaceId, Timestamp, WalletAddress } from "./ids.ts";
import { LISTING_ROWS_PER_CUT } from "./limits.ts";
import { Count, Percent, Rank } from "./numbers.ts";
import { PublicText } from "./text.ts";
import { WEIGHT_TIERS } from "./value-sets.ts";

/** One row of a delegate listing; `rank` is global, also under a tier. */
export const DelegateItem = z.strictObject({
  rank: Rank,
  address: WalletAddress,
  ens: PublicText.optional(),
  display_name: PublicText,
  votes_human: z.number().min(0),
  votes_share_pct: Percent,
  delegators_count: Count,
  weight_tier: z.enum(WEIGHT_TIERS),
});
export type DelegateItem = z.infer<typeof DelegateItem>;

/** Power and delegators per tier, over all delegates and not only the listed ones. */
export const DelegateSummary = z.strictObject({
  t1_voting_power_pct: Percent,
  t2_voting_power_pct: Percent,
  t3_voting_power_pct: Percent,
  t1_avg_delegators: z.number().min(0),
  t2_avg_delegators: z.number().min(0),
});
export type DelegateSummary = z.infer<typeof DelegateSummary>;

/** `delegates/<space_id>/latest.json` and `<date>.json`: the first 100 by rank and of each tier. */
export const DelegateListing = z.strictObject({
  dao: SpaceId,
  fetched_at: Timestamp,
  total_delegates: Count,
  delegates: z.array(DelegateItem).max(LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1)),
  summary: DelegateSummary,
});
export type DelegateListing = z.infer<typeof DelegateListing>;
