import type { Server } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { describeError } from "../observe/create-log.ts";
import { isOperatorFailure, operatorFailure } from "../operator-error.ts";
import type { Paths, ServeSettings } from "../settings.ts";
import { createAdmin } from "./admin.ts";
import { type AssembledServer, assembleServer } from "./assemble-server.ts";
import * as limits from "./limits.ts";
import type { ServerWorld } from "./server-world.ts";
import type { Wire } from "./wire.ts";

const LOOPBACK = /^(127\.|::1$|localhost$)/;

const WITHOUT_TLS =
  "this server listens beyond loopback without TLS, so keys travel in clear text: put a server with TLS in front of it";

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Opens the stores, loads the published version, starts to listen, and then follows the pointer. */
export async function startServer(paths: Paths, settings: ServeSettings, world: ServerWorld) {
  const assembled = await assembleServer(paths, settings, world);
  const { app, wire, snapshots, log, drain, closeStores } = assembled;
  const warnings = [...assembled.warnings, ...(LOOPBACK.test(settings.host) ? [] : [WITHOUT_TLS])];
  for (const warning of warnings) log.warn(warning);
  let admin: Server | undefined;
  try {
    await snapshots.poll();
    admin = await startAdmin(assembled, settings, world);
    await app.listen({ host: settings.host, port: settings.port, backlog: limits.BACKLOG });
  } catch (error) {
    await closeAdmin(admin);
    await app.close();
    await closeStores();
    throw isOperatorFailure(error) ? error : listenFailure(error, settings, "--host ADDRESS --port N");
  }
  const endPolling = world.repeat(assembled.look, limits.SNAPSHOT_POLL_MS);
  return {
    /** `http://host:port`, with the actual port. */
    address: addressOf(app.server.address()),
    /** For the operator; logged too. */
    warnings,
    adminAddress: admin === undefined ? undefined : addressOf(admin.address()),
    /**
     * Keeps serving for at most `drainMs` while `Connection: close` asks callers to leave; then stops accepting, lets
     * answers in progress finish, and closes the stores.
     */
    stop: async (drainMs = 0): Promise<void> => {
      drain();
      log.info({ drainMs }, "stopping");
      // Wait first: closing an idle connection while its caller sends a request looks like a reset to the caller.
      await waitUntilLeft(app.server, drainMs);
      await stopListening(wire);
      // Callers still connected get one more answer, and their connections end with it.
      endPolling();
      const deadline = setTimeout(() => app.server.closeAllConnections(), limits.STOP_DEADLINE_MS);
      await app.close();
      await waitUntilLeft(app.server, limits.STOP_DEADLINE_MS);
      clearTimeout(deadline);
      await closeAdmin(admin);
      await closeStores();
      log.info("stopped");
    },
  };
}
/** Starts the operator's listener, if a port is set for it. */
async function startAdmin(
  { metrics, readiness, log }: AssembledServer,
  { admin }: ServeSettings,
  world: ServerWorld,
): Promise<Server | undefined> {
  if (admin === undefined) return undefined;
  world.addProcessMetrics?.(metrics.registry);
  const server = createAdmin({
    metrics,
    readiness,
    onError: (error) => log.error(describeError(error), "admin request failed"),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(listenFailure(error, admin, "GOVDATA_PROXY_ADMIN_HOST, --admin-port N")),
    );
    server.listen(admin.port, admin.host, resolve);
  });
  if (!LOOPBACK.test(admin.host))
    log.warn("the operator's listener is not on loopback: keep callers away from it");
  return server;
}

async function closeAdmin(admin: Server | undefined): Promise<void> {
  if (admin?.listening !== true) return;
  await new Promise((resolve) => {
    admin.close(resolve);
    admin.closeAllConnections();
  });
}

function addressOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no network address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function listenFailure(
  error: unknown,
  { host, port }: { host: string; port: number },
  flags: string,
): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program is listening there",
    EADDRNOTAVAIL: "this machine has no such address",
    EACCES: "this user may not use that port",
    ENOTFOUND: "that name does not resolve",
  };
  const reason = reasons[code];
  if (reason === undefined) return error;
  return operatorFailure(
    "ADDRESS_UNUSABLE",
    `Cannot listen on ${host}, port ${port}: ${reason}.`,
    `Choose another: ${flags} (0 for a free port).`,
    error,
  );
}

const LOOK_EVERY_MS = 50;

/** Without a new connection for this long, the system's queue is assumed to be empty. */
const QUIET_MS = 10;

/** After this many tries we stop waiting, even if new connections keep coming. */
const QUIET_TRIES_MAX = 100;

/** Resolves when no connection is open, or after `mostMs`. */
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
 * Stops listening without a reset. Closing a listening socket resets every connection that the system has accepted and
 * this process has not. So requests are held back until no new connection arrives: callers that wait for a response do not
 * connect again. Then the socket is closed, and the held requests are answered.
 */
async function stopListening({ server, hold }: Pick<Wire, "server" | "hold">): Promise<void> {
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
