import { setTimeout } from "node:timers/promises";
import { PipelineError } from "../../facts/errors.ts";

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

const DEFAULTS = {
  /** What the hub grants without a key. */
  requestsPerMinute: 60,
  concurrencyMax: 4,
  /** Of one request, all kinds of faults together. */
  attemptsMax: 6,
  /** A bad variable gets 500 from the hub, as often as it is sent. */
  serverErrorAttemptsMax: 3,
  retryAfterMaxMs: 120_000,
  backOffFirstMs: 500,
  backOffLongestMs: 30_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  /** Silence in the middle of a body. */
  bodyTimeoutMs: 30_000,
  /** One attempt from start to end: a body that comes one byte at a time is never silent. */
  attemptTimeoutMs: 180_000,
  /**
   * Unpacked. 10,000 logs are 7 MB, and a page of 1,000 votes with reasons is less; what is larger is asked for in parts.
   * Four at once, each as bytes, as text of two bytes a letter and as values, must stay below 512 MB.
   */
  responseBytesMax: 10 * 1024 * 1024,
  jsonDepthMax: 64,
  /** A page of 1,000 proposals has 100 values each, 10,000 logs 17 each. A key that nobody else has costs 300 bytes. */
  jsonValuesMax: 250_000,
};

/** What a client allows itself and others. Each has a default. */
export type HttpSettings = Readonly<typeof DEFAULTS>;

/** What a timer of Node can hold; past it, it fires at once. */
const SETTING_MAX = 2 ** 31 - 1;
const COUNTS: ReadonlySet<string> = new Set(["concurrencyMax", "attemptsMax", "serverErrorAttemptsMax"]);

/** Settings of which any may be left out. */
export type GivenSettings = { readonly [Name in keyof HttpSettings]?: HttpSettings[Name] | undefined };

/** The settings with what is not given filled in; throws BAD_OPTION for what is no such number. */
export function httpSettings(given: GivenSettings): HttpSettings {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const settings: HttpSettings = { ...DEFAULTS, ...Object.fromEntries(named) };
  for (const [name, value] of Object.entries(settings)) {
    const isWholeEnough = Number.isInteger(value) || !COUNTS.has(name);
    if (value > 0 && value <= SETTING_MAX && isWholeEnough) continue;
    const kind = COUNTS.has(name) ? "whole number" : "number";
    throw new PipelineError(
      "BAD_OPTION",
      `${name} must be a ${kind} above 0 and up to ${SETTING_MAX}, not ${value}`,
    );
  }
  return settings;
}
