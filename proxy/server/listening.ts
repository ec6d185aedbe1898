import type { AddressInfo, Server } from "node:net";
import { operatorFailure } from "../operator-error.ts";
import type { Wire } from "./wire.ts";

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program is listening there",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "this user may not use that port",
  ENOTFOUND: "that name does not resolve",
};

/** Has a server listen; tells the operator why it cannot, and which flags choose another address. */
export async function listening(
  listen: () => Promise<unknown>,
  { host, port }: { readonly host: string; readonly port: number },
  flags: string,
): Promise<void> {
  try {
    await listen();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    const message = `Cannot listen on ${host}, port ${port}: ${reason}.`;
    throw operatorFailure(
      "ADDRESS_UNUSABLE",
      message,
      `Choose another: ${flags} (0 for a free port).`,
      error,
    );
  }
}

/** `http://host:port` of a server that listens, with the actual port. */
export function addressOf(server: Server): string {
  const { family, address, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

const LOOK_EVERY_MS = 50;

/** Resolves when no connection is open, or after `mostMs`. */
export async function waitUntilLeft(server: Pick<Server, "getConnections">, mostMs: number): Promise<void> {
  if (mostMs === 0) return;
  return new Promise((resolve) => {
    const done = () => {
      clearInterval(looking);
      clearTimeout(limit);
      resolve();
    };
    const look = () =>
      server.getConnections((error, count) => void ((error !== null || count === 0) && done()));
    const looking = setInterval(look, LOOK_EVERY_MS);
    const limit = setTimeout(done, mostMs);
    look();
  });
}

/** Without a new connection for this long, the system's queue is assumed to be empty. */
const QUIET_MS = 10;

/** After this many tries we stop waiting, even if new connections keep coming. */
const QUIET_TRIES_MAX = 100;

/**
 * Stops listening without a reset. Closing a listening socket resets every connection that the system has accepted and
 * this process has not. So requests are held back until no new connection arrives: callers that wait for a response do not
 * connect again. Then the socket is closed, and the held requests are answered.
 */
export async function stopListening({ server, hold }: Pick<Wire, "server" | "hold">): Promise<void> {
  const release = hold();
  let isQuiet = false;
  const notQuiet = () => {
    isQuiet = false;
  };
  server.on("connection", notQuiet);
  for (let tries = 0; tries < QUIET_TRIES_MAX && !isQuiet; tries += 1) {
    isQuiet = true;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    // The event loop's poll phase, between timers and immediates, accepts one more connection if there is one.
    await new Promise(setImmediate);
  }
  server.off("connection", notQuiet);
  server.close();
  release();
}
