import type { ComponentKey } from "../../snapshots/format/value-sets.ts";

/** One DAO as of the end of one UTC day that it had a score on; all numbers unrounded. */
export interface DailyPoint {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Version of the method that made it. */
  readonly methodologyVersion: string;
  readonly gvs: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  /** 0–100; `undefined` where the day has no risk score. */
  readonly riskScore: number | undefined;
  /** 0–100. */
  readonly completenessPct: number;
  /** Σω of the frame, in proposals. */
  readonly attentionSum: number;
}
