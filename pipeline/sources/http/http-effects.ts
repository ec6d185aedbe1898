import { setTimeout } from "node:timers/promises";

/** Time and chance, as far as waiting needs them. */
export interface HttpEffects {
  /** Wall time: a `Retry-After` may be a date. */
  readonly nowMs: () => number;
  /** Waits; ends early with an error when the signal does. */
  readonly sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to below 1, like `Math.random`; spreads retries, decides nothing else. */
  readonly random: () => number;
}

/** A sleep on the timers of Node, which an abort ends at once. */
export async function sleepOnTimer(waitMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(waitMs, undefined, { signal });
}
