import { connect } from "node:net";

/** How a connection went: what came back, and whether the server ended it by itself. */
export interface Exchange {
  readonly bytes: Buffer;
  /** `end`: the server closed; `reset`: it cut the connection off; `open`: it was still open when we hung up. */
  readonly end: "end" | "reset" | "open";
}

/** How a caller behaves after it has sent everything. */
export interface CallerManners {
  /** Closes its own half, and still reads. */
  readonly isHalfClosing?: boolean;
  /** Says from what has come whether to hang up, for connections that a server rightly keeps. */
  readonly until?: (soFar: Buffer) => boolean;
}

/** Sends bytes as they are, each piece in a packet of its own, and reads until the server closes. */
export function exchange(
  port: number,
  pieces: readonly (Buffer | string)[],
  { isHalfClosing = false, until = () => false }: CallerManners = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let end: Exchange["end"] = "end";
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (!until(Buffer.concat(chunks))) return;
      end = "open";
      socket.destroy();
    });
    // A reset while we still write or read; the close comes right after.
    socket.on("error", () => {
      end = "reset";
    });
    socket.on("close", () => resolve({ bytes: Buffer.concat(chunks), end }));
    const next = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined && isHalfClosing) socket.end();
      if (piece === undefined || socket.destroyed) return;
      const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
      socket.write(bytes, () => setImmediate(next, index + 1));
    };
    next(0);
  });
}
