import { z } from "zod";
import { Rank, SpaceId } from "./ids.ts";
import { COMPONENT_KEYS } from "./value-sets.ts";

/** The place of one scored DAO among all: nothing here follows from its own evidence alone. */
export const Ranking = z.strictObject({
  space_id: SpaceId,
  rank: Rank,
  /** The best and the worst rank that the intervals of all DAOs allow. */
  best: Rank,
  worst: Rank,
  /** The ranks if one component weighed a quarter less, and a quarter more. */
  weights: z.array(z.strictObject({ component: z.enum(COMPONENT_KEYS), less: Rank, more: Rank })),
});
export type Ranking = z.infer<typeof Ranking>;

/** `rankings.json`: every scored DAO, by rank. */
export const Rankings = z.array(Ranking);
export type Rankings = z.infer<typeof Rankings>;
