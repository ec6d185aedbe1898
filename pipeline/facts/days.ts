import type { ComponentKey } from "../../snapshots/format/value-sets.ts";

/** Milliseconds of a UTC day; UTC has no other length. */
export const DAY_MS = 86_400_000;

/** Start (00:00:00.000Z) of the UTC day a moment lies in. */
export function dayStartMs(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

/** Last milliseconds of the `count` days that have ended at `asOfMs`, ascending. A day has ended when its 23:59:59.999Z ≤ t. */
export function endedDayEndsMs(asOfMs: number, count: number): readonly number[] {
  const lastEndMs = dayStartMs(asOfMs + 1) - 1;
  return Array.from({ length: count }, (_, index) => lastEndMs - (count - 1 - index) * DAY_MS);
}

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
  /** v, 0–1: how much the DAO counts in the index. */
  readonly indexWeight: number;
}
