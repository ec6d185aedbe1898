import type { FastifyReply, FastifyRequest } from "fastify";
import type { Decisions } from "./fast-path/fast-path.ts";
import type { Access } from "./request/access.ts";
import { problem } from "./request/answer.ts";
import { ALLOWED_METHODS, type CorsOrigins, preflightHeaders } from "./request/headers.ts";
import { isUnderApi } from "./request/request-target.ts";
import { sendAnswer } from "./request/send-answer.ts";
import type { RequestState } from "./request-state.ts";
import { OPEN_PATHS } from "./server/open-routes.ts";

/** What the gate needs. */
export interface GateParts {
  readonly access: Access;
  /** What the fast path found out about a request before it gave it on. */
  readonly decisions: Decisions;
  readonly corsOrigins: CorsOrigins;
  readonly isStopping: () => boolean;
}

/**
 * The first half of the order of checks, behind the wire's: OPTIONS, key, room, quota, method. A request that comes
 * out without an answer is admitted, or asks for something outside `/v1`.
 */
export async function admitRequest(
  parts: GateParts,
  request: FastifyRequest,
  reply: FastifyReply,
  state: RequestState,
): Promise<void> {
  if (parts.isStopping()) reply.header("connection", "close");
  if (isOpen(request)) {
    // Answered here, because what has a body would fail on its way: none is ever parsed.
    if (request.is404) sendAnswer(request, reply, problem("route-unknown"), undefined);
    return;
  }
  if (request.method === "OPTIONS") {
    reply.headers(preflightHeaders(request.headers.origin, parts.corsOrigins));
    return void reply.code(204).header("allow", ALLOWED_METHODS).send();
  }
  const admission = parts.decisions.get(request.raw) ?? (await parts.access(request.raw.rawHeaders));
  state.keyId = admission.keyId;
  if (admission.kind === "refused") {
    return void sendAnswer(request, reply, problem(admission.problem), admission.standing);
  }
  state.admission = admission;
  // The caller hung up while the unit was written: its end has passed already.
  if (state.isOver) admission.leave();
  if (request.method !== "GET" && request.method !== "HEAD") {
    sendAnswer(request, reply, problem("method-not-allowed"), admission.standing);
  }
}

/** Only what is listed, or what no route matched outside `/v1`, goes without a key: a route is guarded by default. */
function isOpen(request: FastifyRequest): boolean {
  if (request.is404) return !isUnderApi(request.url);
  return OPEN_PATHS.has(request.routeOptions.url ?? "");
}
