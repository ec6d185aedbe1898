import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What answers one request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** What callers may take of a server. */
export interface ConnectionLimits {
  /** Beyond it a connection is accepted and dropped at once. */
  readonly connectionsMax: number;
  /** At most this part of all connections for callers who have not been admitted yet. */
  readonly newcomersShare: number;
  readonly requestsPerSocketMax: number;
  /** With so many requests waiting for the one before them a connection is destroyed. */
  readonly waitingMax: number;
  /** An answer must have left this process within so long. */
  readonly answerTimeoutMs: number;
  readonly checkEveryMs: number;
}

/** The connections of a server. */
export interface Connections {
  /** A request of this account was admitted here: from now on the connection is one of those that are kept. */
  readonly admitted: (socket: Socket, account: string) => void;
  /** Ends a connection after the answers it still has to get: `farewell` is written behind them, if anything is. */
  readonly endAfterwards: (socket: Socket, farewell: (() => void) | undefined) => void;
  /** The last request that was read from a connection and has no answer yet. */
  readonly lastUnanswered: (socket: Socket) => IncomingMessage | undefined;
  /** From now on requests that come are kept until the function that this returns is called. */
  readonly hold: () => () => void;
}

/** At most this part of all connections is kept for one account; more of them stay newcomers. */
const ACCOUNT_SHARE = 1 / 4;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  readonly socket: Socket;
  begun: number;
  /** The request that is being answered. */
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  /** Whatever is still read from this connection is nobody's request. */
  isClosed: boolean;
  farewell: (() => void) | undefined;
  /** Made once for a connection, so that a request costs no closure. */
  readonly goOn: () => void;
  /** Whose it is, where it is one of those that are kept. */
  account: string | undefined;
  /** How often it was seen with bytes that wait to be sent. */
  checksWaited: number;
}

/**
 * Hands out one request of a connection at a time, and ends connections that take more than their share.
 *
 * Node would begin all requests that are pipelined at once: those behind an answer that closes the connection, or of a
 * caller that hung up, would be charged and never answered, and never be counted out of those under way, as only the
 * first one gets the event of its end.
 *
 * Callers who were admitted keep their connections; when there are too many newcomers the oldest one goes, since an
 * honest caller is admitted with its first request, and a crowd without a key (or with a spent one) never is.
 */
export function tendConnections(
  server: Server,
  limits: ConnectionLimits,
  handler: RequestHandler,
): Connections {
  const newcomersMax = Math.max(1, Math.floor(limits.connectionsMax * limits.newcomersShare));
  const accountMax = Math.max(1, Math.floor(limits.connectionsMax * ACCOUNT_SHARE));
  const open = new Map<Socket, Connection>();
  // In the order of their arrival.
  const newcomers = new Set<Connection>();
  const kept = new Map<string, number>();
  let held: Exchange[] | undefined;

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.current = request;
    connection.begun += 1;
    // Said with the answer, so that the caller knows where to ask the rest anew (RFC 9112 §9.6).
    if (connection.begun >= limits.requestsPerSocketMax) response.shouldKeepAlive = false;
    // A response closes once.
    response.on("close", connection.goOn);
    if (held === undefined) handler(request, response);
    else held.push({ request, response });
  };

  const goOn = (connection: Connection): void => {
    connection.current = undefined;
    const next = connection.waiting.shift();
    if (!connection.socket.writable) {
      connection.isClosed = true;
      connection.waiting.length = 0;
    } else if (next !== undefined) begin(connection, next.request, next.response);
    else connection.farewell?.();
  };

  const take: RequestHandler = (request, response) => {
    const connection = open.get(request.socket);
    // At once: Node would end each one with an error when the connection is closed.
    if (connection === undefined || connection.isClosed) return void request.destroy();
    if (connection.current === undefined) return begin(connection, request, response);
    connection.waiting.push({ request, response });
    if (connection.waiting.length < limits.waitingMax) return;
    // Destroyed and not paused: one read of 64 KB may hold thousands of requests, of which Node makes objects before a
    // pause takes effect. What the rest of this read still makes is garbage at once.
    connection.isClosed = true;
    connection.waiting.length = 0;
    destroyCheaply(connection.socket);
  };

  const closed = (connection: Connection): void => {
    const { account } = connection;
    open.delete(connection.socket);
    newcomers.delete(connection);
    if (account === undefined) return;
    const left = (kept.get(account) ?? 1) - 1;
    if (left === 0) kept.delete(account);
    else kept.set(account, left);
  };

  server.maxConnections = limits.connectionsMax;
  server.on("connection", (socket: Socket) => {
    const connection: Connection = {
      socket,
      begun: 0,
      current: undefined,
      waiting: [],
      isClosed: false,
      farewell: undefined,
      goOn: () => {
        // After every listener of the end has run: the next one must find this one counted out.
        if (connection.waiting.length > 0) process.nextTick(goOn, connection);
        else goOn(connection);
      },
      account: undefined,
      checksWaited: 0,
    };
    open.set(socket, connection);
    newcomers.add(connection);
    socket.once("close", () => closed(connection));
    const [oldest] = newcomers;
    if (oldest === undefined || newcomers.size <= newcomersMax) return;
    newcomers.delete(oldest);
    oldest.socket.destroy();
  });
  server.on("request", take);
  // An expectation is ignored, as RFC 9110 §10.1.1 allows: Node's own 417 has no envelope, and nobody waits for a body.
  server.on("checkExpectation", take);
  server.on("checkContinue", take);
  server.on("listening", () => {
    const checksMax = Math.ceil(limits.answerTimeoutMs / limits.checkEveryMs);
    const check = setInterval(() => cutStalled(open.values(), checksMax), limits.checkEveryMs);
    check.unref();
    server.once("close", () => clearInterval(check));
  });

  return {
    admitted: (socket, account) => {
      const connection = open.get(socket);
      if (connection === undefined || !newcomers.has(connection)) return;
      const own = kept.get(account) ?? 0;
      if (own >= accountMax) return;
      newcomers.delete(connection);
      connection.account = account;
      kept.set(account, own + 1);
    },
    endAfterwards: (socket, farewell) => {
      const connection = open.get(socket);
      if (connection === undefined || connection.isClosed) return;
      connection.isClosed = true;
      if (connection.current === undefined) farewell?.();
      else connection.farewell = farewell;
    },
    lastUnanswered: (socket) => {
      const connection = open.get(socket);
      return connection?.waiting.at(-1)?.request ?? connection?.current;
    },
    hold: () => {
      held ??= [];
      return () => {
        const now = held ?? [];
        held = undefined;
        // Whoever hung up meanwhile is not charged.
        for (const { request, response } of now) if (!response.destroyed) handler(request, response);
      };
    },
  };
}

/**
 * Cuts off callers who do not take their answers. No timeout of Node's ends these connections, as each byte that is taken
 * starts it anew.
 */
function cutStalled(connections: Iterable<Connection>, checksMax: number): void {
  for (const connection of connections) {
    const { socket } = connection;
    if (socket.writableLength === 0) connection.checksWaited = 0;
    // A reset: the system would keep the unsent bytes of a socket that is only closed, megabytes for each.
    else if (connection.checksWaited >= checksMax) socket.resetAndDestroy();
    else connection.checksWaited += 1;
  }
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
