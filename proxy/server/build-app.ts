import { type FastifyInstance, fastify } from "fastify";
import { describeError, type Log } from "../observe/create-log.ts";
import type { Endpoint } from "../request/endpoint.ts";
import { createRequestHandler, type HandlerParts } from "../request/handle-request.ts";
import { createResponseCache, createResponses } from "../request/response.ts";
import { ENDPOINTS } from "../routes/all.ts";
import * as limits from "./limits.ts";
import { isOutOfFiles } from "./open-files.ts";
import { type OpenRoutesParts, openRoutes } from "./open-routes.ts";
import { createWire, type Wire, type WireParts } from "./wire.ts";

/** Everything the app is made of; tests pass their own. */
export interface AppParts
  extends Omit<HandlerParts & WireParts & OpenRoutesParts, "answers" | "cache" | "onAdmitted" | "onFailure"> {
  readonly log: Log;
  /** Tests add endpoints; the server uses `ENDPOINTS`. */
  readonly endpoints?: readonly Endpoint[];
}

/** An app that does not listen yet, and control over its connections. */
export interface App {
  readonly app: FastifyInstance;
  readonly wire: Wire;
}

/**
 * Builds the server without listening. Fastify only routes: the first hook answers every request, so that Fastify's
 * body parsers, validation and replies never run. A route in neither list is answered as unknown, after the key check.
 */
export function buildApp(parts: AppParts): App {
  const answers = createResponses(parts.corsOrigins);
  let wire: Wire | undefined;
  const handle = createRequestHandler({
    ...parts,
    answers,
    cache: createResponseCache(limits.ANSWERS_CACHED_BYTES_MAX),
    onAdmitted: (socket, account) => wire?.admitted(socket, account),
    onFailure: (error, requestId) => {
      parts.log.error({ reqId: requestId, ...describeError(error) }, "request failed");
      // Running out of files is temporary, so it is not a 500.
      return isOutOfFiles(error) ? "too-busy" : "internal-error";
    },
  });
  const app = fastify({
    serverFactory: (router) => {
      wire = createWire({ ...parts, answers }, router);
      return wire.server;
    },
    // The wire answers requests that cannot be parsed.
    clientErrorHandler: () => {},
    // The endpoints parse queries themselves, strictly.
    routerOptions: { maxParamLength: limits.PATH_ID_CHARACTERS_MAX, querystringParser: () => ({}) },
    // Fastify's own compilers take a tenth of a second to load, at every start.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    genReqId: parts.newRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // While closing, requests on open connections get our own 503.
    return503OnClosing: false,
    // Fastify would make a child logger for each request.
    logger: false,
    frameworkErrors: (_error, { id, raw: request }, reply) => {
      const { raw: response } = reply.hijack();
      answers.write({ id, request, response }, answers.ofProblem("request-malformed"), { isLast: true });
    },
  });

  // No body is ever read.
  app.removeAllContentTypeParsers();
  const all = [...openRoutes({ ...parts, answers }), ...(parts.endpoints ?? ENDPOINTS)];
  const routes = new Map(all.map((route) => [route.url, route]));
  app.addHook("onRequest", (request, reply) => {
    reply.hijack();
    const [pathId = ""] = Object.values(request.params as Readonly<Record<string, string>>);
    const route = routes.get(request.routeOptions.url ?? "");
    handle({ id: request.id, request: request.raw, response: reply.raw, route, pathId });
  });
  for (const url of routes.keys()) app.route({ method: ["GET", "HEAD"], url, handler: answeredByHook });
  app.setNotFoundHandler(answeredByHook);
  if (wire === undefined) throw new Error("invariant: Fastify made no server");
  return { app, wire };
}

function answeredByHook(): never {
  throw new Error("invariant: the first hook answers every request");
}

function noSchema(): never {
  throw new Error("invariant: no route has a schema");
}
