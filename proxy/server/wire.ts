import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Answers } from "../request/answer.ts";
import type { ObserveRequest } from "../request/handle-request.ts";
import { PROBLEMS, type Problem } from "../request/problems.ts";
import { hasBody, transportFault } from "../request/request-head.ts";
import {
  type ConnectionLimits,
  type Connections,
  type RequestHandler,
  tendConnections,
} from "./connections.ts";
import * as limits from "./limits.ts";

/** What the wire needs to answer malformed requests. */
export interface WireParts {
  readonly answers: Answers;
  readonly nowMs: () => number;
  readonly newRequestId: () => string;
  readonly observers: readonly ObserveRequest[];
  /** What differs from `CONNECTION_LIMITS`. */
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

/** An HTTP server, and what to do with its connections. */
export interface Wire extends Pick<Connections, "admitted" | "hold"> {
  readonly server: Server;
}

/**
 * A server that hands well-formed requests to `handler`, one of a connection at a time, and answers everything else
 * itself: in the envelope, at most once, and as the last answer of its connection.
 */
export function createWire(parts: WireParts, handler: RequestHandler): Wire {
  const server = createServer({
    ...limits.TIMEOUTS,
    maxHeaderSize: limits.HEADER_BYTES_MAX,
    // A missing Host is refused in the envelope.
    requireHostHeader: false,
  });
  // No limit of the parser's, which would drop lines in silence: the bytes are bounded, and the lines counted later.
  server.maxHeadersCount = 0;
  // A caller may close its own half once it has asked. Left alone, Node would close ours as well, before the answers.
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
    // Node has let go of this socket: its errors and its input are ours.
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
  // The parser skips what is pipelined behind an upgrade that nobody takes up, so nothing may follow it.
  if (hasBody(request) || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  handler(request, response);
}

/** Answers what could not be parsed, unless its answer is on the way already. */
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
  // The fault lies in the body of a request that is being answered, or behind one that asked to close.
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

/** Writes a last answer to a socket. The rest of what the caller sends is read for a while: a reset could overtake the answer. */
function farewell(parts: WireParts, socket: Socket, problem: Problem, method: string | undefined): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = parts.newRequestId();
  const { status, lines, body } = parts.answers.raw(problem, id);
  const dated = [...lines, "date", new Date(parts.nowMs()).toUTCString()];
  const fields = dated.map((each, at) => (at % 2 === 0 ? `${each}: ` : `${each}\r\n`)).join("");
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
  for (const each of parts.observers) each(finished);
}

/** Bytes of an id: enough that no two ids are the same. */
const ID_BYTES = 12;

/** Ids drawn at once: asking the system for each costs more than everything else about an id. */
const IDS_DRAWN = 256;

/** Makes request ids, each of fresh randomness and in hex, so that one says nothing about another. */
export function createRequestIds(randomBytes: (count: number) => Uint8Array): () => string {
  let drawn = "";
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = Buffer.from(randomBytes(ID_BYTES * IDS_DRAWN)).toString("hex");
      at = 0;
    }
    at += 2 * ID_BYTES;
    return drawn.slice(at - 2 * ID_BYTES, at);
  };
}
