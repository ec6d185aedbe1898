import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ObserveRequest } from "../request/handle-request.ts";
import { PROBLEMS, type Problem } from "../request/problems.ts";
import { HEADERS_MAX, hasBody, transportFault } from "../request/request-head.ts";
import type { Responses } from "../request/response.ts";
import { type ConnectionLimits, type Connections, tendConnections } from "./connections.ts";
import type { RequestHandler } from "./crowds.ts";
import * as limits from "./limits.ts";

export interface WireParts {
  readonly answers: Responses;
  readonly nowMs: () => number;
  readonly newRequestId: () => string;
  readonly observers: readonly ObserveRequest[];
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

export type Wire = ReturnType<typeof createWire>;

/**
 * Creates a server that passes well-formed requests to `handler`, one per connection at a time, and answers everything
 * else itself: in the envelope, at most once, and as the last response of the connection.
 */
export function createWire(parts: WireParts, handler: RequestHandler) {
  const server = createServer({
    ...limits.TIMEOUTS,
    maxHeaderSize: limits.HEADER_BYTES_MAX,
    // A missing Host gets an error in our envelope instead.
    requireHostHeader: false,
  });
  // One more than is allowed: the parser drops further lines silently, and a request with this many is refused.
  server.maxHeadersCount = HEADERS_MAX + 1;
  // A caller may close its half after its request. By default Node would then close ours too, before the responses.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = tendConnections(
    server,
    { ...limits.CONNECTION_LIMITS, ...parts.connectionLimits },
    (request, response) => handOut(parts, handler, request, response),
  );
  server.on("clientError", (error: { readonly code?: string }, socket: Socket) =>
    afterParserError(parts, connections, error.code, socket),
  );
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node no longer handles this socket, so we handle its errors and input.
    socket.on("error", () => socket.destroy());
    socket.resume();
    connections.endAfterwards(socket, () => farewell(parts, socket, "method-not-allowed", "CONNECT"));
  });
  const { admitted, hold } = connections;
  return { server, admitted, hold };
}

function handOut(
  parts: WireParts,
  handler: RequestHandler,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const fault = transportFault(request);
  if (fault !== undefined) {
    const id = parts.newRequestId();
    parts.answers.write({ id, request, response }, parts.answers.ofProblem(fault), { isLast: true });
    observe(parts, id, fault, request.method);
    return;
  }
  // The parser skips requests pipelined behind an ignored upgrade, so the connection closes after this one.
  if (hasBody(request) || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  handler(request, response);
}

/** Answers a request that could not be parsed, unless its response has already begun. */
function afterParserError(
  parts: WireParts,
  connections: Connections,
  code: string | undefined,
  socket: Socket,
): void {
  if (code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const last = connections.lastUnanswered(socket);
  // The error is in the body of a request being answered, or after one that asked to close.
  const isAnswered = last?.complete === false || code === "HPE_CLOSED_CONNECTION";
  const problem = problemOfParserError(code);
  connections.endAfterwards(
    socket,
    isAnswered ? undefined : () => farewell(parts, socket, problem, undefined),
  );
}

function problemOfParserError(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request-too-slow";
  return "request-malformed";
}

/** Writes a last response to a socket, then keeps reading for `LINGER_MS`: a reset could overtake the response. */
function farewell(parts: WireParts, socket: Socket, problem: Problem, method: string | undefined): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = parts.newRequestId();
  const { status, lines, body } = parts.answers.raw(problem, id);
  const dated = [...lines, "date", new Date(parts.nowMs()).toUTCString()];
  const fields = dated.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}\r\n${body}`, "latin1");
  const cut = setTimeout(() => socket.destroy(), limits.LINGER_MS);
  socket.once("close", () => clearTimeout(cut));
  observe(parts, id, problem, method);
}

function observe(parts: WireParts, requestId: string, problem: Problem, method = "unread"): void {
  const finished = {
    requestId,
    method,
    route: "unmatched",
    status: PROBLEMS[problem].status,
    keyId: undefined,
    tier: undefined,
    problem,
    ms: 0,
    isAborted: false,
  };
  for (const observer of parts.observers) observer(finished);
}

/** Bytes of an id: enough that ids never repeat in practice. */
const ID_BYTES = 12;

/** Ids drawn at once: a system call per id would cost more than all the rest. */
const IDS_DRAWN = 256;

/** Returns a function that makes random hex request ids, so that one id reveals nothing about another. */
export function createRequestIds(randomBytes: (count: number) => Uint8Array): () => string {
  let drawn = "";
  let index = 0;
  return () => {
    if (index === drawn.length) {
      drawn = Buffer.from(randomBytes(ID_BYTES * IDS_DRAWN)).toString("hex");
      index = 0;
    }
    index += 2 * ID_BYTES;
    return drawn.slice(index - 2 * ID_BYTES, index);
  };
}
