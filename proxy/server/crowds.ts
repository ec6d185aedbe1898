import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Reads are looked into before they are parsed until there was no flood for so many checks. */
const GUARDED_CHECKS = 60;

const HEADERS_END = "\r\n\r\n";

/**
 * Destroys connections that send more requests in one read than may wait: the parser would make objects for all of them
 * before anybody could stop it. 440 connections with 64 KB of tiny requests each took 2 GB.
 *
 * It looks into reads only from the first flood on. Node reads faster if nobody looks into the bytes: a look at each read
 * costs a request a fifth of its time.
 */
export function createFloodGuard(waitingMax: number, openSockets: () => Iterable<Socket>) {
  /** How many more checks reads are looked into. */
  let guardedChecks = 0;

  const lookInto = (socket: Socket): void => {
    // Before the listener of Node's server, which has the parser read the chunk.
    socket.prependListener("data", (chunk: Buffer) => {
      let ends = 0;
      for (let end = chunk.indexOf(HEADERS_END); end !== -1; end = chunk.indexOf(HEADERS_END, end + 1)) {
        ends += 1;
        if (ends <= waitingMax) continue;
        // A listener cannot keep the chunk from the next one: the parser stops at its first byte instead.
        chunk.fill(0);
        flooded(socket);
        return;
      }
    });
  };
  /** Destroys a connection that floods, and looks into the reads of all others. */
  const flooded = (flooding: Socket): void => {
    destroyCheaply(flooding);
    if (guardedChecks === 0) for (const socket of openSockets()) lookInto(socket);
    guardedChecks = GUARDED_CHECKS;
  };
  return {
    flooded,
    /** Call it for each new connection. */
    opened: (socket: Socket): void => {
      if (guardedChecks > 0) lookInto(socket);
    },
    /** Call it once a check. */
    check: (): void => {
      guardedChecks = Math.max(0, guardedChecks - 1);
    },
  };
}

/**
 * Destroys a socket without stack traces. Node creates an error for each request left on a closing connection, and
 * thousands of stack traces would delay all other requests.
 */
function destroyCheaply(socket: Socket): void {
  let stackTraceLimit = 0;
  socket.prependOnceListener("close", () => {
    ({ stackTraceLimit } = Error);
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}

/** Returns a function that begins a few requests in each turn of the event loop, in their order, and the rest in later ones. */
export function takeTurns(atOnce: number, handler: RequestHandler): (exchange: Exchange) => void {
  const waiting: Exchange[] = [];
  let begun = 0;
  const begin = ({ request, response }: Exchange): void => {
    begun += 1;
    if (begun === 1) setImmediate(nextTurn);
    // Callers that hung up meanwhile are not charged.
    if (!response.destroyed) handler(request, response);
  };
  const nextTurn = (): void => {
    begun = 0;
    for (const exchange of waiting.splice(0, atOnce)) begin(exchange);
  };
  return (exchange) => {
    if (begun < atOnce && waiting.length === 0) begin(exchange);
    else waiting.push(exchange);
  };
}
