import { z } from "zod";
import * as envelope from "../../snapshots/format/envelope.ts";
import { ErrorEnvelope } from "../../snapshots/format/envelope.ts";
import * as ids from "../../snapshots/format/ids.ts";
import { HEADERS, type HeaderName } from "../request/headers.ts";
import { PROBLEMS, type Problem } from "../request/problems.ts";
import * as readiness from "../snapshot/readiness.ts";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** A shape as a schema, or a reference if it has an ID. It describes what callers send, before transforms. */
export function schemaOf(shape: z.ZodType): JsonObject {
  const id = shape.meta()?.id;
  return id === undefined ? plain(z.toJSONSchema(shape, { io: "input" })) : { $ref: uri(id) };
}

/**
 * `components.schemas`: every published shape with an ID, as zod converts it, with the descriptions from `meta`. Uses
 * its own registry, because the global one would have each ID twice if the shapes were loaded twice.
 */
export function schemaComponents(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const register = (shape: z.core.$ZodType) => {
    const id = z.globalRegistry.get(shape)?.id;
    if (id !== undefined && !registry.has(shape)) registry.add(shape, { id });
  };
  for (const schema of Object.values({ ...envelope, ...envelope.ENVELOPES, ...ids, ...readiness })) {
    if (schema instanceof z.ZodType)
      z.toJSONSchema(schema, { override: ({ zodSchema }) => register(zodSchema) });
  }
  const { schemas } = z.toJSONSchema(registry, { io: "output", uri });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** Removes the keys of a standalone schema, because these are parts of our document. */
function plain(schema: unknown): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return rest;
}

const QUOTA_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
] as const satisfies readonly HeaderName[];

/** Headers of `x-other-requests` only. They are no components, because no operation would refer to them. */
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

/** `components.headers`: the table of headers, and the quota's again for statuses that only sometimes have them. */
export const HEADER_COMPONENTS: JsonObject = {
  ...Object.fromEntries(ALL.filter(([name]) => !INLINE.has(name))),
  ...Object.fromEntries(
    QUOTA_HEADERS.map((name) => {
      const { description, schema } = HEADERS[name];
      return [`${name}.where-counted`, { description, schema }];
    }),
  ),
};

export const EVERY_ANSWER = [
  "X-Request-Id",
  "X-Content-Type-Options",
  "Referrer-Policy",
  "Content-Security-Policy",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
] as const;

export const COUNTED: readonly string[] = QUOTA_HEADERS;

/** The same headers, for statuses of which only some responses are counted. */
const MAYBE_COUNTED: readonly string[] = QUOTA_HEADERS.map((name) => `${name}.where-counted`);

/** Headers by name: references to components, or the header itself if it is no component. */
export function headerReferences(names: readonly string[]): JsonObject {
  const inline = Object.fromEntries(ALL.filter(([name]) => INLINE.has(name)));
  return Object.fromEntries(
    names.map((name) => [
      name.split(".")[0] ?? name,
      inline[name] ?? { $ref: `#/components/headers/${name}` },
    ]),
  );
}

/** Problems of any request before it is routed. */
export const TRANSPORT_REFUSALS: readonly Problem[] = [
  "request-malformed",
  "headers-too-large",
  "request-too-slow",
  "internal-error",
];

/** Additional problems of every request under `/v1`. */
export const ACCESS_REFUSALS: readonly Problem[] = [
  "key-missing",
  "key-invalid",
  "no-snapshot",
  "too-busy",
  "key-store-down",
  "quota-store-down",
  "quota-used-up",
];

/** The meaning of a status, and the headers of its responses in addition to `EVERY_ANSWER`. */
interface StatusPlan {
  readonly description: string;
  readonly headers: readonly string[];
  /** The name of the component that all endpoints share; absent if endpoints have different problems. */
  readonly sharedAs?: string;
}

const STATUS_PLANS: Readonly<Record<number, StatusPlan>> = {
  400: {
    description: "The request is not well-formed, or a parameter is not valid.",
    headers: MAYBE_COUNTED,
  },
  401: {
    description: "No valid API key. Not counted.",
    headers: ["WWW-Authenticate"],
    sharedAs: "Unauthorized",
  },
  403: { description: "The endpoint or a parameter needs a higher tier.", headers: COUNTED },
  404: { description: "No such endpoint, or no such data.", headers: COUNTED },
  405: { description: "Only GET, HEAD and OPTIONS are allowed.", headers: ["Allow", ...COUNTED] },
  408: {
    description: "The request took too long to arrive. Not counted.",
    headers: [],
    sharedAs: "RequestTooSlow",
  },
  429: {
    description: "The account's daily quota is used up.",
    headers: ["Retry-After.midnight", ...COUNTED],
    sharedAs: "QuotaUsedUp",
  },
  431: {
    description: "URL or headers are too large. Not counted.",
    headers: [],
    sharedAs: "HeadersTooLarge",
  },
  500: { description: "Internal error. Not counted.", headers: MAYBE_COUNTED, sharedAs: "InternalError" },
  503: {
    description: "Temporarily unavailable; try again. Not counted.",
    headers: ["Retry-After", ...MAYBE_COUNTED],
    sharedAs: "Unavailable",
  },
};

/** `components.responses`: the error responses that all endpoints share. */
export function sharedResponses(): JsonObject {
  const shared = byStatus([...TRANSPORT_REFUSALS, ...ACCESS_REFUSALS]).flatMap(([status, problems]) => {
    const name = STATUS_PLANS[status]?.sharedAs;
    return name === undefined ? [] : [[name, problemResponse(status, problems)] as const];
  });
  return Object.fromEntries(shared);
}

/** One response for each status of these problems. `isUncounted`: some occur before the key is checked. */
export function problemResponses(problems: readonly Problem[], isUncounted = false): JsonObject {
  const responses = byStatus(problems).map(([status, ofStatus]): [string, JsonObject] => {
    const name = STATUS_PLANS[status]?.sharedAs;
    if (name !== undefined) return [String(status), { $ref: `#/components/responses/${name}` }];
    return [String(status), problemResponse(status, ofStatus, isUncounted)];
  });
  return Object.fromEntries(responses);
}

function byStatus(problems: readonly Problem[]): readonly (readonly [number, readonly Problem[]])[] {
  const statuses = [...new Set(problems.map((problem) => PROBLEMS[problem].status))];
  return statuses
    .sort((a, b) => a - b)
    .map((status) => [status, problems.filter((problem) => PROBLEMS[problem].status === status)]);
}

function problemResponse(status: number, problems: readonly Problem[], isUncounted = false): JsonObject {
  const plan = STATUS_PLANS[status];
  if (plan === undefined) throw new Error(`status ${status} has no description`);
  const headers = isUncounted ? plan.headers.map((name) => whereCounted(name)) : plan.headers;
  return {
    description: plan.description,
    headers: headerReferences([...EVERY_ANSWER, "Cache-Control", ...headers]),
    content: {
      "application/json": {
        schema: problemSchema(problems),
        examples: Object.fromEntries(problems.map((problem) => [problem, exampleOf(problem)])),
      },
    },
  };
}

/** The error envelope, with only the codes of these problems. */
function problemSchema(problems: readonly Problem[]): JsonObject {
  const code = z.enum([...new Set(problems.map((problem) => PROBLEMS[problem].code))]);
  return schemaOf(ErrorEnvelope.extend({ error: ErrorEnvelope.shape.error.extend({ code }) }));
}

function whereCounted(name: string): string {
  return COUNTED.includes(name) ? `${name}.where-counted` : name;
}

function exampleOf(problem: Problem): JsonObject {
  const { code, message } = PROBLEMS[problem];
  return { value: { error: { code, message } } };
}
