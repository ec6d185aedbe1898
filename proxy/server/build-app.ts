import { METHODS } from "node:http";
import { fastify } from "fastify";
import { describeError, type Log } from "../observe/create-log.ts";
import type { Endpoint } from "../request/endpoint.ts";
import { createRequestSteps, type HandlerParts } from "../request/handle-request.ts";
import { noQuery } from "../request/request-head.ts";
import { createResponses } from "../request/response.ts";
import { ENDPOINTS } from "../routes/all.ts";
import * as limits from "./limits.ts";
import { isOutOfFiles } from "./open-files.ts";
import { createLargeAnswers, type OpenRoutesParts, openRoutes } from "./open-routes.ts";
import { createWire, type Wire, type WireParts } from "./wire.ts";

export interface AppParts
  extends Omit<
    HandlerParts & WireParts & OpenRoutesParts,
    "answers" | "sendLarge" | "onAdmitted" | "onFailure"
  > {
  readonly log: Log;
  /** Tests add endpoints; the server uses `ENDPOINTS`. */
  readonly endpoints?: readonly Endpoint[];
}

/** The path below which every request needs a key. */
const API = "/v1";

const GET_OR_HEAD = ["GET", "HEAD"];

/** Builds the server without listening. Below `API` the key comes first, whether there is a route or not. */
export function buildApp(parts: AppParts) {
  const answers = createResponses(parts.corsOrigins);
  let wire: Wire | undefined;
  const app = fastify({
    serverFactory: (router) => {
      wire = createWire({ ...parts, answers }, router);
      return wire.server;
    },
    // The wire answers requests that cannot be parsed.
    clientErrorHandler: () => {},
    routerOptions: { maxParamLength: limits.PATH_ID_CHARACTERS_MAX, querystringParser: noQuery },
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
  if (wire === undefined) throw new Error("invariant: Fastify made no server");

  const steps = createRequestSteps({
    ...parts,
    answers,
    sendLarge: createLargeAnswers(limits.LARGE_ANSWERS_MAX),
    onAdmitted: wire.admitted,
    onFailure: (error, requestId) => {
      parts.log.error({ reqId: requestId, ...describeError(error) }, "request failed");
      // Running out of files is temporary, so it is not a 500.
      return isOutOfFiles(error) ? "too-busy" : "internal-error";
    },
  });
  // No body is ever read.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.decorateRequest("exchange");
  app.addHook("onRequest", steps.begin);
  app.setErrorHandler(steps.fail);
  app.setNotFoundHandler(steps.answerUnknown);
  for (const route of openRoutes({ ...parts, answers }))
    app.route({ method: GET_OR_HEAD, url: route.url, handler: steps.answerOpen(route) });
  app.register(
    async (api) => {
      api.addHook("onRequest", steps.admit);
      api.setNotFoundHandler(steps.answerUnknown);
      for (const endpoint of parts.endpoints ?? ENDPOINTS) {
        const url = endpoint.url.slice(API.length);
        api.route({ method: GET_OR_HEAD, url, handler: steps.answer(endpoint) });
      }
    },
    { prefix: API },
  );
  return { app, wire };
}

function noSchema(): never {
  throw new Error("invariant: no route has a schema");
}
