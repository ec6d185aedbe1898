import type { Dispatcher } from "undici";

type Headers = Dispatcher.ResponseData["headers"];

/** A header's text; several of one name are joined. */
export function headerOf(headers: Headers, name: string): string | undefined {
  return headers[name]?.toString();
}

const DIGITS = /^\d{1,9}$/;

function countOf(headers: Headers, name: string): number | undefined {
  const text = headerOf(headers, name)?.trim() ?? "";
  return DIGITS.test(text) ? Number(text) : undefined;
}

/** The only date format that servers may still send (RFC 9110); `Date.parse` alone would accept many more. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds of a `Retry-After` header (seconds or HTTP date); `undefined` if missing or unreadable. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const seconds = countOf(headers, "retry-after");
  if (seconds !== undefined) return seconds * 1000;
  const text = headerOf(headers, "retry-after")?.trim() ?? "";
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** What an origin says about the requests that it will still accept. */
export interface Allowance {
  /** Until its window ends, if this was the last request of the window. */
  readonly pauseMs: number | undefined;
  /** Requests left to our key, in the months or days that keys are counted by. */
  readonly keyRemaining: number | undefined;
}

/** Reads `RateLimit-Remaining` and `-Reset` (seconds), and `X-Api-Key-Remaining` of a key that has a limit. */
export function allowanceOf(headers: Headers): Allowance {
  const isUsedUp = countOf(headers, "ratelimit-remaining") === 0;
  const resetS = countOf(headers, "ratelimit-reset") ?? 0;
  const isLimited = countOf(headers, "x-api-key-limit") !== 0;
  return {
    pauseMs: isUsedUp && resetS > 0 ? resetS * 1000 : undefined,
    keyRemaining: isLimited ? countOf(headers, "x-api-key-remaining") : undefined,
  };
}
