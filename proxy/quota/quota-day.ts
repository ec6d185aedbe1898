import { dayEndMs, dayOf } from "../../snapshots/format/ids.ts";

/** The UTC day a moment is counted in, and when that day's count ends. */
export interface QuotaDay {
  readonly day: string;
  readonly resetAtMs: number;
  /** At least 1: a caller told 0 would ask again within the same day. */
  readonly secondsToReset: number;
}

/** The day of admission: fixed windows from 00:00:00 UTC to 00:00:00 UTC. */
export function quotaDayOf(nowMs: number): QuotaDay {
  const day = dayOf(nowMs);
  const resetAtMs = dayEndMs(day) + 1;
  return { day, resetAtMs, secondsToReset: Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)) };
}
