import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Limits on the connections and requests of callers. */
export interface ConnectionLimits {
  /** Above this number a new connection is accepted and dropped at once. */
  readonly connectionsMax: number;
  /** The share of all connections open to callers that have not been admitted yet. */
  readonly newcomersShare: number;
  readonly requestsPerSocketMax: number;
  /** A connection is destroyed when this many requests wait behind the current one. */
  readonly waitingMax: number;
  /** A response must have left this process within this time. */
  readonly answerTimeoutMs: number;
  readonly checkEveryMs: number;
}

export interface Connections {
  /** Call it when a request of this account was admitted on this connection; the connection is then kept. */
  readonly admitted: (socket: Socket, account: string) => void;
  /** Ends a connection after its outstanding answers; `farewell`, if given, then writes a last one. */
  readonly endAfterwards: (socket: Socket, farewell: (() => void) | undefined) => void;
  /** The last request read from a connection and not yet answered. */
  readonly lastUnanswered: (socket: Socket) => IncomingMessage | undefined;
  /** Holds back new requests until the returned function is called. */
  readonly hold: () => () => void;
}

/** The share of all connections kept for one account; its further connections stay newcomers. */
const ACCOUNT_SHARE = 1 / 4;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  readonly socket: Socket;
  begun: number;
  /** Bytes read when its last response had left; more mean that the caller is sending its next request. */
  bytesAnswered: number;
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  /** True once no further request of this connection will be answered. */
  isClosed: boolean;
  farewell: (() => void) | undefined;
  /** Made once per connection, so that a request costs no closure. */
  readonly goOn: () => void;
  /** The account this connection is kept for. */
  account: string | undefined;
  /** How many checks in a row found unsent bytes. */
  checksWaited: number;
}

/**
 * Handles one request of a connection at a time, and ends connections that take more than their share.
 *
 * Node would begin all pipelined requests at once. Those behind a response that closes the connection, or from a caller
 * that hung up, would be charged but never answered. They would also count as in progress for ever, since Node emits
 * "close" only for the first of them.
 *
 * Admitted callers keep their connections. When there are too many newcomers the oldest is dropped: an honest caller is
 * admitted with its first request, while a crowd without a key (or with a spent one) never is.
 */
export function tendConnections(
  server: Server,
  limits: ConnectionLimits,
  handler: RequestHandler,
): Connections {
  const newcomersMax = Math.max(1, Math.floor(limits.connectionsMax * limits.newcomersShare));
  const accountMax = Math.max(1, Math.floor(limits.connectionsMax * ACCOUNT_SHARE));
  const open = new Map<Socket, Connection>();
  // In order of arrival.
  const newcomers = new Set<Connection>();
  const kept = new Map<string, number>();
  let held: Exchange[] | undefined;

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.current = request;
    connection.begun += 1;
    // Sent with this response, so that the caller knows which requests to send again (RFC 9112 §9.6).
    if (connection.begun >= limits.requestsPerSocketMax) response.shouldKeepAlive = false;
    // A response emits "close" once.
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
    else {
      connection.bytesAnswered = connection.socket.bytesRead;
      connection.farewell?.();
    }
  };

  const take: RequestHandler = (request, response) => {
    const connection = open.get(request.socket);
    // Destroyed now; otherwise Node would end each one with an error when the connection closes.
    if (connection === undefined || connection.isClosed) return void request.destroy();
    if (connection.current === undefined) return begin(connection, request, response);
    connection.waiting.push({ request, response });
    if (connection.waiting.length < limits.waitingMax) return;
    // Destroyed instead of paused: one read of 64 KB may hold thousands of requests, and Node creates objects for all
    // of them before a pause takes effect. Objects from the rest of this read become garbage at once.
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
      bytesAnswered: 0,
      current: undefined,
      waiting: [],
      isClosed: false,
      farewell: undefined,
      goOn: () => {
        // Runs after all "close" listeners, so that this request no longer counts when the next one begins.
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
  // `server.close` calls it. Since Node 26 the original also cuts callers that have connected and not asked yet, whom we
  // owe a response (nodejs/node#63470).
  server.closeIdleConnections = () => {
    for (const { socket, begun, current, bytesAnswered } of open.values()) {
      if (begun > 0 && current === undefined && socket.bytesRead === bytesAnswered) socket.destroy();
    }
  };
  server.on("request", take);
  // Expectations are ignored, as RFC 9110 §10.1.1 allows: Node's 417 has no envelope, and no body is read here.
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
      const connectionsKept = kept.get(account) ?? 0;
      if (connectionsKept >= accountMax) return;
      newcomers.delete(connection);
      connection.account = account;
      kept.set(account, connectionsKept + 1);
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
        // Callers that hung up meanwhile are not charged.
        for (const { request, response } of now) if (!response.destroyed) handler(request, response);
      };
    },
  };
}

/**
 * Cuts off callers that do not read their answers. Node's timeouts never end these connections, since each byte the
 * caller reads restarts them.
 */
function cutStalled(connections: Iterable<Connection>, checksMax: number): void {
  for (const connection of connections) {
    const { socket } = connection;
    if (socket.writableLength === 0) connection.checksWaited = 0;
    // Reset, not closed: the system keeps the unsent bytes of a closed socket, megabytes for each.
    else if (connection.checksWaited >= checksMax) socket.resetAndDestroy();
    else connection.checksWaited += 1;
  }
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
