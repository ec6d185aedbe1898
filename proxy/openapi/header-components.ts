import { HEADERS, type HeaderName } from "../request/headers.ts";
import type { JsonObject } from "./json.ts";

const QUOTA_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
] as const satisfies readonly HeaderName[];

/** Headers that only requests meet which no operation describes: not components, for no operation would refer to them. */
const INLINE: ReadonlySet<string> = new Set<HeaderName>([
  "Allow",
  "Access-Control-Allow-Methods",
  "Access-Control-Allow-Headers",
  "Access-Control-Max-Age",
]);

const ALL: readonly (readonly [string, JsonObject])[] = Object.entries(HEADERS).map(([name, rule]) => {
  const { description, schema } = rule;
  return [name, "isOptional" in rule ? { description, schema } : { description, required: true, schema }];
});

/** `components.headers`: the table of headers, and the quota's once more for where only some answers carry them. */
export const HEADER_COMPONENTS: JsonObject = {
  ...Object.fromEntries(ALL.filter(([name]) => !INLINE.has(name))),
  ...Object.fromEntries(
    QUOTA_HEADERS.map((name) => {
      const { description, schema } = HEADERS[name];
      return [`${name}.where-counted`, { description, schema }];
    }),
  ),
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
export const COUNTED: readonly string[] = QUOTA_HEADERS;

/** The same, where some answers of a status are counted and some are not. */
export const MAYBE_COUNTED: readonly string[] = QUOTA_HEADERS.map((name) => `${name}.where-counted`);

/** Headers by the names of their components: references, or themselves where they are none. */
export function headerReferences(names: readonly string[]): JsonObject {
  const inline = Object.fromEntries(ALL.filter(([name]) => INLINE.has(name)));
  return Object.fromEntries(
    names.map((name) => [
      name.split(".")[0] ?? name,
      inline[name] ?? { $ref: `#/components/headers/${name}` },
    ]),
  );
}
