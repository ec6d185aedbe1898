import { EVERY_ANSWER, headerReferences } from "./header-components.ts";
import type { Json, JsonObject } from "./json.ts";
import { problemResponses, TRANSPORT_REFUSALS } from "./problem-responses.ts";
import { schemaReference } from "./schema-components.ts";

const OPENAPI_SCHEMA: JsonObject = {
  type: "object",
  required: ["openapi", "info", "paths"],
  properties: { openapi: { type: "string" }, info: { type: "object" }, paths: { type: "object" } },
};

const STATIC = [...EVERY_ANSWER.filter((name) => name !== "Content-Security-Policy"), "ETag"];
const PAGE_HEADERS = headerReferences([
  ...STATIC,
  "Content-Security-Policy.page",
  "Cache-Control.public",
  "Cross-Origin-Opener-Policy",
]);
const DOCUMENT_HEADERS = headerReferences([...STATIC, "Content-Security-Policy", "Cache-Control.public"]);
const FILE_HEADERS = headerReferences([...STATIC, "Content-Security-Policy", "Cache-Control.immutable"]);

/** The operations outside `/v1`, by path: no key, no quota. */
export function openOperations(): JsonObject {
  return {
    "/healthz": operation({
      operationId: "getLiveness",
      summary: "Whether the process is alive",
      description: "Answers as long as the process does, with or without data.",
      responses: { 200: bodyOf("The process is alive.", schemaReference("Liveness")) },
    }),
    "/readyz": operation({
      operationId: "getReadiness",
      summary: "Whether data is served",
      description:
        "`ready`; `degraded` with a reason while the last good version is served; 503 without data, with data that is too old, while keys or quotas cannot be asked, or while stopping.",
      responses: {
        200: bodyOf("Data is served.", schemaReference("Ready")),
        503: bodyOf(
          "Send nobody here: no data, data that is too old, or nobody can be let in.",
          schemaReference("Unready"),
        ),
      },
    }),
    "/openapi.json": operation({
      operationId: "getOpenApi",
      summary: "This document",
      description: "What you are reading, as OpenAPI 3.1.",
      responses: {
        200: {
          description: "This document.",
          headers: { ...DOCUMENT_HEADERS, ...headerReferences(["Content-Encoding"]) },
          content: { "application/json": { schema: OPENAPI_SCHEMA } },
        },
        304: {
          description: "The caller has these very bytes already.",
          headers: DOCUMENT_HEADERS,
        },
      },
    }),
    "/docs": operation({
      operationId: "getDocs",
      summary: "This document as a page",
      description:
        "To read and to try; works without any other host. A key is typed in by hand and never kept.",
      responses: {
        200: pageOf("The page.", ["text/html"], PAGE_HEADERS),
        304: { description: "The caller has it already.", headers: PAGE_HEADERS },
      },
    }),
    "/docs/{file}": operation({
      operationId: "getDocsFile",
      summary: "A file of the page",
      description: "Named by a hash of its bytes, so it never changes.",
      parameters: [
        {
          name: "file",
          in: "path",
          required: true,
          description: "As the page names it.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: pageOf("The file.", ["text/css", "text/javascript", "text/plain", "image/png"], FILE_HEADERS),
        304: { description: "The caller has it already.", headers: FILE_HEADERS },
        ...problemResponses(["route-unknown"], true),
      },
    }),
  };
}

function pageOf(description: string, types: readonly string[], headers: JsonObject): JsonObject {
  return {
    description,
    headers: { ...headers, ...headerReferences(["Content-Encoding"]) },
    content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }])),
  };
}

function operation(words: {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly JsonObject[];
  readonly responses: Readonly<Record<string, Json>>;
}): JsonObject {
  const { responses, ...rest } = words;
  const refusals = problemResponses(TRANSPORT_REFUSALS, true);
  return { get: { ...rest, tags: ["Service"], security: [], responses: { ...responses, ...refusals } } };
}

function bodyOf(description: string, schema: JsonObject): JsonObject {
  return {
    description,
    headers: headerReferences([...EVERY_ANSWER, "Cache-Control"]),
    content: { "application/json": { schema } },
  };
}
