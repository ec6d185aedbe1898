import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Metrics, PROMETHEUS_TEXT } from "../observe/metrics.ts";
import { hasBody } from "../request/request-head.ts";
import type { Readiness } from "../snapshot/readiness.ts";
import { type ConnectionLimits, tendConnections } from "./connections.ts";
import { CONNECTION_LIMITS, TIMEOUTS } from "./limits.ts";

interface AdminParts {
  readonly metrics: Pick<Metrics, "text">;
  readonly readiness: () => Readiness;
  readonly onError: (error: unknown) => void;
}

/** Enough for a scraper and a person or two; an operator needs no more. */
const LIMITS: ConnectionLimits = {
  ...CONNECTION_LIMITS,
  connectionsMax: 16,
  // This listener admits nobody by key, so all connections stay newcomers.
  newcomersShare: 1,
  requestsPerSocketMax: 16,
  // A scraper waits for each response, but its next request may be read before the end of that response is noticed.
  waitingMax: 2,
};

/** On loopback a request arrives at once. */
const HEADERS_TIMEOUT_MS = 2_000;

/** A scraper sends some hundred bytes of headers, a browser a few thousand. */
const HEADER_BYTES_MAX = 4 * 1024;

interface AdminResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * The operator's listener: metrics and state, none of the data served. It is a separate server because these
 * answers must not reach the public, however a front server rewrites paths.
 */
export function createAdmin(parts: AdminParts): Server {
  const server = createServer({
    ...TIMEOUTS,
    requestTimeout: HEADERS_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  tendConnections(server, LIMITS, (request, response) => {
    answer(parts, request).then(
      (given) => send(request, response, given),
      (error: unknown) => {
        parts.onError(error);
        send(request, response, state(500, "failed"));
      },
    );
  });
  return server;
}

async function answer({ metrics, readiness }: AdminParts, request: IncomingMessage): Promise<AdminResponse> {
  if (hasBody(request)) return state(400, "no body is taken");
  const path = (request.url ?? "").split("?")[0];
  if (request.method !== "GET" && request.method !== "HEAD") return state(405, "method not allowed");
  if (path === "/metrics") return { status: 200, type: PROMETHEUS_TEXT, body: await metrics.text() };
  if (path === "/healthz") return state(200, "alive");
  if (path !== "/readyz") return state(404, "not found");
  const { httpStatus, body } = readiness();
  return json(httpStatus, body);
}

function state(status: number, what: string): AdminResponse {
  return json(status, { status: what });
}

function json(status: number, body: object): AdminResponse {
  return { status, type: "application/json; charset=utf-8", body: `${JSON.stringify(body)}\n` };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: AdminResponse,
): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    // This server reads no body; what is left of one must not be parsed as the next request.
    ...(hasBody(request) ? { connection: "close" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
