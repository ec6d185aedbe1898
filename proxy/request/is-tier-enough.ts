import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";

/** Whether a tier may do what `needed` may: a higher tier includes the lower ones. */
export function isTierEnough(tier: AccessTier, needed: AccessTier): boolean {
  return ACCESS_TIERS.indexOf(tier) >= ACCESS_TIERS.indexOf(needed);
}
