import type { Server } from "node:http";
import type { Socket } from "node:net";

/** What is known of the open connections. */
export interface Connections {
  /** A request of this account was admitted here: from now on the connection is one of those that are kept. */
  readonly admitted: (socket: Socket, account: string) => void;
}

/** At most this part of all connections for callers who have not been admitted yet. */
const NEWCOMERS_SHARE = 1 / 2;

/** At most this part of all connections is kept for one account; more of them stay newcomers. */
const ACCOUNT_SHARE = 1 / 4;

/**
 * Guards the connections of a server. Beyond `connectionsMax` one is accepted and dropped at once. Callers who were
 * admitted keep theirs; when there are too many newcomers the oldest one goes, since an honest caller is admitted with its
 * first request, and a crowd without a key (or with a spent one) never is.
 */
export function guardConnections(server: Server, connectionsMax: number): Connections {
  const newcomersMax = Math.max(1, Math.floor(connectionsMax * NEWCOMERS_SHARE));
  const accountMax = Math.max(1, Math.floor(connectionsMax * ACCOUNT_SHARE));
  // In the order of their arrival.
  const newcomers = new Set<Socket>();
  const accounts = new WeakMap<Socket, string>();
  const kept = new Map<string, number>();

  const closed = (socket: Socket): void => {
    newcomers.delete(socket);
    const account = accounts.get(socket);
    if (account === undefined) return;
    const left = (kept.get(account) ?? 1) - 1;
    if (left === 0) kept.delete(account);
    else kept.set(account, left);
  };

  server.maxConnections = connectionsMax;
  server.on("connection", (socket: Socket) => {
    newcomers.add(socket);
    socket.once("close", () => closed(socket));
    const [oldest] = newcomers;
    if (oldest === undefined || newcomers.size <= newcomersMax) return;
    newcomers.delete(oldest);
    oldest.destroy();
  });
  return {
    admitted: (socket, account) => {
      if (!newcomers.has(socket)) return;
      const held = kept.get(account) ?? 0;
      if (held >= accountMax) return;
      newcomers.delete(socket);
      accounts.set(socket, account);
      kept.set(account, held + 1);
    },
  };
}

/** How long a caller may leave its answers unread. */
export interface StalledAnswersLimits {
  /** An answer must have left this process within so long. */
  readonly answerTimeoutMs: number;
  readonly checkEveryMs: number;
}

/**
 * Cuts off callers who do not take their answers: while a server listens, it looks again and again for bytes that wait
 * to be sent. No timeout of Node's ends these connections, as each byte that is taken starts it anew.
 */
export function cutStalledAnswers(
  server: Server,
  { answerTimeoutMs, checkEveryMs }: StalledAnswersLimits,
): void {
  const checksMax = Math.ceil(answerTimeoutMs / checkEveryMs);
  const checksWaited = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    checksWaited.set(socket, 0);
    socket.once("close", () => checksWaited.delete(socket));
  });
  server.on("listening", () => {
    const check = setInterval(() => cutOff(checksWaited, checksMax), checkEveryMs);
    check.unref();
    server.once("close", () => clearInterval(check));
  });
}

/** Counts one more look for each socket that still holds bytes back, and ends those past the limit. */
function cutOff(checksWaited: Map<Socket, number>, checksMax: number): void {
  for (const [socket, waited] of checksWaited) {
    if (socket.writableLength === 0) {
      if (waited !== 0) checksWaited.set(socket, 0);
    } else if (waited >= checksMax) {
      // A reset: the system would keep the unsent bytes of a socket that is only closed, megabytes for each.
      socket.resetAndDestroy();
    } else checksWaited.set(socket, waited + 1);
  }
}
