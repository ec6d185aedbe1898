import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import { ENDPOINTS } from "../routes/all.ts";
import { API_DESCRIPTION, CONTRACT_VERSION, TAGS } from "./api-words.ts";
import { endpointOperation, openApiPath } from "./endpoint-operation.ts";
import { HEADER_COMPONENTS } from "./header-components.ts";
import type { JsonObject } from "./json.ts";
import { openOperations } from "./open-operations.ts";
import { otherRequests } from "./other-requests.ts";
import { sharedResponses } from "./problem-responses.ts";
import { schemaComponents } from "./schema-components.ts";

/** The OpenAPI document: made of the route table, the table of situations and the published shapes, and of nothing else. */
export function openApiDocument(): JsonObject {
  const endpoints = ENDPOINTS.map((endpoint): [string, JsonObject] => [
    openApiPath(endpoint.url),
    { get: endpointOperation(endpoint) },
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Governance Data API",
      version: CONTRACT_VERSION,
      summary: "Governance health of DAOs.",
      description: API_DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this document came from." }],
    security: [{ apiKey: [] }],
    tags: [...TAGS],
    "x-requests-a-day": { ...DAILY_REQUESTS },
    paths: { ...Object.fromEntries(endpoints), ...openOperations() },
    "x-other-requests": otherRequests(),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The account's API key." },
      },
      headers: HEADER_COMPONENTS,
      responses: sharedResponses(),
      schemas: schemaComponents(),
    },
  };
}

/** The document as text, the same bytes every time. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}
