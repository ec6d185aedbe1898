const JSON_TYPE = "application/json; charset=utf-8";

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

/** What pages may add to a request. */
const PAGE_HEADERS = "x-api-key, if-none-match";

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

const header = (description: string, schema: HeaderRule["schema"]): HeaderRule => ({ description, schema });
const always = (text: string, description: string) => header(description, { type: "string", const: text });
const matching = (pattern: string, description: string) => header(description, { type: "string", pattern });
const number = (description: string, minimum = 0) => header(description, { type: "integer", minimum });
const upTo = (maximum: number, description: string) =>
  header(description, { type: "integer", minimum: 1, maximum });
const optional = (rule: HeaderRule): HeaderRule => ({ ...rule, isOptional: true });
const exposed = (rule: HeaderRule): HeaderRule => ({ ...rule, isExposed: true });

/**
 * Every header this server sends, once: OpenAPI and `Access-Control-Expose-Headers` are made of this table. What follows
 * a dot distinguishes two uses of one header and is no part of its name.
 */
export const HEADERS = {
  "RateLimit-Policy": exposed(matching('^"daily";q=[0-9]+;w=86400$', "Requests a UTC day (IETF draft).")),
  RateLimit: exposed(
    matching('^"daily";r=[0-9]+;t=[0-9]+$', "Requests left, and seconds until 00:00 UTC (IETF draft)."),
  ),
  "X-RateLimit-Limit": exposed(number("Requests a UTC day.")),
  "X-RateLimit-Remaining": exposed(number("Requests left today.")),
  "X-RateLimit-Reset": exposed(number("Next 00:00 UTC in seconds since 1970.")),
  "Retry-After": exposed(upTo(5, "Seconds to wait.")),
  "Retry-After.midnight": upTo(DAY_SECONDS, "Seconds until 00:00 UTC."),
  ETag: exposed(
    matching(
      '^"[0-9a-f]{32}"$',
      "ETag of exactly these bytes in this encoding; send it as `If-None-Match` to get 304.",
    ),
  ),
  "X-Request-Id": exposed(
    matching("^[0-9a-f]{24}$", "Random id of this request; include it when you report a problem."),
  ),
  "X-Snapshot-Version": exposed(
    header("The published version that the answer comes from.", {
      $ref: "#/components/schemas/VersionName",
    }),
  ),
  "X-Content-Type-Options": always("nosniff", "The content type is always the declared one."),
  "Referrer-Policy": always("no-referrer", "Requests that follow from an answer do not name its address."),
  "Content-Security-Policy": always(ANSWER_POLICY, "An answer is not a page: it loads nothing."),
  "Content-Security-Policy.page": always(DOCS_POLICY, "The page loads files from this server only."),
  "Cross-Origin-Opener-Policy": always("same-origin", "Pages that opened this one cannot access it."),
  Vary: header("The request headers that the answer depends on; `origin` if CORS is configured.", {
    type: "string",
    enum: [VARY, `${VARY}, origin`],
  }),
  "Cache-Control": always(NO_STORE, "This answer must not be stored."),
  "Cache-Control.kept": always(REVALIDATE, "Only the caller may cache it, and revalidates it each time."),
  "Cache-Control.public": always(DOCS_PAGE_CACHE, "Any cache may keep it, and revalidates it each time."),
  "Cache-Control.immutable": always(DOCS_FILE_CACHE, "Any cache may keep it forever."),
  "Content-Encoding": optional(
    header("Chosen by `Accept-Encoding`; absent if the body is not compressed.", {
      type: "string",
      enum: ["br", "gzip"],
    }),
  ),
  "WWW-Authenticate": always(CHALLENGE, "How to authenticate."),
  Allow: always(ALLOWED_METHODS, "The allowed methods."),
  "Access-Control-Allow-Origin": optional(
    header("For pages of origins that the operator allows.", { type: "string" }),
  ),
  "Access-Control-Expose-Headers": optional(
    header("For pages of origins that the operator allows.", { type: "string" }),
  ),
  "Access-Control-Allow-Methods": optional(
    always(ALLOWED_METHODS, "As `Allow`, for pages of listed origins."),
  ),
  "Access-Control-Allow-Headers": optional(always(PAGE_HEADERS, "The request headers that pages may add.")),
  "Access-Control-Max-Age": optional(number("Seconds for which a preflight may be cached.")),
} as const satisfies Readonly<Record<string, HeaderRule>>;
export type HeaderName = keyof typeof HEADERS;

const EXPOSED = Object.entries(HEADERS)
  .flatMap(([name, rule]) => (rule.isExposed ? [name] : []))
  .join(", ");

/** Header lines as Node takes them: name, value, name, value … */
export type HeaderLines = string[];

/** Origins whose pages may call this server from a browser, exactly as browsers spell them. */
export type CorsOrigins = ReadonlySet<string>;

/** What differs between the responses of the API and those of its reference. */
export interface HeaderValues {
  readonly type?: string;
  readonly cacheControl?: string;
  readonly policy?: string;
}

/** The lines that every response begins with; the last value is for the request's id. */
export function standardLines(
  hasCors: boolean,
  { type = JSON_TYPE, cacheControl = NO_STORE, policy = ANSWER_POLICY }: HeaderValues = {},
): HeaderLines {
  return [
    ...["content-type", type],
    ...["cache-control", cacheControl],
    ...["x-content-type-options", "nosniff"],
    ...["vary", hasCors ? `${VARY}, origin` : VARY],
    ...["content-security-policy", policy],
    ...["referrer-policy", "no-referrer"],
    ...["x-request-id", ""],
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
    ...["access-control-allow-headers", PAGE_HEADERS],
    ...["access-control-max-age", String(PREFLIGHT_SECONDS)],
    ...allow,
  ];
}

/** What a status demands beside the body (RFC 9110): how to authenticate, which methods there are, when to come again. */
export function statusLines(status: number, retryAfterSeconds: number | undefined): HeaderLines {
  return [
    ...(status === 401 ? ["www-authenticate", CHALLENGE] : []),
    ...(status === 405 ? ["allow", ALLOWED_METHODS] : []),
    ...(retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)]),
  ];
}
