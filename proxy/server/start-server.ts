import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { Server } from "node:http";
import { followDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-store.ts";
import { openHome } from "../home.ts";
import { createKeyLookup } from "../keys/key-lookup.ts";
import {
  createLog,
  describeError,
  type FailedStore,
  type Log,
  logStoreFailures,
} from "../observe/create-log.ts";
import { createMetrics, createQuotaTally } from "../observe/metrics.ts";
import { createRequestLog, createRequestTally } from "../observe/request-log.ts";
import { explainingFileFailures } from "../operator-error.ts";
import { createAdmit, createInFlight } from "../request/admit.ts";
import { isCopy, type Paths, type ServeSettings } from "../settings.ts";
import { type Readiness, readinessOf } from "../snapshot/readiness.ts";
import { openSequenceMemory } from "../snapshot/sequence-memory.ts";
import { createSnapshotSource } from "../snapshot/snapshot-source.ts";
import { createAdmin } from "./admin.ts";
import { buildApp } from "./build-app.ts";
import * as limits from "./limits.ts";
import { addressOf, listening, stopListening, waitUntilLeft } from "./listening.ts";
import { planConnections } from "./open-files.ts";
import { openStores } from "./open-stores.ts";
import type { ServerWorld } from "./server-world.ts";
import { watchStores } from "./watch-stores.ts";
import { createRequestIds } from "./wire.ts";

const LOOPBACK = /^(127\.|::1$|localhost$)/;

const WITHOUT_TLS =
  "this server listens beyond loopback without TLS, so keys travel in clear text: put a server with TLS in front of it";

const UNSIGNED_COPY =
  "GOVDATA_PUBLIC_KEY is not set: anyone who can write to the remote address decides what is served here";

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Opens the stores, loads the published version, starts to listen, and then follows the pointer. */
export async function startServer(paths: Paths, settings: ServeSettings, world: ServerWorld) {
  const { nowMs } = world;
  const { redisUrl, sequenceMin, host, port } = settings;
  const log = createLog(world.logStream, settings.logLevel);
  const stopping = new AbortController();
  let linesDropped = 0;
  const logRules = {
    nowMs,
    onDropped: () => {
      linesDropped += 1;
    },
  };
  const requests = createRequestTally();
  const quotaTally = createQuotaTally();
  const plan = planConnections(settings.connectionsMax, world.openFilesMax);
  const home = openHome(paths.home);
  const isUnsignedCopy = isCopy(paths) && settings.trustedKeys === undefined;
  const memory = explainingFileFailures("highest-sequence in the home", () =>
    openSequenceMemory(home.directory, { sequenceMin, mayGoBack: isUnsignedCopy }),
  );
  const logFailure = logStoreFailures(log, logRules);
  const onFailure = (where: FailedStore, error: unknown): void => {
    logFailure(where, error);
    watch.suspect(where === "keys" ? "keys" : "quota");
  };
  const stores = await openStores(redisUrl, home, {
    ...world,
    onCommit: quotaTally.units.observe,
    onCommitError: (error) => {
      quotaTally.failures += 1;
      onFailure("quota commit", error);
    },
    onWarning: (warning) => log.warn(warning),
  });
  const { keys, peppers, quota } = stores;
  const watch = watchStores({
    probes: {
      // No key has this digest.
      keys: () => ignoreResult(keys.find([Buffer.alloc(32)])),
      quota: stores.probeQuota,
    },
    onChange: (store, error) => {
      if (error === undefined) log.info({ store }, "store answers again");
      else log.error({ store, ...describeError(error) }, "store down: every request gets 503");
    },
  });
  // Otherwise a mistyped variable name on one of many machines would be noticed first by its callers.
  log.info({ keysAndQuota: redisUrl === undefined ? "files in the home" : "Redis" }, "stores opened");
  const denyList = followDenyList({
    path: paths.optouts,
    nowMs,
    onChange: (event) => logOptOuts(log, event, denyList.current().count),
  });
  const snapshots = createSnapshotSource({
    versions: world.versions,
    denyList,
    memory,
    nowMs,
    onEvent: (event) => log[event.kind === "serving" ? "info" : "warn"](event, `snapshot ${event.kind}`),
  });
  const inFlight = createInFlight(settings.inFlightMax);
  const requestLog = createRequestLog(log, logRules);
  const readiness = (): Readiness =>
    readinessOf(snapshots.status(), {
      nowMs: nowMs(),
      maxAgeMs: settings.maxAgeMs,
      isStopping: stopping.signal.aborted,
      isUnsignedCopy,
      storeProblem: watch.problem(),
      hasInvalidCount: stores.hasInvalidCount(),
    });
  const { app, wire } = buildApp({
    snapshots,
    readiness,
    stopping: stopping.signal,
    nowMs,
    admit: createAdmit({
      lookup: createKeyLookup({ store: keys, peppers, nowMs }),
      quota,
      inFlight,
      nowMs,
      isServing: snapshots.isServing,
      onError: onFailure,
    }),
    corsOrigins: settings.corsOrigins,
    newRequestId: createRequestIds(world.randomBytes),
    connectionLimits: { connectionsMax: plan.connectionsMax },
    tickMs: world.monotonicMs,
    log,
    observers: [requests.observe, requestLog.observe],
  });
  const metrics = createMetrics({
    nowMs,
    requests,
    quota: quotaTally,
    inFlight: inFlight.count,
    connections: () =>
      new Promise((resolve) =>
        wire.server.getConnections((error, count) => resolve(error === null ? count : Number.NaN)),
      ),
    snapshot: snapshots.status,
    isStoreDown: watch.isDown,
    linesSampledAway: () => linesDropped,
    linesNotTaken: () => world.logStream.dropped?.() ?? 0,
  });
  const warnings = [
    isUnsignedCopy ? UNSIGNED_COPY : undefined,
    plan.warning,
    ...stores.warnings,
    LOOPBACK.test(host) ? undefined : WITHOUT_TLS,
  ].filter((warning) => warning !== undefined);
  for (const warning of warnings) log.warn(warning);

  const closeStores = async (): Promise<void> => {
    snapshots.close();
    denyList.close();
    await stores.close();
  };
  let admin: Server | undefined;
  const startAdmin = async (address: { readonly host: string; readonly port: number }): Promise<void> => {
    world.addProcessMetrics?.(metrics.registry);
    const onError = (error: unknown) => log.error(describeError(error), "admin request failed");
    const server = createAdmin({ metrics, readiness, onError });
    admin = server;
    const listen = () => once(server.listen(address.port, address.host), "listening");
    await listening(listen, address, "GOVDATA_PROXY_ADMIN_HOST, --admin-port N");
    if (LOOPBACK.test(address.host)) return;
    log.warn("the operator's listener is not on loopback: keep callers away from it");
  };
  const closeAdmin = async (): Promise<void> => {
    if (admin?.listening !== true) return;
    const closed = once(admin, "close");
    admin.close();
    admin.closeAllConnections();
    await closed;
  };
  try {
    await snapshots.poll();
    if (settings.admin !== undefined) await startAdmin(settings.admin);
    const listen = async () => {
      // For a name Fastify would listen on ::1 too, with a second server whose connections nobody tends.
      const address = host === "localhost" ? (await lookup(host)).address : host;
      await app.listen({ host: address, port, backlog: limits.BACKLOG });
    };
    await listening(listen, settings, "--host ADDRESS --port N");
  } catch (error) {
    await closeAdmin();
    await app.close();
    await closeStores();
    throw error;
  }
  const look = (): Promise<void> => {
    // Checked here so that a missing list is logged even while there are no requests.
    denyList.problem();
    watch.look();
    requestLog.look();
    return snapshots.poll();
  };
  const endPolling = world.repeat(look, limits.SNAPSHOT_POLL_MS);
  return {
    address: addressOf(wire.server),
    warnings,
    adminAddress: admin && addressOf(admin),
    /**
     * Keeps serving for at most `drainMs` while `Connection: close` asks callers to leave; then stops accepting, lets
     * answers in progress finish, and closes the stores.
     */
    stop: async (drainMs = 0): Promise<void> => {
      stopping.abort();
      log.info({ drainMs }, "stopping");
      // Wait first: closing an idle connection while its caller sends a request looks like a reset to the caller.
      await waitUntilLeft(wire.server, drainMs);
      await stopListening(wire);
      // Callers still connected get one more answer, and their connections end with it.
      endPolling();
      const deadline = setTimeout(() => wire.server.closeAllConnections(), limits.STOP_DEADLINE_MS);
      await app.close();
      await waitUntilLeft(wire.server, limits.STOP_DEADLINE_MS);
      clearTimeout(deadline);
      await closeAdmin();
      await closeStores();
      log.info("stopped");
    },
  };
}

function ignoreResult(result: unknown): void | Promise<void> {
  if (result instanceof Promise) return result.then(() => {});
}

/**
 * Logs whether the list of live opt-outs is applied and how long it is (a restored old list is shorter); never who is
 * on it.
 */
function logOptOuts(log: Log, problem: OptOutsErrorCode | undefined, count: number): void {
  if (problem === undefined) log.info({ count }, "opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be read: no entity is served");
}
