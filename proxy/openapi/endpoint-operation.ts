import type { Endpoint, ParameterRule } from "../request/endpoint.ts";
import type { Problem } from "../request/problems.ts";
import { COUNTED, EVERY_ANSWER, headerReferences } from "./header-components.ts";
import type { Json, JsonObject } from "./json.ts";
import { ACCESS_REFUSALS, problemResponses, TRANSPORT_REFUSALS } from "./problem-responses.ts";
import { schemaOf, schemaReference } from "./schema-components.ts";

/** The ids that stand in paths. */
const PATH_IDS: Readonly<Record<string, JsonObject>> = {
  space_id: { description: "The DAO's id.", schema: schemaReference("SpaceId") },
  entity_id: { description: "The entity's id.", schema: schemaReference("EntityId") },
};

const TIER_NAMES = { free: "Free", pro: "Pro", enterprise: "Enterprise" } as const;

/** A route's template as OpenAPI writes it: `/v1/daos/{space_id}`. */
export function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}");
}

/** One endpoint as an operation: its parameters, and every status and code it can answer with. */
export function endpointOperation(endpoint: Endpoint): JsonObject {
  const { lowestTier } = endpoint;
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\nLowest tier: ${TIER_NAMES[lowestTier]}.`,
    "x-lowest-tier": lowestTier,
    parameters: [...pathParameters(endpoint.url), ...queryParameters(endpoint)],
    responses: { ...goodResponses(endpoint), ...problemResponses(refusalsOf(endpoint)) },
  };
}

function pathParameters(url: string): readonly JsonObject[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const words = PATH_IDS[name];
    if (words === undefined) throw new Error(`no words for the path id ${name}`);
    return { name, in: "path", required: true, ...words };
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
  if (beyondFree === "any value") return { "x-lowest-tier": "pro" };
  return { "x-free-maximum": beyondFree.maximum };
}

function goodResponses({ answers, summary }: Endpoint): JsonObject {
  if (answers === undefined) return {};
  const { shape, mayBeKept } = answers;
  const kept = mayBeKept ? ["Cache-Control.kept", "ETag"] : ["Cache-Control"];
  const headers = [...EVERY_ANSWER, ...kept, "X-Snapshot-Version", ...COUNTED];
  const good: Record<string, Json> = {
    200: {
      description: summary,
      headers: headerReferences([...headers, "Content-Encoding"]),
      content: { "application/json": { schema: schemaOf(shape) } },
    },
  };
  if (mayBeKept) {
    good["304"] = {
      description: "The caller has these very bytes already.",
      headers: headerReferences(headers),
    };
  }
  return good;
}

/** Everything an endpoint can run into. One without an answer reads no parameters, so none of them can be wrong. */
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
