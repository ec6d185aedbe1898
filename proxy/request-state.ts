import type { FastifyReply, FastifyRequest } from "fastify";
import type { Admitted } from "./request/access.ts";
import type { ObserveRequest } from "./request/finished-request.ts";
import { notedProblem } from "./request/noted-problem.ts";

/** Under which name a request carries its state. */
export const STATE = "govdataState";

/** What is known of a request on its way. */
export interface RequestState {
  /** The key's id, once the key was found valid: for the log. */
  keyId: string | undefined;
  admission: Admitted | undefined;
  /** Whether the answer is out, or the caller is gone. */
  isOver: boolean;
}

/** Begins the state of a request, and sees to it that its end is observed and frees its place. */
export function createRequestState(
  request: FastifyRequest,
  reply: FastifyReply,
  observe: ObserveRequest,
): RequestState {
  const state: RequestState = { keyId: undefined, admission: undefined, isOver: false };
  request.setDecorator(STATE, state);
  // "close" comes after every answer and also when the caller hangs up; "finish" does not.
  reply.raw.once("close", () => {
    state.isOver = true;
    state.admission?.leave();
    observe({
      requestId: request.id,
      method: request.method,
      route: request.is404 ? "unmatched" : (request.routeOptions.url ?? "unmatched"),
      status: reply.raw.statusCode,
      keyId: state.keyId,
      tier: state.admission?.tier,
      problem: notedProblem(reply.raw),
      ms: reply.elapsedTime,
      isAborted: !reply.raw.writableFinished,
    });
  });
  return state;
}

/** The state of a request that came through the first hook. */
export function requestStateOf(request: FastifyRequest): RequestState {
  return request.getDecorator<RequestState>(STATE);
}
