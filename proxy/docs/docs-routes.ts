import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { problem } from "../http/answer.ts";
import { sendAnswer } from "../http/send-answer.ts";
import { docsFiles } from "./docs-files.ts";
import { DOCS_FILE_CACHE, DOCS_PAGE_CACHE, DOCS_POLICY } from "./docs-headers.ts";
import { sendStatic } from "./send-static.ts";

/** The routes of the page, as the router writes them. */
export const DOCS_PATHS = ["/docs", "/docs/:file"] as const;

/** `/docs`: the API's reference to read and to try. `/docs/:file`: what the page is made of, and nothing else. */
export function docsRoutes(app: FastifyInstance): void {
  const [page, file] = DOCS_PATHS;
  app.route({
    method: ["GET", "HEAD"],
    url: page,
    handler: (request, reply) =>
      sendStatic(request, reply, docsFiles().page, {
        "cache-control": DOCS_PAGE_CACHE,
        "content-security-policy": DOCS_POLICY,
        // A page that opened this one cannot reach into it.
        "cross-origin-opener-policy": "same-origin",
      }),
  });
  app.route({ method: ["GET", "HEAD"], url: file, handler: sendFile });
}

/** A name is a key to look up, and never a part of a path. */
function sendFile(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { file = "" } = request.params as Readonly<Record<string, string>>;
  const body = docsFiles().files.get(file);
  if (body === undefined) return sendAnswer(request, reply, problem("route-unknown"), undefined);
  return sendStatic(request, reply, body, { "cache-control": DOCS_FILE_CACHE });
}
