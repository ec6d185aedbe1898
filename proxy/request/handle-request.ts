import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotSource } from "../snapshot/snapshot-source.ts";
import type { Admit, Admitted, QuotaStatus, Refused } from "./admit.ts";
import { answerOf, type Endpoint } from "./endpoint.ts";
import { type CorsOrigins, preflightLines } from "./headers.ts";
import type { Problem } from "./problems.ts";
import { splitTarget } from "./request-head.ts";
import { createResponseCache, type ReadyResponse, type Responses } from "./response.ts";

/**
 * A caller without a key or without quota left does not keep its connection. Node accepts one connection per turn of the
 * event loop, so a crowd that repeats requests on kept connections would make every newcomer wait for seconds.
 */
const ENDS_CONNECTION: ReadonlySet<number> = new Set([401, 429]);

/** A connection gets few answers without a key, so that smaller ones need no turn. */
const LARGE_BYTES = 8 * 1024;

/** A route outside `/v1`: no key, no quota. `answer` gives `undefined` where the name in the path is unknown. */
export interface OpenRoute {
  readonly url: string;
  readonly answer: (request: IncomingMessage, name: string) => ReadyResponse | undefined;
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
  readonly snapshots: Pick<SnapshotSource, "shown">;
  readonly corsOrigins: CorsOrigins;
  /** Aborted once the server is stopping: each response ends its connection then. */
  readonly stopping: AbortSignal;
  readonly tickMs: () => number;
  readonly observers: readonly ObserveRequest[];
  /** Writes a large answer without a key when it is its turn. */
  readonly sendLarge: (socket: Socket, write: () => void) => void;
  /** Called for each admitted request with its connection and account. */
  readonly onAdmitted: (socket: Socket, account: string) => void;
  /** Logs what failed; gives the problem to answer with. */
  readonly onFailure: (error: unknown, requestId: string) => Problem;
}

interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  keyId: string | undefined;
  tier: AccessTier | undefined;
  admission: Admitted | undefined;
  problem: Problem | undefined;
  isOver: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/**
 * The steps of a request as Fastify's hooks and handlers, in the one order of checks: OPTIONS, key, used-up account, room,
 * quota, method, route, tier, parameters, existence. What the wire refuses never gets here.
 */
export function createRequestSteps(parts: HandlerParts) {
  const { answers, tickMs } = parts;
  const cached = createResponseCache();

  // Past Fastify, to `reply.raw`: `reply.headers` and `reply.send` cost a third of a request. Fastify sees that it has ended.
  const send = (
    exchange: Exchange,
    answer: ReadyResponse | Problem,
    quota?: QuotaStatus,
    isLarge = false,
  ): void => {
    let ready = answer;
    if (typeof ready === "string") {
      exchange.problem = ready;
      ready = answers.ofProblem(ready, ready === "quota-used-up" ? quota?.secondsToReset : undefined);
    }
    const isLast = isLarge || ENDS_CONNECTION.has(ready.status) || parts.stopping.aborted;
    answers.write(exchange, ready, { quota, isLast });
  };

  /** For our own failures, and for a 304: the unit is given back, so that the charge stays the one gate before any work. */
  const sendUncharged = async (exchange: Exchange, answer: ReadyResponse | Problem): Promise<void> => {
    const quota = await exchange.admission?.refund();
    if (exchange.response.headersSent) exchange.response.destroy();
    else send(exchange, answer, quota);
  };

  /** Whether the request goes on to its route. */
  const isAdmitted = (exchange: Exchange, decision: Admitted | Refused): boolean => {
    exchange.keyId = decision.keyId;
    if (decision.kind === "refused") {
      send(exchange, decision.problem, decision.quota);
      return false;
    }
    exchange.tier = decision.tier;
    parts.onAdmitted(exchange.request.socket, decision.account);
    // The caller hung up while the unit was being written: its end was reported already.
    if (exchange.isOver) decision.leave();
    else exchange.admission = decision;
    return !exchange.isOver;
  };

  const find = (
    endpoint: Endpoint,
    exchange: Exchange,
    tier: AccessTier,
    pathId: string,
  ): ReadyResponse | Problem => {
    const { request } = exchange;
    // The router takes `/v1/daos/` for an empty id; to callers it is an unknown route.
    if (pathId === "" && endpoint.url.includes(":")) return "route-unknown";
    const snapshot = parts.snapshots.shown();
    if (snapshot === undefined) return "no-snapshot";
    const target = request.url ?? "";
    const answer = cached(snapshot, tier, target, () => {
      const query = new URLSearchParams(splitTarget(target).query);
      return answerOf(endpoint, { tier, pathId, query, snapshot });
    });
    if (typeof answer === "string") return answer;
    if ("encode" in answer) return answers.ofBody(answer, request);
    exchange.problem = answer.problem;
    return answers.ofReason(answer.problem, answer.reason);
  };

  return {
    begin: (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      const startedMs = tickMs();
      const exchange: Exchange = {
        id: request.id,
        request: request.raw,
        response: reply.raw,
        keyId: undefined,
        tier: undefined,
        admission: undefined,
        problem: undefined,
        isOver: false,
      };
      request.exchange = exchange;
      // Not `onResponse`, which does not come when the caller hangs up; "close" comes after every response and then too.
      reply.raw.on("close", () => {
        exchange.isOver = true;
        exchange.admission?.leave();
        const finished = {
          requestId: exchange.id,
          method: request.raw.method ?? "",
          route: request.routeOptions.url ?? "unmatched",
          status: reply.raw.statusCode,
          keyId: exchange.keyId,
          tier: exchange.tier,
          problem: exchange.problem,
          ms: tickMs() - startedMs,
          isAborted: !reply.raw.writableFinished,
        };
        for (const observe of parts.observers) observe(finished);
      });
      done();
    },

    /** The hook of every request under `/v1`. The route comes later: without a key nothing about routes can be seen. */
    admit: ({ exchange, raw }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
      if (raw.method === "OPTIONS") {
        send(exchange, answers.ofNothing(204, preflightLines(raw.headers.origin, parts.corsOrigins)));
        return;
      }
      const decide = (decision: Admitted | Refused): void => {
        if (isAdmitted(exchange, decision)) done();
      };
      const decision = parts.admit(raw.rawHeaders);
      if (decision instanceof Promise) decision.then(decide).catch(done);
      else decide(decision);
    },

    answer: (endpoint: Endpoint) => {
      return ({ exchange, params }: FastifyRequest): void | Promise<void> => {
        const { admission } = exchange;
        if (admission === undefined) throw new Error("invariant: an endpoint was asked without a key");
        const [pathId = ""] = Object.values(params as Readonly<Record<string, string>>);
        const found = find(endpoint, exchange, admission.tier, pathId);
        const isFree = typeof found === "string" ? found === "no-snapshot" : found.status === 304;
        if (isFree) return sendUncharged(exchange, found);
        send(exchange, found, admission.quota);
      };
    },

    answerOpen: ({ answer }: OpenRoute) => {
      return ({ exchange, params, raw }: FastifyRequest): void => {
        const [name = ""] = Object.values(params as Readonly<Record<string, string>>);
        const found = answer(raw, name) ?? "route-unknown";
        const isLarge = typeof found !== "string" && (found.body?.length ?? 0) > LARGE_BYTES;
        if (!isLarge) send(exchange, found);
        else parts.sendLarge(raw.socket, () => send(exchange, found, undefined, isLarge));
      };
    },

    answerUnknown: ({ exchange, raw }: FastifyRequest): void => {
      const { admission } = exchange;
      const isMethodWrong = admission !== undefined && raw.method !== "GET" && raw.method !== "HEAD";
      send(exchange, isMethodWrong ? "method-not-allowed" : "route-unknown", admission?.quota);
    },

    fail: (error: unknown, { exchange }: FastifyRequest): Promise<void> =>
      sendUncharged(exchange, parts.onFailure(error, exchange.id)),
  };
}
