import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { Count } from "./numbers.ts";

/** Numbers here are not rounded: the very doubles that were computed. */
const Double = z.number();

/** What is measured of the whole DAO and cannot be derived from the lines of its proposals. */
export const WholeMeasures = z.strictObject({
  is_fetched: z.boolean(),
  freshness: Double,
  expected_heads: Double,
  is_coordination_assessed: z.boolean(),
  /** Likely coordinated wallets: how many clusters, and wallets in them. */
  clusters: Count,
  clustered_wallets: Count,
  active_voters: Count.nullable(),
  /** By shares of ω, entities merged. Not who, nor how much each: shares of known proposals would tell both. */
  effective_proposers: Double.nullable(),
  guardrails: z.strictObject({
    is_proposing_gated: z.boolean().nullable(),
    has_fixed_period: z.boolean().nullable(),
    quorum: Double.nullable(),
    guardians: Count.nullable(),
  }),
  delegation: z.strictObject({ hhi_points: Double, as_of: Timestamp }).nullable(),
  /** What it had at the end of the day on which its quarter's index chose its members; `null` where it had no score. */
  index_freeze: z.strictObject({ attention_sum: Double, completeness_pct: Double }).nullable(),
});
export type WholeMeasures = z.infer<typeof WholeMeasures>;
