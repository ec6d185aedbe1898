import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP relay on loopback, whose line a test can cut and stall. */
export interface CuttingProxy {
  readonly port: number;
  /** Ends every connection, and from then on each new one at once: the other side is not there. */
  readonly cut: () => void;
  /** Keeps connections, and takes new ones, without carrying a byte: as when packets are lost. */
  readonly stall: () => void;
  /** Carries again, also what was stalled. */
  readonly heal: () => void;
  readonly close: () => Promise<void>;
}

/** Starts one in front of a port of this machine. */
export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let state: "carries" | "cut" | "stalled" = "carries";
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((caller) => {
    keep(caller);
    if (state === "cut") {
      caller.destroy();
      return;
    }
    const target = keep(connect({ host: "127.0.0.1", port: targetPort }));
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      from.on("data", (bytes) => to.write(bytes));
      from.on("close", () => to.destroy());
      if (state === "stalled") from.pause();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    cut: () => {
      state = "cut";
      for (const socket of sockets) socket.destroy();
    },
    stall: () => {
      state = "stalled";
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      state = "carries";
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
