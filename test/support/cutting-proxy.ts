import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP relay on loopback whose connections a test can cut and stall. */
export interface CuttingProxy {
  readonly port: number;
  /** Ends every connection, and each new one at once, as if the other side were down. */
  readonly cut: () => void;
  /** Keeps connections open and accepts new ones, but transfers nothing, as if packets were lost. */
  readonly stall: () => void;
  /** Transfers again, including stalled bytes. */
  readonly heal: () => void;
  readonly close: () => Promise<void>;
}

/** Starts one in front of a local port. */
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
