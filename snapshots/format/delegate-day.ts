import { z } from "zod";
import { IsoDate, Timestamp } from "./ids.ts";
import { Count } from "./numbers.ts";

/** One line of `delegates/<space_id>/days.csv`: a dated listing, what it was made from, and its totals. */
export const DelegateDay = z.strictObject({
  date: IsoDate,
  /** Of logs: the last block whose events are in. Lists have none. */
  block: Count.nullable(),
  as_of: Timestamp,
  source: z.enum(["list", "logs"]),
  delegates: Count,
  /** In whole tokens, the nearest double. */
  total_votes: z.number().min(0),
});
export type DelegateDay = z.infer<typeof DelegateDay>;
