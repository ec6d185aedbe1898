import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from "fastify";
import { type AnswerMemory, createAnswerMemory } from "./fast-path/answer-memory.ts";
import { createFastPath, type Decisions } from "./fast-path/fast-path.ts";
import { admitRequest, type GateParts } from "./gate.ts";
import type { Log } from "./observe/create-log.ts";
import { problem } from "./request/answer.ts";
import type { ObserveRequest } from "./request/finished-request.ts";
import { standardHeaders } from "./request/headers.ts";
import { splitTarget } from "./request/request-target.ts";
import { sendAnswer } from "./request/send-answer.ts";
import { createRequestState, requestStateOf, STATE } from "./request-state.ts";
import { ENDPOINTS } from "./routes/all.ts";
import type { Endpoint } from "./routes/endpoint.ts";
import { createRouteFinder } from "./routes/route-finder.ts";
import * as limits from "./server/limits.ts";
import { isOutOfFiles } from "./server/open-files.ts";
import { openRoutes } from "./server/open-routes.ts";
import type { DelegateAnswers } from "./snapshot/delegate-answers.ts";
import type { OptOutGuard } from "./snapshot/opt-out-guard.ts";
import type { SnapshotSource } from "./snapshot/snapshot-source.ts";
import type { RequestHandler } from "./wire/connection-turns.ts";
import { createWireServer } from "./wire/wire-server.ts";

/** Everything the server is made of; tests give their own. */
export interface AppParts extends Omit<GateParts, "decisions"> {
  readonly snapshots: SnapshotSource;
  readonly delegates: DelegateAnswers;
  readonly optOuts: OptOutGuard;
  readonly nowMs: () => number;
  /** Why nobody is let in at the moment, in one word; `/readyz` tells it. */
  readonly storeProblem: () => string | undefined;
  /** A finer clock for how long something took, which nobody sets; the wall's where there is none. */
  readonly monotonicMs?: () => number;
  readonly newRequestId: () => string;
  readonly maxAgeMs: number | undefined;
  readonly log: Log;
  readonly observe: ObserveRequest;
  /** Tests add an endpoint of their own; the server's are `ENDPOINTS`. */
  readonly endpoints?: readonly Endpoint[];
  /** Without it every request goes through the router; the answers are the same. */
  readonly hasFastPath?: boolean;
}

/** Builds the server without listening: hooks, routes and the answers to everything that is no route. */
export function buildApp(parts: AppParts): FastifyInstance {
  const decisions: Decisions = new WeakMap();
  const memory = createAnswerMemory(limits.ANSWERS_REMEMBERED_BYTES_MAX);
  const endpoints = parts.endpoints ?? ENDPOINTS;
  const fast = {
    ...parts,
    memory,
    durationMs: parts.monotonicMs ?? parts.nowMs,
    routeOf: createRouteFinder(endpoints.map(({ url }) => url)),
  };
  const before = (router: RequestHandler) =>
    parts.hasFastPath === false ? router : createFastPath(fast, decisions, router);
  const app = fastify({
    serverFactory: (router) => createWireServer(parts, before(router)),
    // The wire answers what cannot be read.
    clientErrorHandler: () => {},
    routerOptions: { maxParamLength: limits.PATH_ID_CHARACTERS_MAX },
    genReqId: parts.newRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // Requests on kept connections while closing get our own 503.
    return503OnClosing: false,
    loggerInstance: parts.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, request, reply) => {
      reply.headers({ ...headersFor(parts, request), connection: "close" });
      sendAnswer(request, reply, problem("request-malformed"), undefined);
    },
  });

  // No body is ever read.
  app.removeAllContentTypeParsers();
  app.decorateRequest(STATE, null);
  app.addHook("onRequest", async (request, reply) => {
    const state = createRequestState(request, reply, parts.observe);
    reply.headers(headersFor(parts, request));
    await admitRequest({ ...parts, decisions }, request, reply, state);
  });
  openRoutes(app, parts);
  for (const endpoint of endpoints) addEndpoint(app, parts, endpoint, memory);
  app.setNotFoundHandler((request, reply) => notFound(request, reply));
  app.setErrorHandler((error, request, reply) => fail(parts, error, request, reply));
  return app;
}

function addEndpoint(app: FastifyInstance, parts: AppParts, endpoint: Endpoint, memory: AnswerMemory): void {
  app.route({
    method: ["GET", "HEAD"],
    url: endpoint.url,
    handler: async (request, reply) => {
      const { admission } = requestStateOf(request);
      // The gate lets nothing through to an endpoint without an admission; if it ever does, nothing is served.
      if (admission === undefined) throw new Error("invariant: a request came past the gate");
      const [pathId] = Object.values(request.params as Readonly<Record<string, string>>);
      // The router takes `/v1/daos/` for an empty id; to us it is an unknown route.
      if (pathId === "") return notFound(request, reply);
      const lease = parts.snapshots.acquire();
      if (lease === undefined) {
        return sendAnswer(request, reply, problem("no-snapshot"), await admission.refund());
      }
      try {
        const { tier } = admission;
        const snapshot = parts.optOuts.shown(lease.reader);
        const answer = endpoint.answer({
          tier,
          pathId: pathId ?? "",
          query: new URLSearchParams(splitTarget(request.url).query),
          snapshot,
          delegates: parts.delegates,
        });
        if (answer.kind === "body" && parts.hasFastPath !== false)
          memory.remember(snapshot, request.url, tier, { answer, route: endpoint.url });
        return sendAnswer(request, reply, answer, admission.standing);
      } finally {
        lease.release();
      }
    },
  });
}

function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendAnswer(request, reply, problem("route-unknown"), requestStateOf(request).admission?.standing);
}

/** Our own failure: the unit goes back, the caller learns nothing, the log learns where but no text that could hold an id. */
async function fail(
  parts: AppParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  request.log.error(describeError(error), "request failed");
  // The framework drops the content type when an error passes through it.
  reply.removeHeader("etag").headers(headersFor(parts, request));
  const standing = await requestStateOf(request).admission?.refund();
  const name = isOutOfFiles(error) ? "too-busy" : "internal-error";
  return sendAnswer(request, reply, problem(name), standing);
}

/** What may be logged of an error: its kind and where it happened, without its message. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as { readonly code?: unknown }).code;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: typeof code === "string" ? code : undefined, frames };
}

function headersFor(parts: AppParts, request: FastifyRequest): Record<string, string> {
  return standardHeaders({
    requestId: request.id,
    origin: request.headers.origin,
    corsOrigins: parts.corsOrigins,
  });
}
