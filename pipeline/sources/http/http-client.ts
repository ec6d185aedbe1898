import { setTimeout } from "node:timers/promises";

/** An answer whose body was JSON, or a 413; sources decide what a status means to them. */
export interface JsonAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` when a 413 came without JSON, or was made of an answer past the door's caps. */
  readonly body: unknown;
}

/** One POST of JSON. Sources speak GraphQL and JSON-RPC; both are POST, and both may be repeated. */
export interface JsonRequest {
  readonly url: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The source can ask for less. What may come of how much was asked for (no answer in time, a 5xx, a connection broken
   * off) is then answered as a 413 at its second time, instead of being tried again and again.
   */
  readonly canAskForLess?: boolean;
}

/** What the door has seen, for the run's report. */
export interface HttpCounters {
  readonly requests: number;
  readonly retries: number;
  /** Decompressed. */
  readonly bytes: number;
  readonly rateLimited: number;
}

/**
 * The only door to the network. It waits for the origin's rate, retries what may pass, obeys `Retry-After`, stops at
 * its caps, and throws `PipelineError` SOURCE_FAILED with a sentence that names origin and reason, never a key.
 */
export interface HttpClient {
  /**
   * Answers any JSON answer that is no passing fault: 2xx and also 4xx with a JSON body. A 413 is answered with any
   * body, since asking for less is what the source can do about it; so is, as one, an answer of more bytes or values
   * than the door lets in. Throws INTERRUPTED once its signal ends.
   */
  postJson(request: JsonRequest): Promise<JsonAnswer>;
  /** What has been seen so far; a later look counts on from here. */
  counters(): HttpCounters;
  /** Ends what is still under way, which then fails, and closes every connection. */
  close(): Promise<void>;
}

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
