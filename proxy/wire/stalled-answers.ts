import type { Server } from "node:http";
import type { Socket } from "node:net";

/** What a watch over stalled answers needs. */
export interface StalledAnswersParts {
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
  { answerTimeoutMs, checkEveryMs }: StalledAnswersParts,
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
