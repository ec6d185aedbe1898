import { dayOf } from "../../snapshots/format/ids.ts";

/** The UTC day a moment is counted in, and when that day's count ends. */
export interface QuotaDay {
  readonly day: string;
  readonly resetAtMs: number;
  /** At least 1: a caller told 0 would ask again within the same day. */
  readonly secondsToReset: number;
}

const DAY_MS = 86_400_000;

/** The last day that was spelt: almost every request is of the same one, and spelling it costs more than counting in it. */
let spelt = { startMs: 0, day: dayOf(0) };

/** The day of admission: fixed windows from 00:00:00 UTC to 00:00:00 UTC. */
export function quotaDayOf(nowMs: number): QuotaDay {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (startMs !== spelt.startMs) spelt = { startMs, day: dayOf(startMs) };
  const resetAtMs = startMs + DAY_MS;
  const secondsToReset = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000));
  return { day: spelt.day, resetAtMs, secondsToReset };
}
