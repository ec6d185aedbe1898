import { z } from "zod";
import { Components } from "./components.ts";
import { IsoDate, Timestamp } from "./ids.ts";
import { Rank, Score } from "./numbers.ts";
import { DGI_PERIODS } from "./value-sets.ts";

/** `dgi.json`: the Decentralized Governance Index as of the run. */
export const Dgi = z.strictObject({
  composite: Score,
  components: Components,
  dao_count: Rank,
  calculated_at: Timestamp,
});
export type Dgi = z.infer<typeof Dgi>;

/** The DGI as of the end of one day. */
export const DgiPoint = z.strictObject({ date: IsoDate, composite: Score, components: Components });
export type DgiPoint = z.infer<typeof DgiPoint>;

/** `dgi-history.json` is the one of 365d; the shorter periods are its tails. */
export const DgiHistory = z.strictObject({
  period: z.enum(DGI_PERIODS),
  values: z.array(DgiPoint),
});
export type DgiHistory = z.infer<typeof DgiHistory>;
