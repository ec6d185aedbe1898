import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import { ENDPOINTS } from "../routes/all.ts";
import { endpointOperation, openApiPath, openOperations, otherRequests } from "./operations.ts";
import { HEADER_COMPONENTS, sharedResponses } from "./responses.ts";
import { type JsonObject, schemaComponents } from "./schemas.ts";

/** The OpenAPI document: made of the route table, the table of problems and the published shapes, and of nothing else. */
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

const count = (tier: keyof typeof DAILY_REQUESTS) => DAILY_REQUESTS[tier].toLocaleString("en-US");

/** Version of the contract, which its paths carry as `/v1`; not the program's. */
const CONTRACT_VERSION = "1.0.0";

/** What a reader must know before the first request. */
const API_DESCRIPTION = `Governance health of DAOs: scores, risk, delegates, an index and labelled entities. Read-only; all
answers are JSON: \`{"data", "meta"}\`, or \`{"error": {"code", "message"}}\` with a stable code.

**Keys.** Every request under \`/v1\` needs a key in the \`x-api-key\` header.

| tier | may ask for | requests a UTC day |
|---|---|---|
| Free | the list of DAOs, the index and its history, the first 10 delegates | ${count("free")} |
| Pro | all of Free, and detail, risk, up to 100 delegates, past days, entities | ${count("pro")} |
| Enterprise | all of Pro | ${count("enterprise")}, or a limit of its own |

\`x-lowest-tier\` names the tier that an operation or a parameter needs, \`x-free-maximum\` the highest value that Free may send.

**Quota.** Keys of one account share one quota. Every answer to a valid key costs 1, refusals too; 401, 429 and 5xx cost
nothing. It starts anew at 00:00 UTC.

**Order of checks.** Key (401), quota (429), method and path (405, 404), tier (403), parameters (400), existence (404).

**HEAD** answers as GET without a body. **ETag** and \`If-None-Match\` give 304 for what did not change. \`x-other-requests\`
says what other requests get.`;

/** What the groups of operations are about. */
const TAGS = [
  { name: "DAOs", description: "Tracked DAOs: scores, risk, delegates." },
  { name: "Index", description: "The Decentralized Governance Index." },
  { name: "Entities", description: "Labelled entities and their wallets." },
  { name: "Service", description: "About this server; no key, no quota." },
] as const;
