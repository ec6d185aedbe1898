import { DAY_MS } from "../../snapshots/base/days.ts";
import type { ComponentKey } from "../../snapshots/format/value-sets.ts";

/** Start (00:00:00.000Z) of the UTC day that contains a moment. */
export function dayStartMs(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

/** Last milliseconds of the `count` latest days whose 23:59:59.999Z is at or before `asOfMs`, ascending. */
export function endedDayEndsMs(asOfMs: number, count: number): readonly number[] {
  const lastEndMs = dayStartMs(asOfMs + 1) - 1;
  return Array.from({ length: count }, (_, index) => lastEndMs - (count - 1 - index) * DAY_MS);
}

/** The scores of one DAO as of the end of one UTC day on which it had a score; all numbers unrounded. */
export interface DailyPoint {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly methodologyVersion: string;
  readonly gvs: number;
  /** Between which ends the gvs lies; published histories do not say. */
  readonly gvsEnds?: readonly [low: number, high: number] | undefined;
  readonly components: Readonly<Record<ComponentKey, number>>;
  /** 0–100; `undefined` if the day has no risk score. */
  readonly riskScore: number | undefined;
  /** 0–100. */
  readonly completenessPct: number;
  /** v, 0–1: how much the DAO counts in the index. */
  readonly indexWeight: number;
}
