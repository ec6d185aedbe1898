import type { FastifyInstance } from "fastify";
import { followDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-book.ts";
import { createLog, type Log } from "../observe/create-log.ts";
import { createMetrics, type Metrics } from "../observe/metrics.ts";
import { createRequestLog } from "../observe/request-log.ts";
import { createQuotaTally, createRequestTally } from "../observe/tally.ts";
import { createAdmit, createInFlight } from "../request/admit.ts";
import { isCopy, type Places, type ServeSettings } from "../settings.ts";
import { createSnapshotSource, type SnapshotSource } from "../snapshot/snapshot-source.ts";
import { type App, buildApp } from "./build-app.ts";
import { planConnections } from "./open-files.ts";
import { readiness } from "./open-routes.ts";
import { openStores } from "./open-stores.ts";
import type { ServerWorld } from "./server-world.ts";
import { createRequestIds } from "./wire.ts";

const UNSIGNED_COPY =
  "GOVDATA_PUBLIC_KEY is not set: anyone who can write to the remote address decides what is served here";

/** A server put together, not listening yet. */
export interface AssembledServer extends App {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly snapshots: SnapshotSource;
  /** What to look at once a second; never rejects. */
  readonly look: () => Promise<void>;
  readonly readiness: () => ReturnType<typeof readiness>;
  /** From now on each answer ends its connection, and `/readyz` says no. */
  readonly drain: () => void;
  /** What an operator should hear at the start. */
  readonly warnings: readonly string[];
  readonly closeStores: () => Promise<void>;
}

/** Opens the stores and puts the parts together. */
export async function assembleServer(
  places: Places,
  settings: ServeSettings,
  world: ServerWorld,
): Promise<AssembledServer> {
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
  const isUnsignedCopy = isCopy(places) && settings.trustedKeys === undefined;
  const sequences = { sequenceMin, mayGoBack: isUnsignedCopy };
  const stores = await openStores({ home: places.home, redisUrl, sequences }, world, {
    log,
    quotaTally,
    onLineDropped: dropLine,
  });
  const { lookup, quota, memory, watch } = stores;
  const denyList = followDenyList({
    path: places.optouts,
    nowMs,
    onChange: (found) => logOptOuts(log, found, denyList.current().count),
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
  const state = {
    snapshots,
    nowMs,
    maxAgeMs: settings.maxAgeMs,
    isUnsignedCopy,
    stopping: stopping.signal,
    storeProblem: watch.problem,
  };
  const { app, wire } = buildApp({
    ...state,
    admit: createAdmit({
      lookup,
      quota,
      inFlight,
      nowMs,
      isServing: snapshots.isServing,
      onError: stores.onFailure,
    }),
    corsOrigins: settings.corsOrigins,
    newRequestId: createRequestIds(randomBytes),
    connectionLimits: { connectionsMax: plan.connectionsMax },
    ...(world.monotonicMs === undefined ? {} : { monotonicMs: world.monotonicMs }),
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
    look: () => {
      // So that a list that went away is in the log even while nobody asks.
      denyList.problem();
      watch.look();
      requestLog.look();
      return snapshots.poll();
    },
    readiness: () => readiness(state),
    drain: () => stopping.abort(),
    closeStores: () => {
      snapshots.close();
      denyList.close();
      return stores.close();
    },
  };
}

function openConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) =>
    app.server.getConnections((error, count) => resolve(error === null ? count : Number.NaN)),
  );
}

/** Says in the log whether the list of live opt-outs is obeyed, and how long it is: an old one put back is shorter. Never who is on it. */
function logOptOuts(log: Log, problem: OptOutsErrorCode | undefined, count: number): void {
  if (problem === undefined) log.info({ count }, "opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be asked: no entity is served");
}
