/** The type of every body of the API. */
export const JSON_TYPE = "application/json; charset=utf-8";
export const TEXT_TYPE = "text/plain; charset=utf-8";

/** For responses that no cache may store: errors, entities, readiness. */
const NO_STORE = "private, no-store";

/**
 * Kept by the caller alone and revalidated each time. RFC 9111 protects `Authorization` but not `x-api-key`: a shared
 * cache would hand a Pro body to a caller without a key.
 */
export const REVALIDATE = "private, no-cache";

/** The page of `/docs` is revalidated each time: it names the files that belong to it. */
export const DOCS_PAGE_CACHE = "no-cache";

/** Its files carry a hash of their bytes in their names, so they never change. They are the same for everybody. */
export const DOCS_FILE_CACHE = "public, max-age=31536000, immutable";

/** Methods a caller may use, as `Allow` spells them. */
const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

/**
 * What the page of `/docs` may load and run: files of this server, and pictures that stand inside its own style sheet. No
 * inline script or style, no other host, no frame around it: a key is typed into this page.
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

/** A JSON answer is no page: it loads nothing and stands in no frame. */
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** RFC 9110 §11.6.1: a 401 must say how to authenticate. */
const CHALLENGE = 'ApiKey realm="v1"';

const VARY = "x-api-key, accept-encoding";

const DAY_SECONDS = 86_400;

/** A browser may remember a preflight for this long; an origin taken off the list is refused at the next real request anyway. */
const PREFLIGHT_SECONDS = 600;

/** One header as the OpenAPI document describes it, and whether pages of listed origins may read it. */
interface HeaderRule {
  readonly description: string;
  readonly schema: Readonly<Record<string, string | number | readonly string[]>>;
  /** Absent on some of the responses that may carry it. */
  readonly isOptional?: true;
  /** Browsers show a page only a few headers by themselves; these are added. */
  readonly isExposed?: true;
}

const exactly = (text: string) => ({ type: "string", const: text });
const whole = (minimum: number) => ({ type: "integer", minimum });

/**
 * Every header this server sends, once: OpenAPI and `Access-Control-Expose-Headers` are made of this table. What follows
 * a dot distinguishes two uses of one header and is no part of its name.
 */
export const HEADERS = {
  "RateLimit-Policy": {
    description: "Requests a UTC day (IETF draft).",
    schema: { type: "string", pattern: '^"daily";q=[0-9]+;w=86400$' },
    isExposed: true,
  },
  RateLimit: {
    description: "Requests left, and seconds until 00:00 UTC (IETF draft).",
    schema: { type: "string", pattern: '^"daily";r=[0-9]+;t=[0-9]+$' },
    isExposed: true,
  },
  "X-RateLimit-Limit": { description: "Requests a UTC day.", schema: whole(0), isExposed: true },
  "X-RateLimit-Remaining": { description: "Requests left today.", schema: whole(0), isExposed: true },
  "X-RateLimit-Reset": {
    description: "Next 00:00 UTC in seconds since 1970.",
    schema: whole(0),
    isExposed: true,
  },
  "Retry-After": {
    description: "Seconds to wait.",
    schema: { type: "integer", minimum: 1, maximum: 5 },
    isExposed: true,
  },
  "Retry-After.midnight": {
    description: "Seconds until 00:00 UTC.",
    schema: { type: "integer", minimum: 1, maximum: DAY_SECONDS },
  },
  ETag: {
    description: "ETag of exactly these bytes in this encoding; send it as `If-None-Match` to get 304.",
    schema: { type: "string", pattern: '^"[0-9a-f]{32}"$' },
    isExposed: true,
  },
  "X-Request-Id": {
    description: "Random id of this request; include it when you report a problem.",
    schema: { type: "string", pattern: "^[0-9a-f]{24}$" },
    isExposed: true,
  },
  "X-Snapshot-Version": {
    description: "The published version that the answer comes from.",
    schema: { $ref: "#/components/schemas/VersionName" },
    isExposed: true,
  },
  "X-Content-Type-Options": {
    description: "The content type is always the declared one.",
    schema: exactly("nosniff"),
  },
  "Referrer-Policy": {
    description: "Requests that follow from an answer do not name its address.",
    schema: exactly("no-referrer"),
  },
  "Content-Security-Policy": {
    description: "An answer is not a page: it loads nothing.",
    schema: exactly(ANSWER_POLICY),
  },
  "Content-Security-Policy.page": {
    description: "The page loads files from this server only.",
    schema: exactly(DOCS_POLICY),
  },
  "Cross-Origin-Opener-Policy": {
    description: "Pages that opened this one cannot access it.",
    schema: exactly("same-origin"),
  },
  Vary: {
    description: "The request headers that the answer depends on; `origin` if CORS is configured.",
    schema: { type: "string", enum: [VARY, `${VARY}, origin`] },
  },
  "Cache-Control": { description: "This answer must not be stored.", schema: exactly(NO_STORE) },
  "Cache-Control.kept": {
    description: "Only the caller may cache it, and revalidates it each time.",
    schema: exactly(REVALIDATE),
  },
  "Cache-Control.public": {
    description: "Any cache may keep it, and revalidates it each time.",
    schema: exactly(DOCS_PAGE_CACHE),
  },
  "Cache-Control.immutable": {
    description: "Any cache may keep it forever.",
    schema: exactly(DOCS_FILE_CACHE),
  },
  "Content-Encoding": {
    description: "Chosen by `Accept-Encoding`; absent if the body is not compressed.",
    schema: { type: "string", enum: ["br", "gzip"] },
    isOptional: true,
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: exactly(CHALLENGE) },
  Allow: { description: "The allowed methods.", schema: exactly(ALLOWED_METHODS) },
  "Access-Control-Allow-Origin": {
    description: "For pages of origins that the operator allows.",
    schema: { type: "string" },
    isOptional: true,
  },
  "Access-Control-Expose-Headers": {
    description: "For pages of origins that the operator allows.",
    schema: { type: "string" },
    isOptional: true,
  },
  "Access-Control-Allow-Methods": {
    description: "As `Allow`, for pages of listed origins.",
    schema: exactly(ALLOWED_METHODS),
    isOptional: true,
  },
  "Access-Control-Allow-Headers": {
    description: "The request headers that pages may add.",
    schema: exactly("x-api-key, if-none-match"),
    isOptional: true,
  },
  "Access-Control-Max-Age": {
    description: "Seconds for which a preflight may be cached.",
    schema: whole(0),
    isOptional: true,
  },
} as const satisfies Readonly<Record<string, HeaderRule>>;
export type HeaderName = keyof typeof HEADERS;

const RULES: Readonly<Record<string, HeaderRule>> = HEADERS;

const EXPOSED = Object.keys(RULES)
  .filter((name) => RULES[name]?.isExposed)
  .join(", ");

/** Header lines as Node takes them: name, value, name, value … */
export type HeaderLines = string[];

/** Origins whose pages may call this server from a browser, exactly as browsers spell them. */
export type CorsOrigins = ReadonlySet<string>;

/** What is left of an account's day, as its caller may know it. */
export interface QuotaStatus {
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC after the day of admission. */
  readonly resetAtMs: number;
  readonly secondsToReset: number;
}

/** The lines that every response begins with; the last value is the request's id. */
export function standardLines(
  requestId: string,
  { cacheControl = NO_STORE, hasCors }: { readonly cacheControl?: string; readonly hasCors: boolean },
): HeaderLines {
  return [
    ...["content-type", JSON_TYPE],
    ...["cache-control", cacheControl],
    ...["x-content-type-options", HEADERS["X-Content-Type-Options"].schema.const],
    ...["vary", hasCors ? `${VARY}, origin` : VARY],
    ...["content-security-policy", ANSWER_POLICY],
    ...["referrer-policy", HEADERS["Referrer-Policy"].schema.const],
    ...["x-request-id", requestId],
  ];
}

/** Adds what lets a listed origin's page read a response; nothing for anybody else. */
export function addCorsLines(lines: HeaderLines, origin: string | undefined, origins: CorsOrigins): void {
  if (origin === undefined || !origins.has(origin)) return;
  lines.push("access-control-allow-origin", origin, "access-control-expose-headers", EXPOSED);
}

/** What a preflight adds: the methods, and for a listed origin's page the headers it may add. */
export function preflightLines(origin: string | undefined, origins: CorsOrigins): HeaderLines {
  const allow = ["allow", ALLOWED_METHODS];
  if (origin === undefined || !origins.has(origin)) return allow;
  return [
    ...["access-control-allow-methods", ALLOWED_METHODS],
    ...["access-control-allow-headers", HEADERS["Access-Control-Allow-Headers"].schema.const],
    ...["access-control-max-age", String(PREFLIGHT_SECONDS)],
    ...allow,
  ];
}

/** Adds the quota headers: the IETF draft's two, and the three that older clients read. */
export function addQuotaLines(lines: HeaderLines, quota: QuotaStatus): void {
  lines.push(
    "ratelimit-policy",
    `"daily";q=${quota.limit};w=${DAY_SECONDS}`,
    "ratelimit",
    `"daily";r=${quota.remaining};t=${quota.secondsToReset}`,
    "x-ratelimit-limit",
    String(quota.limit),
    "x-ratelimit-remaining",
    String(quota.remaining),
    "x-ratelimit-reset",
    String(quota.resetAtMs / 1000),
  );
}

/** What a status demands beside the body (RFC 9110): how to authenticate, which methods there are, when to come again. */
export function statusLines(status: number, retryAfterSeconds: number | undefined): HeaderLines {
  return [
    ...(status === 401 ? ["www-authenticate", CHALLENGE] : []),
    ...(status === 405 ? ["allow", ALLOWED_METHODS] : []),
    ...(retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)]),
  ];
}
