/** Origins whose pages may call this server from a browser, exactly as browsers spell them. */
export type CorsOrigins = ReadonlySet<string>;

/** Methods a caller may use, as `Allow` spells them. */
export const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

/** Headers a page may read beyond the few that browsers always show. */
const EXPOSED = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "ETag",
  "X-Request-Id",
  "X-Snapshot-Version",
].join(", ");

/** A browser may remember a preflight for this long; an origin taken off the list is refused at the next real request anyway. */
const PREFLIGHT_SECONDS = 600;

/** What lets a listed origin's page read an answer; nothing for anybody else. */
export function corsHeaders(origin: string | undefined, origins: CorsOrigins): Record<string, string> {
  if (origin === undefined || !origins.has(origin)) return {};
  return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED };
}

/** What a preflight adds: the methods, and the one header of ours a page must be allowed to send. */
export function preflightHeaders(origin: string | undefined, origins: CorsOrigins): Record<string, string> {
  if (origin === undefined || !origins.has(origin)) return {};
  return {
    "access-control-allow-methods": ALLOWED_METHODS,
    "access-control-allow-headers": "x-api-key",
    "access-control-max-age": String(PREFLIGHT_SECONDS),
  };
}
