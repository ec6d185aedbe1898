import type { z } from "zod";
import { EntityId, SpaceId } from "../../snapshots/format/ids.ts";
import { TIERS } from "../../snapshots/format/value-sets.ts";
import type { Endpoint, ParameterRule } from "../request/endpoint.ts";
import type { Problem } from "../request/problems.ts";
import { Liveness, Ready, Unready } from "../snapshot/readiness.ts";
import {
  ACCESS_REFUSALS,
  COUNTED,
  EVERY_ANSWER,
  headerReferences,
  type Json,
  type JsonObject,
  problemResponses,
  schemaOf,
  TRANSPORT_REFUSALS,
} from "./components.ts";

const PATH_IDS: Readonly<Record<string, JsonObject>> = {
  space_id: { description: "The DAO's id.", schema: schemaOf(SpaceId) },
  entity_id: { description: "The entity's id.", schema: schemaOf(EntityId) },
};

/** A route's path in the notation of OpenAPI: `/v1/daos/{space_id}`. */
export function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}");
}

/** One endpoint as an operation: its parameters, and every status and code of its responses. */
export function endpointOperation(endpoint: Endpoint): JsonObject {
  const { lowestTier } = endpoint;
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\nLowest tier: ${TIERS[lowestTier].name}.`,
    "x-lowest-tier": lowestTier,
    parameters: [...pathParameters(endpoint.url), ...queryParameters(endpoint)],
    responses: { ...goodResponses(endpoint), ...problemResponses(refusalsOf(endpoint)) },
  };
}

function pathParameters(url: string): readonly JsonObject[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const about = PATH_IDS[name];
    if (about === undefined) throw new Error(`the path parameter ${name} has no description`);
    return { name, in: "path", required: true, ...about };
  });
}

function queryParameters({ parameters = {} }: Endpoint): readonly JsonObject[] {
  return Object.entries(parameters).map(([name, rule]) => {
    const { values, default: otherwise } = rule;
    const schema = values === undefined ? schemaOf(rule.shape) : { type: values.type, enum: values.enum };
    return {
      name,
      in: "query",
      required: rule.isRequired === true,
      description: rule.description,
      ...tierOf(rule),
      schema: { ...schema, ...(otherwise === undefined ? {} : { default: otherwise }) },
      ...(rule.example === undefined ? {} : { example: rule.example }),
    };
  });
}

function tierOf({ beyondFree }: ParameterRule<unknown>): JsonObject {
  if (beyondFree === undefined) return {};
  const { maximum } = beyondFree;
  return maximum === undefined ? { "x-lowest-tier": "pro" } : { "x-free-maximum": maximum };
}

function goodResponses({ answers, summary }: Endpoint): JsonObject {
  if (answers === undefined) return {};
  const { shape, mayBeKept } = answers;
  const kept = mayBeKept ? ["Cache-Control.kept", "ETag"] : ["Cache-Control"];
  const headers = [...EVERY_ANSWER, ...kept, "X-Snapshot-Version", ...COUNTED];
  return {
    200: file(summary, { "application/json": schemaOf(shape) }, headers),
    ...(mayBeKept ? { 304: unchanged(headers, "these bytes") } : {}),
  };
}

/** The problems of an endpoint. Without parameters, none of the problems of parameters is possible. */
function refusalsOf({ parameters, refusals, lowestTier }: Endpoint): readonly Problem[] {
  return [
    ...TRANSPORT_REFUSALS,
    ...(parameters === undefined ? [] : (["parameter-unknown"] as const)),
    ...Object.values(parameters ?? {}).map((rule) => rule.invalid),
    ...ACCESS_REFUSALS,
    ...(lowestTier === "free" ? [] : (["endpoint-needs-pro"] as const)),
    ...refusals,
  ];
}

const OPENAPI_SCHEMA: JsonObject = {
  type: "object",
  required: ["openapi", "info", "paths"],
  properties: { openapi: { type: "string" }, info: { type: "object" }, paths: { type: "object" } },
};

const TEXT: JsonObject = { type: "string" };

const STATIC = [...EVERY_ANSWER.filter((name) => name !== "Content-Security-Policy"), "ETag"];
const DOCUMENT_HEADERS = [...STATIC, "Content-Security-Policy", "Cache-Control.public"];
const FILE_HEADERS = [...STATIC, "Content-Security-Policy", "Cache-Control.immutable"];
const PAGE_HEADERS = [
  ...STATIC,
  "Content-Security-Policy.page",
  "Cache-Control.public",
  "Cross-Origin-Opener-Policy",
];

export function openOperations(): JsonObject {
  return {
    "/": open(
      "getWelcome",
      "Where to find the reference",
      "A short text that names `/docs` and `/openapi.json`.",
      {
        200: file("The text.", { "text/plain": TEXT }, DOCUMENT_HEADERS),
        304: unchanged(DOCUMENT_HEADERS),
      },
    ),
    "/healthz": open(
      "getLiveness",
      "Whether the process is alive",
      "Returns 200 as long as the process responds, with or without data.",
      { 200: state("The process is alive.", Liveness) },
    ),
    "/readyz": open(
      "getReadiness",
      "Whether data is served",
      "`ready`; `degraded` with a reason while the last good version is served; 503 without data, with data that is too old, while keys or quotas cannot be read, or while stopping.",
      {
        200: state("Data is served.", Ready),
        503: state(
          "Send no traffic here: there is no data, it is too old, or no request can be admitted.",
          Unready,
        ),
      },
    ),
    "/openapi.json": open("getOpenApi", "This document", "The reference as OpenAPI 3.1.", {
      200: file("This document.", { "application/json": OPENAPI_SCHEMA }, DOCUMENT_HEADERS),
      304: unchanged(DOCUMENT_HEADERS, "these bytes"),
    }),
    "/docs": open(
      "getDocs",
      "This document as a page",
      "For reading and trying; loads nothing from other hosts. A key is typed in by hand and never stored.",
      {
        200: file("The page.", { "text/html": TEXT }, PAGE_HEADERS),
        304: unchanged(PAGE_HEADERS),
      },
    ),
    "/docs/{file}": open(
      "getDocsFile",
      "A file of the page",
      "Named by a hash of its bytes, so it never changes.",
      {
        200: file(
          "The file.",
          { "text/css": TEXT, "text/javascript": TEXT, "text/plain": TEXT, "image/png": TEXT },
          FILE_HEADERS,
        ),
        304: unchanged(FILE_HEADERS),
        ...problemResponses(["route-unknown"], true),
      },
      [{ name: "file", in: "path", required: true, description: "The name in the page.", schema: TEXT }],
    ),
  };
}

function unchanged(headers: readonly string[], what = "it"): JsonObject {
  return { description: `The caller already has ${what}.`, headers: headerReferences(headers) };
}

function open(
  operationId: string,
  summary: string,
  description: string,
  responses: Readonly<Record<string, Json>>,
  parameters?: readonly JsonObject[],
): JsonObject {
  return {
    get: {
      operationId,
      tags: ["Service"],
      summary,
      description,
      security: [],
      ...(parameters === undefined ? {} : { parameters }),
      responses: { ...responses, ...problemResponses(TRANSPORT_REFUSALS, true) },
    },
  };
}

/** A response about the state of the server, which is never cached. */
function state(description: string, shape: z.ZodType): JsonObject {
  return {
    description,
    headers: headerReferences([...EVERY_ANSWER, "Cache-Control"]),
    content: { "application/json": { schema: schemaOf(shape) } },
  };
}

/** A static file, by its media types; it may be compressed. */
function file(description: string, types: JsonObject, headers: readonly string[]): JsonObject {
  return {
    description,
    headers: headerReferences([...headers, "Content-Encoding"]),
    content: Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }])),
  };
}

/**
 * The responses to requests that are no operation. OpenAPI cannot describe them, so they are in an extension with the
 * same notation.
 */
export function otherRequests(): JsonObject {
  return {
    "other-path": {
      description: "An unknown path. Under `/v1` the key is checked first; outside it nothing is counted.",
      responses: problemResponses([...TRANSPORT_REFUSALS, ...ACCESS_REFUSALS, "route-unknown"], true),
    },
    "other-method": {
      description: "A method other than GET, HEAD and OPTIONS under `/v1`.",
      responses: problemResponses([...TRANSPORT_REFUSALS, ...ACCESS_REFUSALS, "method-not-allowed"]),
    },
    options: {
      description: "OPTIONS under `/v1`: no key, no quota.",
      responses: {
        ...problemResponses(TRANSPORT_REFUSALS, true),
        204: {
          description: "The allowed methods, and for pages of allowed origins the answer to a preflight.",
          headers: headerReferences([
            ...EVERY_ANSWER,
            "Cache-Control",
            "Allow",
            "Access-Control-Allow-Methods",
            "Access-Control-Allow-Headers",
            "Access-Control-Max-Age",
          ]),
        },
      },
    },
  };
}
