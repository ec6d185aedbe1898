import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Metrics, PROMETHEUS_TEXT } from "../observe/metrics.ts";
import { hasBody } from "../request/request-head.ts";
import type { Readiness } from "../snapshot/readiness.ts";
import { cutStalledAnswers } from "./connections.ts";
import * as limits from "./limits.ts";

/** What the operator's listener tells about. */
export interface AdminParts {
  readonly metrics: Pick<Metrics, "text">;
  readonly readiness: () => Readiness;
  readonly onError: (error: unknown) => void;
}

/** The paths of the operator's listener. */
export const ADMIN_PATHS = ["/metrics", "/healthz", "/readyz"] as const;

/** A scraper and a person or two: whoever wants more is no operator. */
const CONNECTIONS_MAX = 16;

/** After so many a caller connects anew. */
const REQUESTS_PER_SOCKET_MAX = 16;

/** A scraper has its answer before it asks again; its next request may be seen before the end of that is. */
const ASKED_AT_ONCE_MAX = 2;

/** A scraper sends some hundred bytes of headers, a browser a few thousand. */
const HEADER_BYTES_MAX = 4 * 1024;

/** On loopback a request is there at once. */
const HEADERS_TIMEOUT_MS = 2_000;

const JSON_TYPE = "application/json; charset=utf-8";

interface AdminAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * The operator's listener: numbers and state, nothing of what is served. It is a server of its own because these
 * answers must not reach the public however paths are rewritten in front.
 */
export function createAdmin(parts: AdminParts): Server {
  const unanswered = new WeakMap<Socket, number>();
  const countAsked = (socket: Socket, more: 1 | -1): number => {
    const count = (unanswered.get(socket) ?? 0) + more;
    unanswered.set(socket, count);
    return count;
  };
  const server = createServer(
    {
      requestTimeout: HEADERS_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: limits.CONNECTIONS_CHECK_MS,
      keepAliveTimeout: limits.KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    (request, response) => {
      const { socket } = request;
      // Node would make all that is asked for in one breath, and keep it in memory until somebody reads it.
      if (countAsked(socket, 1) > ASKED_AT_ONCE_MAX) return void socket.destroy();
      response.once("close", () => countAsked(socket, -1));
      answer(parts, request).then(
        (given) => send(request, response, given),
        (error: unknown) => {
          parts.onError(error);
          send(request, response, said(500, "failed"));
        },
      );
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
  cutStalledAnswers(server, {
    answerTimeoutMs: limits.ANSWER_TIMEOUT_MS,
    checkEveryMs: limits.CONNECTIONS_CHECK_MS,
  });
  return server;
}

async function answer({ metrics, readiness }: AdminParts, request: IncomingMessage): Promise<AdminAnswer> {
  if (hasBody(request)) return said(400, "no body is taken");
  const path = (request.url ?? "").split("?")[0];
  if (request.method !== "GET" && request.method !== "HEAD") return said(405, "method not allowed");
  if (path === "/metrics") return { status: 200, type: PROMETHEUS_TEXT, body: await metrics.text() };
  if (path === "/healthz") return said(200, "alive");
  if (path !== "/readyz") return said(404, "not found");
  const { httpStatus, body } = readiness();
  return { status: httpStatus, type: JSON_TYPE, body: `${JSON.stringify(body)}\n` };
}

function said(status: number, what: string): AdminAnswer {
  return { status, type: JSON_TYPE, body: `${JSON.stringify({ status: what })}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: AdminAnswer): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    // Nobody reads a body here: the rest of it must not be taken for the next request.
    ...(hasBody(request) ? { connection: "close" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
