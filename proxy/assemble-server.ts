import type { FastifyInstance } from "fastify";
import { followDenyList } from "../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../snapshots/optouts/opt-out-book.ts";
import { buildApp } from "./app.ts";
import { createLog, type Log } from "./observe/create-log.ts";
import { createMetrics, type Metrics } from "./observe/create-metrics.ts";
import { logRequests } from "./observe/log-requests.ts";
import { createRequestTally } from "./observe/request-tally.ts";
import { createQuotaTally } from "./observe/watch-ledger.ts";
import { openStores } from "./open-stores.ts";
import { createAccess } from "./request/access.ts";
import { createInFlight, type InFlight } from "./request/in-flight.ts";
import { createRequestIds } from "./request/request-ids.ts";
import * as limits from "./server/limits.ts";
import { planConnections } from "./server/open-files.ts";
import type { StoreWatch } from "./server/watch-stores.ts";
import type { ServerWorld } from "./server-world.ts";
import type { Places, ServeSettings } from "./settings.ts";
import { createDelegateAnswers } from "./snapshot/delegate-answers.ts";
import { createOptOutGuard, type OptOutGuard } from "./snapshot/opt-out-guard.ts";
import { type Readiness, readinessOf } from "./snapshot/readiness.ts";
import { createSnapshotSource, type SnapshotSource } from "./snapshot/snapshot-source.ts";

/** How far a server is on its way out: serving, serving on while callers leave, or refusing what still comes. */
export type Phase = "serving" | "draining" | "closing";

/** A server put together, not listening yet. */
export interface AssembledServer {
  readonly app: FastifyInstance;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly snapshots: SnapshotSource;
  readonly optOuts: OptOutGuard;
  readonly stores: StoreWatch;
  readonly readiness: () => Readiness;
  readonly enter: (phase: Phase) => void;
  /** What an operator should hear at the start; it is in the log too. */
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
  let phase: Phase = "serving";
  const isStopping = () => phase !== "serving";
  const counted = countedParts();
  const plan = planConnections(world.openFilesMax);
  const { redisUrl, sequenceMin } = settings;
  const stores = await openStores({ home: places.home, redisUrl, sequenceMin }, world, {
    log,
    quotaTally: counted.quota,
    onLineDropped: counted.dropLine,
  });
  const { lookup, quota, memory, watch } = stores;
  const warnings = [plan.warning, ...stores.warnings].filter((warning) => warning !== undefined);
  for (const warning of warnings) log.warn(warning);
  const snapshots = createSnapshotSource({
    versions: world.versions,
    memory,
    nowMs,
    onEvent: (event) => log[event.kind === "serving" ? "info" : "warn"](event, `snapshot ${event.kind}`),
  });
  const denyList = followDenyList({
    path: places.optouts,
    nowMs,
    onChange: (found) => tellOptOuts(log, found, denyList.current().count),
  });
  const optOuts = createOptOutGuard(denyList);
  const inFlight = countInFlight(createInFlight(settings.inFlightMax));
  const access = createAccess({
    lookup,
    quota,
    inFlight,
    nowMs,
    closedBecause: () => {
      if (phase === "closing") return "shutting-down";
      return snapshots.status().serving === undefined ? "no-snapshot" : undefined;
    },
    onError: stores.onFailure,
  });
  const logRequest = logRequests(log, { nowMs, onDropped: counted.dropLine });
  const app = buildApp({
    access,
    snapshots,
    delegates: createDelegateAnswers(limits.DELEGATE_CACHE_BYTES_MAX),
    optOuts,
    corsOrigins: settings.corsOrigins,
    isStopping,
    storeProblem: watch.problem,
    nowMs,
    newRequestId: createRequestIds(randomBytes),
    maxAgeMs: settings.maxAgeMs,
    ...(world.monotonicMs === undefined ? {} : { monotonicMs: world.monotonicMs }),
    hasFastPath: world.hasFastPath ?? true,
    log,
    observe: (finished) => {
      counted.requests.observe(finished);
      logRequest(finished);
    },
  });
  app.server.maxConnections = plan.connectionsMax;
  return {
    app,
    log,
    warnings,
    metrics: createMetrics({
      nowMs,
      requests: counted.requests,
      quota: counted.quota,
      inFlight: inFlight.count,
      connections: () => openConnections(app),
      snapshot: snapshots.status,
      isWithholdingEntities: () => optOuts.problem() !== undefined,
      isStoreDown: watch.isDown,
      linesSampledAway: counted.linesDropped,
      linesNotTaken: () => world.logStream.dropped?.() ?? 0,
    }),
    snapshots,
    optOuts,
    stores: watch,
    readiness: () =>
      readinessOf(snapshots.status(), {
        nowMs: nowMs(),
        maxAgeMs: settings.maxAgeMs,
        isStopping: isStopping(),
        storeProblem: watch.problem(),
        optOutsProblem: optOuts.problem(),
      }),
    enter: (next) => {
      phase = next;
    },
    closeStores: () => {
      snapshots.close();
      denyList.close();
      return stores.close();
    },
  };
}

/** What is counted as it happens. */
function countedParts() {
  let linesDropped = 0;
  return {
    requests: createRequestTally(),
    quota: createQuotaTally(),
    linesDropped: () => linesDropped,
    dropLine: () => {
      linesDropped += 1;
    },
  };
}

function countInFlight(inFlight: InFlight): InFlight & { readonly count: () => number } {
  let count = 0;
  return {
    enter: () => {
      if (!inFlight.enter()) return false;
      count += 1;
      return true;
    },
    leave: () => {
      count -= 1;
      inFlight.leave();
    },
    count: () => count,
  };
}

function openConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) =>
    app.server.getConnections((error, count) => resolve(error === null ? count : Number.NaN)),
  );
}

/** Says in the log whether the list of live opt-outs is obeyed, and how long it is: an old one put back is shorter. Never who is on it. */
function tellOptOuts(log: Log, problem: OptOutsErrorCode | undefined, count: number): void {
  if (problem === undefined) log.info({ count }, "opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be asked: no entity is served");
}
