import { z } from "zod";
import { textList } from "./text-list.ts";

/** A log as `eth_getLogs` gives it, as far as we read it; quantities in 0x hex, `blockTimestamp` from newer nodes only. */
export const ChainLog = z.object({
  address: z.string(),
  topics: textList(4),
  data: z.string(),
  blockNumber: z.string(),
  logIndex: z.string(),
  blockTimestamp: z.string().nullish(),
  removed: z.boolean().nullish(),
});
export type ChainLog = z.infer<typeof ChainLog>;
