import type { FastifyInstance } from "fastify";
import { followDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-store.ts";
import { openHome } from "../home.ts";
import { createKeyLookup } from "../keys/key-lookup.ts";
import { createLog, describeError, type Log } from "../observe/create-log.ts";
import { type FailedStore, logStoreFailures } from "../observe/log-store-failures.ts";
import { createMetrics } from "../observe/metrics.ts";
import { createRequestLog } from "../observe/request-log.ts";
import { createQuotaTally, createRequestTally } from "../observe/tally.ts";
import { explainingFileFailures } from "../operator-error.ts";
import { createAdmit, createInFlight } from "../request/admit.ts";
import { isCopy, type Paths, type ServeSettings } from "../settings.ts";
import { type Readiness, readinessOf } from "../snapshot/readiness.ts";
import { openSequenceMemory } from "../snapshot/sequence-memory.ts";
import { createSnapshotSource } from "../snapshot/snapshot-source.ts";
import { buildApp } from "./build-app.ts";
import { planConnections } from "./open-files.ts";
import { openStores } from "./open-stores.ts";
import type { ServerWorld, StoreWorld } from "./server-world.ts";
import { watchStores } from "./watch-stores.ts";
import { createRequestIds } from "./wire.ts";

const UNSIGNED_COPY =
  "GOVDATA_PUBLIC_KEY is not set: anyone who can write to the remote address decides what is served here";

export type AssembledServer = Awaited<ReturnType<typeof assembleServer>>;

/** Opens everything that a server needs; it does not listen yet. */
export async function assembleServer(paths: Paths, settings: ServeSettings, world: ServerWorld) {
  const { nowMs, randomBytes } = world;
  const log = createLog(world.logStream, settings.logLevel);
  const stopping = new AbortController();
  let linesDropped = 0;
  const dropLine = () => {
    linesDropped += 1;
  };
  const requests = createRequestTally();
  const quotaTally = createQuotaTally();
  const { redisUrl, sequenceMin } = settings;
  const plan = planConnections(settings.connectionsMax, world.openFilesMax);
  const home = openHome(paths.home);
  const isUnsignedCopy = isCopy(paths) && settings.trustedKeys === undefined;
  const memory = explainingFileFailures("highest-sequence in the home", () =>
    openSequenceMemory(home.directory, { sequenceMin, mayGoBack: isUnsignedCopy }),
  );
  const logFailure = logStoreFailures(log, { nowMs, onDropped: dropLine });
  const onFailure = (where: FailedStore, error: unknown): void => {
    logFailure(where, error);
    watch.suspect(where === "keys" ? "keys" : "quota");
  };
  const storeWorld: StoreWorld = {
    ...world,
    onCommit: quotaTally.units.observe,
    onCommitError: (error) => {
      quotaTally.failures += 1;
      onFailure("quota commit", error);
    },
    onWarning: (warning) => log.warn(warning),
  };
  const stores = await openStores(redisUrl, home, storeWorld);
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
  const requestLog = createRequestLog(log, { nowMs, onDropped: dropLine });
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
    newRequestId: createRequestIds(randomBytes),
    connectionLimits: { connectionsMax: plan.connectionsMax },
    tickMs: world.monotonicMs,
    log,
    observers: [requests.observe, requestLog.observe],
  });
  return {
    app,
    wire,
    log,
    warnings: [isUnsignedCopy ? UNSIGNED_COPY : undefined, plan.warning, ...stores.warnings].filter(
      (warning) => warning !== undefined,
    ),
    metrics: createMetrics({
      nowMs,
      requests,
      quota: quotaTally,
      inFlight: inFlight.count,
      connections: () => openConnections(app),
      snapshot: snapshots.status,
      isStoreDown: watch.isDown,
      linesSampledAway: () => linesDropped,
      linesNotTaken: () => world.logStream.dropped?.() ?? 0,
    }),
    snapshots,
    /** Checks the stores and the pointer; call it once a second. Never rejects. */
    look: (): Promise<void> => {
      // Checked here so that a missing list is logged even while there are no requests.
      denyList.problem();
      watch.look();
      requestLog.look();
      return snapshots.poll();
    },
    readiness,
    /** After this call each response closes its connection, and `/readyz` returns 503. */
    drain: () => stopping.abort(),
    closeStores: (): Promise<void> => {
      snapshots.close();
      denyList.close();
      return stores.close();
    },
  };
}

function ignoreResult(result: unknown): void | Promise<void> {
  if (result instanceof Promise) return result.then(() => {});
}

function openConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) =>
    app.server.getConnections((error, count) => resolve(error === null ? count : Number.NaN)),
  );
}

/**
 * Logs whether the list of live opt-outs is applied and how long it is (a restored old list is shorter); never who is
 * on it.
 */
function logOptOuts(log: Log, problem: OptOutsErrorCode | undefined, count: number): void {
  if (problem === undefined) log.info({ count }, "opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be read: no entity is served");
}
