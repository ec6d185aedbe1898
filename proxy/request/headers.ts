/** The type of every body this server sends. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** Stored by nobody: errors, entities, readiness. */
export const NO_STORE = "private, no-store";

/**
 * Kept by the caller alone, and asked about each time. RFC 9111 protects `Authorization` but not `x-api-key`:
 * a shared cache would hand a Pro body to a caller without a key.
 */
export const REVALIDATE = "private, no-cache";

/** The headers that every answer under `/v1` carries, whatever became of it. */
export function standardHeaders(request: {
  readonly requestId: string;
  readonly origin: string | undefined;
  readonly corsOrigins: CorsOrigins;
}): Record<string, string> {
  const varies = request.corsOrigins.size > 0 ? ", origin" : "";
  return {
    "content-type": JSON_TYPE,
    "cache-control": NO_STORE,
    "x-content-type-options": "nosniff",
    vary: `x-api-key, accept-encoding${varies}`,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-request-id": request.requestId,
    ...corsHeaders(request.origin, request.corsOrigins),
  };
}

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

/** Where an account stands in its day, as its caller may know it. */
export interface QuotaStanding {
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC after the day of admission. */
  readonly resetAtMs: number;
  readonly secondsToReset: number;
}

const DAY_SECONDS = 86_400;

/** The quota headers: the IETF draft's two, and the three that older clients read. */
export function quotaHeaders(standing: QuotaStanding): Record<string, string> {
  return {
    "ratelimit-policy": `"daily";q=${standing.limit};w=${DAY_SECONDS}`,
    ratelimit: `"daily";r=${standing.remaining};t=${standing.secondsToReset}`,
    "x-ratelimit-limit": String(standing.limit),
    "x-ratelimit-remaining": String(standing.remaining),
    "x-ratelimit-reset": String(standing.resetAtMs / 1000),
  };
}

/**
 * What the page may load and run: files of this server, and pictures that stand inside its own style sheet. No inline script
 * or style, no other host, no frame around it: a key is typed into this page.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page itself is asked for each time: it names the files that belong to it. */
export const DOCS_PAGE_CACHE = "no-cache";

/** Its files carry a hash of their bytes in their names, so they never change. They are the same for everybody. */
export const DOCS_FILE_CACHE = "public, max-age=31536000, immutable";
