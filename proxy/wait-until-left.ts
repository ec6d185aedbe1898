import type { Server } from "node:net";
import { KEEP_ALIVE_TIMEOUT_MS } from "./server/limits.ts";

/** How long a stopping server serves on, where nothing else is set: longer than an idle connection is kept, to which Node adds a second. */
export const DRAIN_MS = KEEP_ALIVE_TIMEOUT_MS + 2_000;

const LOOK_EVERY_MS = 50;

/** Resolves once no connection is open, at the latest after `mostMs`. */
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
