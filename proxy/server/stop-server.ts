import type { Server as NetServer } from "node:net";
import { KEEP_ALIVE_TIMEOUT_MS } from "./limits.ts";
import type { Wire } from "./wire.ts";

/** How long a stopping server serves on, where nothing else is set: longer than an idle connection is kept, to which Node adds a second. */
export const DRAIN_MS = KEEP_ALIVE_TIMEOUT_MS + 2_000;

const LOOK_EVERY_MS = 50;

/** Nobody new for so long, and the queue of the system is taken to be empty. */
const QUIET_MS = 10;

/** A crowd that never ends is not waited for longer than so many times. */
const QUIET_TRIES_MAX = 100;

/** Resolves once no connection is open, at the latest after `mostMs`. */
export async function waitUntilLeft(
  server: Pick<NetServer, "getConnections">,
  mostMs: number,
): Promise<void> {
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

/**
 * Ends listening without a reset. Closing a socket that listens resets every connection that the system has accepted and
 * this process has not; so requests are held back until nobody new comes, which callers that wait for an answer before
 * they connect again bring about. Then it closes, and the requests held back are answered.
 */
export async function stopListening({ server, hold }: Pick<Wire, "server" | "hold">): Promise<void> {
  const release = hold();
  let isQuiet = false;
  const heard = () => {
    isQuiet = false;
  };
  server.on("connection", heard);
  for (let tries = 0; tries < QUIET_TRIES_MAX && !isQuiet; tries += 1) {
    isQuiet = true;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    // The poll between the two phases takes one more connection, if there is one.
    await new Promise(setImmediate);
  }
  server.off("connection", heard);
  server.close();
  release();
}
