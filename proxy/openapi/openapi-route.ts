import type { FastifyInstance } from "fastify";
import { DOCS_PAGE_CACHE } from "../docs/docs-headers.ts";
import { type StaticBody, sendStatic, staticBody } from "../docs/send-static.ts";
import { JSON_TYPE } from "../http/standard-headers.ts";
import { openApiText } from "./openapi-document.ts";

/** Where the document is served. */
export const OPENAPI_PATH = "/openapi.json";

let body: StaticBody | undefined;

/** `/openapi.json`: what `govdata-proxy openapi` prints, to the byte. */
export function openApiRoute(app: FastifyInstance): void {
  app.route({
    method: ["GET", "HEAD"],
    url: OPENAPI_PATH,
    handler: (request, reply) => {
      body ??= staticBody(JSON_TYPE, Buffer.from(openApiText()));
      return sendStatic(request, reply, body, { "cache-control": DOCS_PAGE_CACHE });
    },
  });
}
