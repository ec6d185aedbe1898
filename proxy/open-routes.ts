import type { FastifyInstance } from "fastify";
import { DOCS_PATHS, docsRoutes } from "./docs/docs-routes.ts";
import { sendBytes } from "./http/send-bytes.ts";
import { OPENAPI_PATH, openApiRoute } from "./openapi/openapi-route.ts";
import type { OptOutGuard } from "./snapshot/opt-out-guard.ts";
import { readinessOf } from "./snapshot/readiness.ts";
import type { SnapshotSource } from "./snapshot/snapshot-source.ts";
import { withWithheldEntities } from "./snapshot/withheld-entities.ts";

/** The routes that need no key and cost nothing. */
export const OPEN_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", OPENAPI_PATH, ...DOCS_PATHS]);

const ALIVE = Buffer.from('{"status":"alive"}\n');

/** What the open routes tell about. */
export interface OpenRoutesParts {
  readonly snapshots: Pick<SnapshotSource, "status">;
  readonly optOuts: Pick<OptOutGuard, "problem">;
  readonly nowMs: () => number;
  readonly maxAgeMs: number | undefined;
  readonly isStopping: () => boolean;
  /** Why nobody is let in at the moment, in one word. */
  readonly storeProblem: () => string | undefined;
}

/** `/healthz`: the process is alive. `/readyz`: it has data to serve, and how good it is. Then the API's reference. */
export function openRoutes(app: FastifyInstance, parts: OpenRoutesParts): void {
  openApiRoute(app);
  docsRoutes(app);
  app.route({
    method: ["GET", "HEAD"],
    url: "/healthz",
    handler: (request, reply) => sendBytes(request, reply, ALIVE),
  });
  app.route({
    method: ["GET", "HEAD"],
    url: "/readyz",
    handler: (request, reply) => {
      const readiness = readinessOf(parts.snapshots.status(), {
        nowMs: parts.nowMs(),
        maxAgeMs: parts.maxAgeMs,
        isStopping: parts.isStopping(),
        storeProblem: parts.storeProblem(),
      });
      const { httpStatus, body } = withWithheldEntities(readiness, parts.optOuts.problem());
      return sendBytes(request, reply.code(httpStatus), Buffer.from(`${JSON.stringify(body)}\n`));
    },
  });
}
