import { z } from "zod";
import { ReasonCode, SpaceId, Timestamp } from "./ids.ts";
import { Percent, Score } from "./numbers.ts";
import { PublicText } from "./text.ts";
import { CATEGORIES, COMPONENT_KEYS } from "./value-sets.ts";

/** Why one component of a DAO could not be computed; `dao` when it concerns the DAO as a whole. */
export const UnscoredReason = z.strictObject({
  scope: z.enum(["dao", ...COMPONENT_KEYS]),
  code: ReasonCode,
  message: z.string(),
});
export type UnscoredReason = z.infer<typeof UnscoredReason>;

/** A tracked DAO without a score: its reasons, and the components that could be computed. */
export const UnscoredDao = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  reasons: z.array(UnscoredReason).min(1),
  components: z.strictObject({
    hpr: Score.optional(),
    dei: Score.optional(),
    pdi: Score.optional(),
    gpi: Score.optional(),
  }),
  data_completeness: Percent.optional(),
  assessed_at: Timestamp,
});
export type UnscoredDao = z.infer<typeof UnscoredDao>;

/** `unscored.json`, by space_id. */
export const UnscoredList = z.array(UnscoredDao);
export type UnscoredList = z.infer<typeof UnscoredList>;
