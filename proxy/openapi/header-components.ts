import {
  ALLOWED_METHODS,
  DOCS_FILE_CACHE,
  DOCS_PAGE_CACHE,
  DOCS_POLICY,
  NO_STORE,
  REVALIDATE,
  standardHeaders,
} from "../request/headers.ts";
import { CONTENT_ENCODINGS } from "../request/negotiate.ts";
import type { JsonObject } from "./json.ts";
import { schemaReference } from "./schema-components.ts";

/** Under `x-api-key`, as the server itself spells them. */
const STANDARD = standardHeaders({ requestId: "", origin: undefined, corsOrigins: new Set() });

const always = (description: string, schema: JsonObject): JsonObject => ({
  description,
  required: true,
  schema,
});
const sometimes = (description: string, schema: JsonObject): JsonObject => ({ description, schema });
const whole = (minimum: number): JsonObject => ({ type: "integer", minimum });
const exactly = (text: string | undefined): JsonObject => ({ type: "string", const: text ?? "" });

const QUOTA_HEADERS = {
  "RateLimit-Policy": always("Requests a UTC day (IETF draft).", {
    type: "string",
    pattern: '^"daily";q=[0-9]+;w=86400$',
  }),
  RateLimit: always("Requests left, and seconds until 00:00 UTC (IETF draft).", {
    type: "string",
    pattern: '^"daily";r=[0-9]+;t=[0-9]+$',
  }),
  "X-RateLimit-Limit": always("Requests a UTC day.", whole(0)),
  "X-RateLimit-Remaining": always("Requests left today.", whole(0)),
  "X-RateLimit-Reset": always("Next 00:00 UTC in seconds since 1970.", whole(0)),
};

/** On answers of one status that come both before and after a request is counted. */
const WHERE_COUNTED = Object.fromEntries(
  Object.entries(QUOTA_HEADERS).map(([name, { required: _required, ...header }]) => [
    `${name}.where-counted`,
    header,
  ]),
);

/** `components.headers`. What follows a dot tells two uses of one header apart and is no part of its name. */
export const HEADER_COMPONENTS: JsonObject = {
  "X-Request-Id": always("Ours, random; name it when you report a problem.", {
    type: "string",
    pattern: "^[0-9a-f]{24}$",
  }),
  "X-Content-Type-Options": always("Bodies are what they say they are.", exactly("nosniff")),
  "Referrer-Policy": always("No page learns from which address it was reached.", exactly("no-referrer")),
  "Content-Security-Policy": always("An answer is no page.", exactly(STANDARD["content-security-policy"])),
  Vary: always("What the answer depends on; `origin` where CORS is set up.", {
    type: "string",
    enum: [STANDARD["vary"] ?? "", `${STANDARD["vary"]}, origin`],
  }),
  "Content-Security-Policy.page": always("The page loads files of this server alone.", exactly(DOCS_POLICY)),
  "Cross-Origin-Opener-Policy": always(
    "No page that opened this one reaches into it.",
    exactly("same-origin"),
  ),
  "Access-Control-Allow-Origin": sometimes("For pages of origins that the operator listed.", {
    type: "string",
  }),
  "Access-Control-Expose-Headers": sometimes("For pages of origins that the operator listed.", {
    type: "string",
  }),
  "Cache-Control": always("Nobody stores this answer.", exactly(NO_STORE)),
  "Cache-Control.kept": always("Only the caller may keep it, and asks each time.", exactly(REVALIDATE)),
  "Cache-Control.public": always("Anybody may keep it, and asks each time.", exactly(DOCS_PAGE_CACHE)),
  "Cache-Control.immutable": always("Anybody may keep it for good.", exactly(DOCS_FILE_CACHE)),
  ETag: always("Of exactly these bytes, in this encoding; send it as `If-None-Match` to get 304.", {
    type: "string",
    pattern: '^"[0-9a-f]{32}"$',
  }),
  "Content-Encoding": sometimes("By `Accept-Encoding`; absent where the body is plain.", {
    type: "string",
    enum: CONTENT_ENCODINGS.filter((encoding) => encoding !== "identity"),
  }),
  "X-Snapshot-Version": always("The published version that answered.", schemaReference("VersionName")),
  "WWW-Authenticate": always("How to authenticate.", exactly('ApiKey realm="v1"')),
  "Retry-After": always("Seconds to wait.", { type: "integer", minimum: 1, maximum: 5 }),
  "Retry-After.midnight": always("Seconds until 00:00 UTC.", {
    type: "integer",
    minimum: 1,
    maximum: 86_400,
  }),
  ...QUOTA_HEADERS,
  ...WHERE_COUNTED,
};

/** Headers that only requests meet which no operation describes: not components, for no operation would refer to them. */
const OTHER_HEADERS: JsonObject = {
  Allow: always("What may be asked here.", exactly(ALLOWED_METHODS)),
  "Access-Control-Allow-Methods": sometimes(
    "As `Allow`, for pages of listed origins.",
    exactly(ALLOWED_METHODS),
  ),
  "Access-Control-Allow-Headers": sometimes("The one header of ours.", exactly("x-api-key")),
  "Access-Control-Max-Age": sometimes("Seconds a preflight may be remembered.", whole(0)),
};

/** On every answer of the server, whatever it is. */
export const EVERY_ANSWER = [
  "X-Request-Id",
  "X-Content-Type-Options",
  "Referrer-Policy",
  "Content-Security-Policy",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
] as const;

/** On every answer to a request that was counted. */
export const COUNTED: readonly string[] = Object.keys(QUOTA_HEADERS);

/** The same, where some answers of a status are counted and some are not. */
export const MAYBE_COUNTED: readonly string[] = Object.keys(WHERE_COUNTED);

/** Headers by the names of their components: references, or themselves where they are none. */
export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [
      name.split(".")[0] ?? name,
      OTHER_HEADERS[name] ?? { $ref: `#/components/headers/${name}` },
    ]),
  );
}
