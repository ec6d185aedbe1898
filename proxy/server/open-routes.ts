import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { docsFiles } from "../openapi/docs-page.ts";
import { openApiText } from "../openapi/openapi-document.ts";
import { problem } from "../request/answer.ts";
import { DOCS_FILE_CACHE, DOCS_PAGE_CACHE, DOCS_POLICY, JSON_TYPE } from "../request/headers.ts";
import { sendAnswer } from "../request/send-answer.ts";
import { sendBytes } from "../request/send-bytes.ts";
import { type StaticBody, sendStatic, staticBody } from "../request/static-body.ts";
import type { OptOutGuard } from "../snapshot/opt-out-guard.ts";
import { readinessOf } from "../snapshot/readiness.ts";
import type { SnapshotSource } from "../snapshot/snapshot-source.ts";

/** The routes that need no key and cost nothing. */
export const OPEN_PATHS: ReadonlySet<string> = new Set([
  "/healthz",
  "/readyz",
  "/openapi.json",
  "/docs",
  "/docs/:file",
]);

/** What the open routes report on. */
export interface OpenRoutesParts {
  readonly snapshots: Pick<SnapshotSource, "status">;
  readonly optOuts: Pick<OptOutGuard, "problem">;
  readonly nowMs: () => number;
  readonly maxAgeMs: number | undefined;
  readonly isStopping: () => boolean;
  /** Why every request gets 503 at the moment, as a stable code. */
  readonly storeProblem: () => string | undefined;
}

const ALIVE = Buffer.from('{"status":"alive"}\n');

/** `/healthz`: the process is alive. `/readyz`: it has data to serve. `/openapi.json` and `/docs`: the API's reference. */
export function openRoutes(app: FastifyInstance, parts: OpenRoutesParts): void {
  const get = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply) =>
    app.route({ method: ["GET", "HEAD"], url, handler });
  get("/healthz", (request, reply) => sendBytes(request, reply, ALIVE));
  get("/readyz", (request, reply) => {
    const { httpStatus, body } = readinessOf(parts.snapshots.status(), {
      nowMs: parts.nowMs(),
      maxAgeMs: parts.maxAgeMs,
      isStopping: parts.isStopping(),
      storeProblem: parts.storeProblem(),
      optOutsProblem: parts.optOuts.problem(),
    });
    return sendBytes(request, reply.code(httpStatus), Buffer.from(`${JSON.stringify(body)}\n`));
  });
  get("/openapi.json", (request, reply) =>
    sendStatic(request, reply, openApiBody(), { "cache-control": DOCS_PAGE_CACHE }),
  );
  get("/docs", (request, reply) =>
    sendStatic(request, reply, docsFiles().page, {
      "cache-control": DOCS_PAGE_CACHE,
      "content-security-policy": DOCS_POLICY,
      // A page that opened this one cannot reach into it.
      "cross-origin-opener-policy": "same-origin",
    }),
  );
  get("/docs/:file", sendFile);
}

let openApi: StaticBody | undefined;

/** What `govdata-proxy openapi` prints, to the byte. */
function openApiBody(): StaticBody {
  openApi ??= staticBody(JSON_TYPE, Buffer.from(openApiText()));
  return openApi;
}

/** The name is a key to look up, and never a part of a path. */
function sendFile(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { file = "" } = request.params as Readonly<Record<string, string>>;
  const body = docsFiles().files.get(file);
  if (body === undefined) return sendAnswer(request, reply, problem("route-unknown"), undefined);
  return sendStatic(request, reply, body, { "cache-control": DOCS_FILE_CACHE });
}
