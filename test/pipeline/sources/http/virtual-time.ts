import type { HttpEffects } from "../../../../pipeline/sources/http/http-settings.ts";

/** A clock that stands still but for sleeping, and remembers every sleep. */
export interface VirtualTime extends HttpEffects {
  readonly sleptMs: readonly number[];
  /** Moves the clock, also back. */
  move(byMs: number): void;
}

/** Starts at a given moment; chance is always one half unless told. */
export function createVirtualTime(startMs = Date.parse("2026-11-01T00:00:00Z"), chance = 0.5): VirtualTime {
  let atMs = startMs;
  const sleptMs: number[] = [];
  return {
    sleptMs,
    move: (byMs) => {
      atMs += byMs;
    },
    nowMs: () => atMs,
    sleep: async (waitMs) => {
      sleptMs.push(waitMs);
      atMs += waitMs;
    },
    random: () => chance,
  };
}
