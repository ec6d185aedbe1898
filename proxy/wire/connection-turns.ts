import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What answers one request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** How many requests a connection may bring, and how many may wait for the one before them. */
export interface TurnLimits {
  readonly requestsPerSocketMax: number;
  readonly waitingMax: number;
}

/** The requests of all connections, each connection's one after the other. */
export interface ConnectionTurns {
  readonly take: RequestHandler;
  /** Ends a connection after the answers it still has to get: `farewell` is written behind them, if anything is. */
  readonly endAfterwards: (socket: Socket, farewell: (() => void) | undefined) => void;
  /** The last request that was read from a connection and has no answer yet. */
  readonly lastUnanswered: (socket: Socket) => IncomingMessage | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Turns {
  begun: number;
  /** The request that is being answered. */
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  /** Whatever is still read from this connection is nobody's request. */
  isClosed: boolean;
  farewell: (() => void) | undefined;
  /** Made once for a connection, so that a request costs no closure. */
  readonly goOn: () => void;
}

/**
 * Hands out one request of a connection at a time. Node would begin all that are pipelined at once: requests behind an
 * answer that closes the connection, or of a caller that hung up, would be charged and never answered, and their
 * places under the in-flight cap never freed, as only the first one hears of the end.
 */
export function createConnectionTurns(limits: TurnLimits, handler: RequestHandler): ConnectionTurns {
  const turnsBySocket = new WeakMap<Socket, Turns>();

  function turnsOf(socket: Socket): Turns {
    const known = turnsBySocket.get(socket);
    if (known !== undefined) return known;
    const turns: Turns = {
      begun: 0,
      current: undefined,
      waiting: [],
      isClosed: false,
      farewell: undefined,
      goOn: () => {
        // When all have heard of the end: the next one must find the place of this one free.
        if (turns.waiting.length > 0) process.nextTick(goOn, turns, socket);
        else goOn(turns, socket);
      },
    };
    turnsBySocket.set(socket, turns);
    return turns;
  }

  function begin(turns: Turns, request: IncomingMessage, response: ServerResponse): void {
    turns.current = request;
    turns.begun += 1;
    // Said with the answer, so that the caller knows where to ask the rest anew (RFC 9112 §9.6).
    if (turns.begun >= limits.requestsPerSocketMax) response.shouldKeepAlive = false;
    // A response closes once.
    response.on("close", turns.goOn);
    handler(request, response);
  }

  function goOn(turns: Turns, socket: Socket): void {
    turns.current = undefined;
    const next = turns.waiting.shift();
    if (!socket.writable) {
      turns.isClosed = true;
      turns.waiting.length = 0;
    } else if (next !== undefined) begin(turns, next.request, next.response);
    else turns.farewell?.();
  }

  return {
    take: (request, response) => {
      const turns = turnsOf(request.socket);
      if (turns.isClosed) return;
      if (turns.current === undefined) return begin(turns, request, response);
      turns.waiting.push({ request, response });
      if (turns.waiting.length < limits.waitingMax) return;
      response.shouldKeepAlive = false;
      turns.isClosed = true;
    },
    endAfterwards: (socket, farewell) => {
      const turns = turnsOf(socket);
      if (turns.isClosed) return;
      turns.isClosed = true;
      if (turns.current === undefined) farewell?.();
      else turns.farewell = farewell;
    },
    lastUnanswered: (socket) => {
      const turns = turnsBySocket.get(socket);
      return turns?.waiting.at(-1)?.request ?? turns?.current;
    },
  };
}
