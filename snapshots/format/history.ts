import { z } from "zod";
import { Components } from "./components.ts";
import { IsoDate, MethodologyVersion, SpaceId } from "./ids.ts";
import { Percent, RiskScore, Score } from "./numbers.ts";

/** One DAO as of the end of one day. */
export const HistoryPoint = z.strictObject({
  date: IsoDate,
  methodology_version: MethodologyVersion,
  gvs: Score,
  components: Components,
  risk_score: RiskScore.optional(),
  data_completeness: Percent,
  /** Σω of the frame, not rounded: with completeness it decides who is a member of the index. */
  attention_sum: z.number().min(0),
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** `history/<space_id>.json`: every daily point, ascending; offline only. Days without enough data are absent. */
export const DaoHistory = z.strictObject({
  space_id: SpaceId,
  points: z.array(HistoryPoint),
});
export type DaoHistory = z.infer<typeof DaoHistory>;
