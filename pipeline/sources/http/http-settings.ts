import { setTimeout } from "node:timers/promises";

export interface HttpEffects {
  /** Wall-clock time, as a `Retry-After` may be a date. */
  readonly nowMs: () => number;
  /** Waits; rejects early when the signal aborts. */
  readonly sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1), like `Math.random`; only spreads retries. */
  readonly random: () => number;
}

export async function sleepOnTimer(waitMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(waitMs, undefined, { signal });
}

const DEFAULTS = {
  /** Below what public nodes allow without a key. */
  requestsPerMinute: 60,
  concurrencyMax: 4,
  /** Per request, all kinds of faults together: with the waits between them, two minutes. */
  attemptsMax: 12,
  /** The same for an origin that has not answered any request yet: ten seconds. */
  attemptsUntilReachedMax: 6,
  /** A 500 that explains nothing may be due to the request, however often it is sent. */
  serverErrorAttemptsMax: 3,
  retryAfterMaxMs: 120_000,
  backOffFirstMs: 500,
  backOffLongestMs: 30_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  bodyTimeoutMs: 30_000,
  /** One attempt from start to end: a body sent byte by byte never pauses. */
  attemptTimeoutMs: 180_000,
  /**
   * Decoded. 10,000 logs are 7 MB, and a page of 1,000 votes with reasons is less; larger answers are requested in parts.
   * Four at once, each as bytes, as text of two bytes a character and as values, must stay below 512 MB.
   */
  responseBytesMax: 10 * 1024 * 1024,
  jsonDepthMax: 64,
  /** A page of 1,000 proposals has 100 values each, 10,000 logs 17 each. A unique key costs 300 bytes. */
  jsonValuesMax: 250_000,
};

export type HttpSettings = Readonly<typeof DEFAULTS>;

export type GivenSettings = { readonly [Name in keyof HttpSettings]?: HttpSettings[Name] | undefined };

export function httpSettings(given: GivenSettings): HttpSettings {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(named) };
}
