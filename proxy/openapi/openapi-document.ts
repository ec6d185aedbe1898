import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import { TIERS } from "../../snapshots/format/value-sets.ts";
import { ENDPOINTS } from "../routes/all.ts";
import { HEADER_COMPONENTS, type JsonObject, schemaComponents, sharedResponses } from "./components.ts";
import { endpointOperation, openApiPath, openOperations, otherRequests } from "./operations.ts";

/** The OpenAPI document, built from the route table, the table of problems and the published shapes. */
function openApiDocument(): JsonObject {
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
    servers: [{ url: "/", description: "The server of this document." }],
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

/** The document as text; always the same bytes. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

const TIER_ROWS = Object.values(TIERS).map(({ name, access, dailyRequests, mayHaveOwnLimit }) => {
  const orOwn = mayHaveOwnLimit ? ", or an individual limit" : "";
  return `| ${name} | ${access} | ${dailyRequests.toLocaleString("en-US")}${orOwn} |`;
});

/** Version of the API, whose paths begin with `/v1`; not the version of the program. */
const CONTRACT_VERSION = "1.0.0";

/** The introduction, with everything that all operations have in common. */
const API_DESCRIPTION = `Governance health of DAOs: scores, risk, delegates, an index and labelled entities. Read-only; all
responses are JSON: \`{"data", "meta"}\`, or \`{"error": {"code", "message"}}\` with a stable code.

## Quick start

Ask the operator for a key. With the address of this server in \`URL\` and the key in \`KEY\`:

    curl -H "x-api-key: $KEY" "$URL/v1/daos"

The response lists every scored DAO by rank; \`meta.by_space_id\` says how well each score is known. On the page \`/docs\`,
choose Authorize, then an operation and Try it out.

## Rules

**Keys.** Every request under \`/v1\` needs a key in the \`x-api-key\` header.

| tier | access | requests per UTC day |
|---|---|---|
${TIER_ROWS.join("\n")}

\`x-lowest-tier\` names the tier that an operation or a parameter needs, \`x-free-maximum\` the highest value that Free may send.

**Quota.** Keys of one account share one quota. Every response to a valid key costs 1, errors included; 304, 401, 429 and
5xx cost nothing. The quota resets at 00:00 UTC.

**How sure a number is.** \`meta\` has an interval for each score, and how much of it is known. \`gvs_confidence\` only counts proposals.

**History.** Of the index, \`/v1/dgi/history\`; of one DAO, \`history.gvs_30d\` with its dates in \`meta\`. A year of each DAO is in the
published files \`history/<space_id>.json\`, which need no key.

**Changes.** Under \`/v1\` fields, codes and values may be added, never removed or redefined. An operation that is to
end says so in the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) at least 180 days before, beside its successor.

**Order of checks.** Key (401), quota (429), method and path (405, 404), tier (403), parameters (400), existence (404).

**HEAD** is like GET without a body. With \`If-None-Match\` and an unchanged **ETag** the response is 304.
\`x-other-requests\` describes all other requests.`;

const TAGS = [
  { name: "DAOs", description: "Tracked DAOs: scores, risk, delegates." },
  { name: "Index", description: "The Decentralized Governance Index." },
  { name: "Entities", description: "Labelled entities and their wallets." },
  { name: "Service", description: "About this server; no key, no quota." },
] as const;
