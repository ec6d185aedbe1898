import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotSource } from "../snapshot/snapshot-source.ts";
import type { Admit, Admitted, Refused } from "./admit.ts";
import { answerOf, type Endpoint } from "./endpoint.ts";
import { type CorsOrigins, preflightLines, type QuotaStatus } from "./headers.ts";
import type { Problem } from "./problems.ts";
import { isUnderApi, splitTarget } from "./request-head.ts";
import type { ReadyResponse, ResponseCache, Responses } from "./response.ts";

/**
 * A caller without a key or without quota left does not keep its connection. Node accepts one connection per turn of the
 * event loop, so a crowd that repeats requests on kept connections would make every newcomer wait for seconds.
 */
const ENDS_CONNECTION: ReadonlySet<number> = new Set([401, 429]);

/** A route outside `/v1`: no key, no quota. `answer` gives `undefined` where the name in the path is unknown. */
export interface OpenRoute {
  readonly url: string;
  readonly answer: (request: IncomingMessage, name: string) => ReadyResponse | undefined;
}

/** A request as the router hands it over: `route` is undefined where it matched none. */
interface RoutedRequest {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Endpoint | OpenRoute | undefined;
  /** The value of the template's `:name`, decoded. */
  readonly pathId: string;
}

/** What is recorded of a request once it has ended: nothing that the caller sent. */
export interface FinishedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, never the path itself: that may hold an entity or a wallet. */
  readonly route: string;
  readonly status: number;
  /** The key's id, once the key was found valid. */
  readonly keyId: string | undefined;
  /** The account's tier, once the request was admitted. */
  readonly tier: AccessTier | undefined;
  /** Why it was refused, if it was. */
  readonly problem: Problem | undefined;
  /** From the first byte read to the end; not rounded. */
  readonly ms: number;
  /** Whether the caller hung up before the response was out. */
  readonly isAborted: boolean;
}

/** Called for every request at its end, exactly once. */
export type ObserveRequest = (finished: FinishedRequest) => void;

export interface HandlerParts {
  readonly admit: Admit;
  readonly answers: Responses;
  readonly cache: ResponseCache;
  readonly snapshots: Pick<SnapshotSource, "shown">;
  readonly corsOrigins: CorsOrigins;
  /** Aborted once the server is stopping: each response ends its connection then. */
  readonly stopping: AbortSignal;
  /** A clock for durations. */
  readonly tickMs: () => number;
  readonly observers: readonly ObserveRequest[];
  /** Called for each admitted request with its connection and account. */
  readonly onAdmitted: (socket: Socket, account: string) => void;
  /** Logs what failed; gives the problem to answer with. */
  readonly onFailure: (error: unknown, requestId: string) => Problem;
}

/** A request in progress, and what its end will report. */
interface Exchange extends RoutedRequest {
  readonly startedMs: number;
  keyId: string | undefined;
  tier: AccessTier | undefined;
  admission: Admitted | undefined;
  problem: Problem | undefined;
  /** Whether the response has been sent, or the caller has gone. */
  isOver: boolean;
}

/**
 * Answers one request after the other, each by the one order of checks: OPTIONS, key, used-up account, room,
 * quota, method, route, tier, parameters, existence. What the wire refuses never gets here.
 */
export function createRequestHandler(parts: HandlerParts): (routed: RoutedRequest) => void {
  const { answers } = parts;

  const send = (exchange: Exchange, answer: ReadyResponse | Problem, quota?: QuotaStatus): void => {
    let ready = answer;
    if (typeof ready === "string") {
      exchange.problem = ready;
      ready = answers.ofProblem(ready, ready === "quota-used-up" ? quota?.secondsToReset : undefined);
    }
    const isLast = ENDS_CONNECTION.has(ready.status) || parts.stopping.aborted;
    answers.write(exchange, ready, { quota, isLast });
  };

  /** For our own failures, and for a 304: the unit is given back, so that the charge stays the one gate before any work. */
  const sendUncharged = async (exchange: Exchange, answer: ReadyResponse | Problem): Promise<void> => {
    const quota = await exchange.admission?.refund();
    if (exchange.response.headersSent) exchange.response.destroy();
    else send(exchange, answer, quota);
  };

  const fail = (exchange: Exchange, error: unknown): void =>
    void sendUncharged(exchange, parts.onFailure(error, exchange.id));

  /** The checks behind the quota: method, route, and what the endpoint asks for. */
  const find = (exchange: Exchange, tier: AccessTier): ReadyResponse | Problem => {
    const { request, route, pathId } = exchange;
    if (request.method !== "GET" && request.method !== "HEAD") return "method-not-allowed";
    // The router takes `/v1/daos/` for an empty id; to callers it is an unknown route.
    if (!isEndpoint(route) || (pathId === "" && route.url.includes(":"))) return "route-unknown";
    const snapshot = parts.snapshots.shown();
    if (snapshot === undefined) return "no-snapshot";
    const target = request.url ?? "";
    const answer = parts.cache.answer(snapshot, tier, target, () => {
      const query = new URLSearchParams(splitTarget(target).query);
      return answerOf(route, { tier, pathId, query, snapshot });
    });
    if (answer.kind !== "problem") return answers.ofBody(answer, request);
    if (answer.reason === undefined) return answer.problem;
    exchange.problem = answer.problem;
    return answers.ofReason(answer.problem, answer.reason);
  };

  const decide = (exchange: Exchange, decision: Admitted | Refused): void => {
    exchange.keyId = decision.keyId;
    if (decision.kind === "refused") {
      send(exchange, decision.problem, decision.quota);
      return;
    }
    const { account, tier, quota } = decision;
    exchange.tier = tier;
    parts.onAdmitted(exchange.request.socket, account);
    // The caller hung up while the unit was being written: `end` has run already.
    if (exchange.isOver) {
      decision.leave();
      return;
    }
    exchange.admission = decision;
    const answer = find(exchange, tier);
    const isFree = typeof answer === "string" ? answer === "no-snapshot" : answer.status === 304;
    if (isFree) void sendUncharged(exchange, answer);
    else send(exchange, answer, quota);
  };

  const begin = (exchange: Exchange): void => {
    const { request, route, pathId } = exchange;
    if (route !== undefined && !isEndpoint(route)) {
      send(exchange, route.answer(request, pathId) ?? "route-unknown");
    } else if (route === undefined && !isUnderApi(request.url ?? "")) {
      send(exchange, "route-unknown");
    } else if (request.method === "OPTIONS") {
      const lines = preflightLines(request.headers.origin, parts.corsOrigins);
      send(exchange, answers.ofNothing(204, lines));
    } else {
      const decision = parts.admit(request.rawHeaders);
      if (!(decision instanceof Promise)) decide(exchange, decision);
      else decision.then((later) => decide(exchange, later)).catch((error) => fail(exchange, error));
    }
  };

  return (routed) => {
    // Field by field: V8 gives an object that begins with a spread a slow shape, which costs a request a tenth of its time.
    const exchange: Exchange = {
      id: routed.id,
      request: routed.request,
      response: routed.response,
      route: routed.route,
      pathId: routed.pathId,
      startedMs: parts.tickMs(),
      keyId: undefined,
      tier: undefined,
      admission: undefined,
      problem: undefined,
      isOver: false,
    };
    // "close" comes after every response and also when the caller hangs up; "finish" does not.
    routed.response.on("close", () => end(parts, exchange));
    try {
      begin(exchange);
    } catch (error) {
      fail(exchange, error);
    }
  };
}

function isEndpoint(route: Endpoint | OpenRoute | undefined): route is Endpoint {
  return route !== undefined && "lowestTier" in route;
}

/** Ends a request: releases its place and reports it. */
function end({ tickMs, observers }: HandlerParts, exchange: Exchange): void {
  const { id, request, response, route, keyId, tier, problem, startedMs } = exchange;
  exchange.isOver = true;
  exchange.admission?.leave();
  const finished = {
    requestId: id,
    method: request.method ?? "",
    route: route?.url ?? "unmatched",
    status: response.statusCode,
    keyId,
    tier,
    problem,
    ms: tickMs() - startedMs,
    isAborted: !response.writableFinished,
  };
  for (const observe of observers) observe(finished);
}
