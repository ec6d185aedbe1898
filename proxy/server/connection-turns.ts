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
  /** From now on requests that come are kept until the function that this returns is called. */
  readonly hold: () => () => void;
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
 * answer that closes the connection, or of a caller that hung up, would be charged and never answered, and never be
 * counted out of those under way, as only the first one hears of the end.
 */
export function createConnectionTurns(limits: TurnLimits, handler: RequestHandler): ConnectionTurns {
  const turnsBySocket = new WeakMap<Socket, Turns>();
  let held: Exchange[] | undefined;

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
        // When all have heard of the end: the next one must find this one counted out.
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
    if (held === undefined) handler(request, response);
    else held.push({ request, response });
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
      const { socket } = request;
      const turns = turnsOf(socket);
      // At once: Node would end each one with an error when the connection is closed.
      if (turns.isClosed) return void request.destroy();
      if (turns.current === undefined) return begin(turns, request, response);
      turns.waiting.push({ request, response });
      if (turns.waiting.length < limits.waitingMax) return;
      // Destroyed and not paused: one read of 64 KB may hold thousands of requests, of which Node makes objects before a
      // pause takes effect. What the rest of this read still makes is garbage at once.
      turns.isClosed = true;
      turns.waiting.length = 0;
      destroyCheaply(socket);
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
    hold: () => {
      held ??= [];
      return () => {
        const kept = held ?? [];
        held = undefined;
        // Whoever hung up meanwhile is not charged.
        for (const { request, response } of kept) if (!response.destroyed) handler(request, response);
      };
    },
  };
}

/** Node makes an error for each request that a closing connection leaves behind; thousands of stacks would hold up all others. */
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
