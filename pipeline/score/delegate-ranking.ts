import type { WeightTier } from "../../snapshots/format/value-sets.ts";

/** One delegate in a ranking. */
export interface RankedDelegate {
  readonly rank: number;
  readonly address: string;
  /** In the smallest unit of the ranking's `decimals`. */
  readonly votes: bigint;
  readonly delegatorsCount: number;
  readonly ens: string | undefined;
  readonly weightTier: WeightTier;
}

/** All delegates with power > 0, in order, and their total. Made from complete data only. */
export interface DelegateRanking {
  /** UTC day of the data; `undefined` for logs without block times, which give no dated file. */
  readonly date: string | undefined;
  readonly asOfMs: number | undefined;
  readonly fetchedAtMs: number;
  /** The last block whose events are in it; absent where a source drew up the list. */
  readonly lastBlock?: number | undefined;
  readonly decimals: number;
  readonly total: bigint;
  readonly delegates: readonly RankedDelegate[];
}
