const SECONDS = /^\d{1,9}$/;
/** The only form a server may still write (RFC 9110); `Date.parse` alone would take much more. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long a `Retry-After` (seconds or an HTTP date) asks us to wait; `undefined` when it asks nothing we can read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
