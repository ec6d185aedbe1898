import { z } from "zod";
import { Components, LabelledComponents } from "./components.ts";
import { EntityId, SpaceId, Timestamp } from "./ids.ts";
import { GVS_HISTORY_DAYS, TOP_ENTITIES_MAX } from "./limits.ts";
import { Count, Percent, Rank, Score, ScoreDelta } from "./numbers.ts";
import { PublicText } from "./text.ts";
import { CATEGORIES, CONFIDENCES, HISTORY_INTERVALS } from "./value-sets.ts";

/** One item of `/v1/daos`. */
export const DaoSummary = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  gvs: Score,
  gvs_confidence: z.enum(CONFIDENCES),
  rank: Rank,
  components: Components,
  delta_24h: ScoreDelta,
  last_calculated: Timestamp,
});
export type DaoSummary = z.infer<typeof DaoSummary>;

/** `daos.json`: the array behind `/v1/daos`, by rank. */
export const DaoList = z.array(DaoSummary);
export type DaoList = z.infer<typeof DaoList>;

/** An entity among the strongest of one DAO's frame. */
export const TopEntity = z.strictObject({
  entity_id: EntityId,
  label: PublicText,
  voting_power_share_pct: Percent,
  proposals_voted: Count,
  participation_pct: Percent,
});
export type TopEntity = z.infer<typeof TopEntity>;

/** `daos/<space_id>.json`: DAO detail. */
export const DaoDetail = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  category: z.enum(CATEGORIES),
  gvs: Score,
  gvs_confidence: z.enum(CONFIDENCES),
  last_calculated: Timestamp,
  data_completeness: Percent,
  components: LabelledComponents,
  rankings: z.strictObject({
    overall: z.strictObject({ rank: Rank, total: Rank }),
    category: z.strictObject({ rank: Rank, category: z.enum(CATEGORIES), total: Rank }),
  }),
  history: z.strictObject({
    gvs_30d: z.array(Score).max(GVS_HISTORY_DAYS),
    interval: z.enum(HISTORY_INTERVALS),
  }),
  top_entities: z.array(TopEntity).max(TOP_ENTITIES_MAX),
});
export type DaoDetail = z.infer<typeof DaoDetail>;
