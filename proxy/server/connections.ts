import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createFloodGuard, type Exchange, type RequestHandler, takeTurns } from "./crowds.ts";

export interface ConnectionLimits {
  /** Above this number a new connection is accepted and dropped at once. */
  readonly connectionsMax: number;
  /** The share of all connections open to callers that have not been admitted yet. */
  readonly newcomersShare: number;
  /** Requests of newcomers that begin in one turn of the event loop; those of admitted callers begin at once. */
  readonly newcomersATurn: number;
  /** An admitted connection is a newcomer again when nothing was admitted on it for this long. */
  readonly keptForMs: number;
  /** A connection ends with the response to this many requests since the last admitted one. */
  readonly unpaidMax: number;
  readonly requestsPerSocketMax: number;
  /** A connection is destroyed when this many requests wait behind the current one. */
  readonly waitingMax: number;
  /** A response must have left this process within this time. */
  readonly answerTimeoutMs: number;
  readonly checkEveryMs: number;
}

export type Connections = ReturnType<typeof tendConnections>;

/** The share of all connections kept for one account; its further connections stay newcomers. */
const ACCOUNT_SHARE = 1 / 4;

/** The share of all connections kept for all accounts together: the rest is always open to newcomers. */
const KEPT_SHARE = 3 / 4;

/** A caller has so many checks to read the last answer and end its side: all of it may lie with the system. */
const ENDED_CHECKS = 30;

/** Connections accepted beyond the limit until the longest unpaid ones are gone. */
const ACCEPTED_BEYOND = 16;

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
  /** Requests since the last admitted one. */
  unpaid: number;
  /** The number of the last check before a request was admitted. */
  paidAtCheck: number;
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
 * Admitted callers keep their connections while they go on asking. When there are too many newcomers, or no place is
 * left, the longest unpaid is dropped: an honest caller is admitted with its first request, while a crowd without a key
 * (or with a spent one) never is. The crowd's requests begin by turns, so that it delays nobody who was admitted.
 */
export function tendConnections(server: Server, limits: ConnectionLimits, handler: RequestHandler) {
  const newcomersMax = Math.max(1, Math.floor(limits.connectionsMax * limits.newcomersShare));
  const accountMax = Math.max(1, Math.floor(limits.connectionsMax * ACCOUNT_SHARE));
  const keptMax = Math.max(1, Math.floor(limits.connectionsMax * KEPT_SHARE));
  const open = new Map<Socket, Connection>();
  // The longest unpaid first.
  const newcomers = new Set<Connection>();
  const kept = new Map<string, number>();
  let checks = 0;
  let held: Exchange[] | undefined;
  const byTurns = takeTurns(limits.newcomersATurn, handler);
  const floods = createFloodGuard(limits.waitingMax, () => open.keys());

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.current = request;
    connection.begun += 1;
    connection.unpaid += 1;
    // Sent with this response, so that the caller knows which requests to send again (RFC 9112 §9.6).
    const isLast = connection.begun >= limits.requestsPerSocketMax || connection.unpaid >= limits.unpaidMax;
    if (isLast) response.shouldKeepAlive = false;
    // A response emits "close" once.
    response.on("close", connection.goOn);
    if (held !== undefined) held.push({ request, response });
    else if (newcomers.has(connection)) byTurns({ request, response });
    else handler(request, response);
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
    floods.flooded(connection.socket);
  };

  /** Gives the place of a kept connection back to its account. */
  const unkeep = (connection: Connection): void => {
    const { account } = connection;
    if (account === undefined) return;
    connection.account = undefined;
    const left = (kept.get(account) ?? 1) - 1;
    if (left === 0) kept.delete(account);
    else kept.set(account, left);
  };

  const closed = (connection: Connection): void => {
    open.delete(connection.socket);
    newcomers.delete(connection);
    unkeep(connection);
  };

  server.maxConnections = limits.connectionsMax + ACCEPTED_BEYOND;
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
      unpaid: 0,
      paidAtCheck: 0,
      checksWaited: 0,
    };
    open.set(socket, connection);
    newcomers.add(connection);
    socket.once("close", () => closed(connection));
    floods.opened(socket);
    const [longestUnpaid] = newcomers;
    const isFull = newcomers.size > newcomersMax || open.size > limits.connectionsMax;
    if (longestUnpaid === undefined || !isFull) return;
    newcomers.delete(longestUnpaid);
    if (longestUnpaid.socket.writableEnded) longestUnpaid.socket.resetAndDestroy();
    else longestUnpaid.socket.destroy();
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
    const keptChecks = Math.ceil(limits.keptForMs / limits.checkEveryMs);
    const check = setInterval(() => {
      checks += 1;
      floods.check();
      cutStalled(open.values(), checksMax);
      for (const connection of open.values()) {
        if (connection.account === undefined || checks - connection.paidAtCheck <= keptChecks) continue;
        unkeep(connection);
        newcomers.add(connection);
      }
    }, limits.checkEveryMs);
    check.unref();
    server.once("close", () => clearInterval(check));
  });

  return {
    /** Call it when a request of this account was admitted on this connection; the connection is then kept. */
    admitted: (socket: Socket, account: string): void => {
      const connection = open.get(socket);
      if (connection === undefined) return;
      connection.unpaid = 0;
      connection.paidAtCheck = checks;
      if (!newcomers.has(connection)) return;
      const connectionsKept = kept.get(account) ?? 0;
      if (connectionsKept >= accountMax || open.size - newcomers.size >= keptMax) return;
      newcomers.delete(connection);
      connection.account = account;
      kept.set(account, connectionsKept + 1);
    },
    /** Ends a connection after its outstanding answers; `farewell`, if given, then writes a last one. */
    endAfterwards: (socket: Socket, farewell: (() => void) | undefined): void => {
      const connection = open.get(socket);
      if (connection === undefined || connection.isClosed) return;
      connection.isClosed = true;
      if (connection.current === undefined) farewell?.();
      else connection.farewell = farewell;
    },
    /** The last request read from a connection and not yet answered. */
    lastUnanswered: (socket: Socket): IncomingMessage | undefined => {
      const connection = open.get(socket);
      return connection?.waiting.at(-1)?.request ?? connection?.current;
    },
    /** Holds back new requests until the returned function is called. */
    hold: (): (() => void) => {
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
    const isUnread = socket.writableEnded && socket.writableLength === 0;
    if (socket.writableLength === 0 && !isUnread) connection.checksWaited = 0;
    // Reset, not closed: the system keeps the unsent bytes of a closed socket, megabytes for each.
    else if (connection.checksWaited >= (isUnread ? ENDED_CHECKS : checksMax)) socket.resetAndDestroy();
    else connection.checksWaited += 1;
  }
}
