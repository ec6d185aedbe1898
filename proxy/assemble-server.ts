import type { FastifyInstance } from "fastify";
import { followDenyList } from "../snapshots/optouts/follow-deny-list.ts";
import type { OptOutsErrorCode } from "../snapshots/optouts/opt-outs-error.ts";
import { createAccess } from "./access/access.ts";
import { createInFlight, type InFlight } from "./access/in-flight.ts";
import { buildApp, describeError } from "./app.ts";
import { openHome, pepperFor, refuseLostKeys, strandedKeysWarning } from "./home.ts";
import { tellingFileFailures } from "./http/file-failure.ts";
import { planConnections } from "./http/open-files.ts";
import { createRequestIds } from "./http/request-ids.ts";
import * as limits from "./http/transport-limits.ts";
import { followKeyStore } from "./keys/followed-key-store.ts";
import { createKeyLookup } from "./keys/key-lookup.ts";
import { openKeyStore } from "./keys/key-store.ts";
import { createLog, type Log } from "./observe/create-log.ts";
import { createMetrics, type Metrics } from "./observe/create-metrics.ts";
import { logRequests } from "./observe/log-requests.ts";
import { logStoreFailures } from "./observe/log-store-failures.ts";
import { createRequestTally } from "./observe/request-tally.ts";
import { createQuotaTally, watchLedger } from "./observe/watch-ledger.ts";
import { openPatiently } from "./open-patiently.ts";
import { closedDayWarning } from "./quota/close-days.ts";
import { createGroupCommitQuota } from "./quota/group-commit-quota.ts";
import { openQuotaLedger } from "./quota/quota-ledger.ts";
import type { ServerWorld } from "./server-world.ts";
import type { Places, ServeSettings } from "./settings.ts";
import { createDelegateAnswers } from "./snapshot/delegate-answers.ts";
import { createOptOutGuard, type OptOutGuard } from "./snapshot/opt-out-guard.ts";
import { readinessOf } from "./snapshot/readiness.ts";
import { openSequenceMemory } from "./snapshot/sequence-memory.ts";
import { createSnapshotSource, type SnapshotSource } from "./snapshot/snapshot-source.ts";
import { type ShownReadiness, withWithheldEntities } from "./snapshot/withheld-entities.ts";

/** How far a server is on its way out: serving, serving on while callers leave, or refusing what still comes. */
export type Phase = "serving" | "draining" | "closing";

/** A server put together, not listening yet. */
export interface AssembledServer {
  readonly app: FastifyInstance;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly snapshots: SnapshotSource;
  readonly optOuts: OptOutGuard;
  readonly readiness: () => ShownReadiness;
  readonly enter: (phase: Phase) => void;
  /** What an operator should hear at the start; it is in the log too. */
  readonly warnings: readonly string[];
  readonly closeStores: () => void;
}

/** Opens the stores and puts the parts together. */
export function assembleServer(places: Places, settings: ServeSettings, world: ServerWorld): AssembledServer {
  const { nowMs, randomBytes } = world;
  const log = createLog(world.logStream, settings.logLevel);
  let phase: Phase = "serving";
  const isStopping = () => phase !== "serving";
  const counted = countedParts();
  const logFailure = logStoreFailures(log, { nowMs, describe: describeError, onDropped: counted.dropLine });
  const plan = planConnections(world.openFilesMax);
  const { memory, lookup, quota, stranded, closed, closeStores } = openStores(
    places,
    world,
    counted,
    logFailure,
  );
  const warnings = [plan.warning, stranded, closed].filter((warning) => warning !== undefined);
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
    onChange: (found) => tellOptOuts(log, found),
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
    onError: logFailure,
  });
  const logRequest = logRequests(log, { nowMs, onDropped: counted.dropLine });
  const app = buildApp({
    access,
    snapshots,
    delegates: createDelegateAnswers(limits.DELEGATE_CACHE_BYTES_MAX),
    optOuts,
    corsOrigins: settings.corsOrigins,
    isStopping,
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
      linesSampledAway: counted.linesDropped,
      linesNotTaken: () => world.logStream.dropped?.() ?? 0,
    }),
    snapshots,
    optOuts,
    readiness: () =>
      withWithheldEntities(
        readinessOf(snapshots.status(), {
          nowMs: nowMs(),
          maxAgeMs: settings.maxAgeMs,
          isStopping: isStopping(),
        }),
        optOuts.problem(),
      ),
    enter: (next) => {
      phase = next;
    },
    closeStores: () => {
      snapshots.close();
      denyList.close();
      closeStores();
    },
  };
}

/** Keys, quota and the highest sequence, each in its file. */
function openStores(
  places: Places,
  { nowMs, randomBytes, pepper: given }: ServerWorld,
  counted: ReturnType<typeof countedParts>,
  logFailure: (where: "quota commit", error: unknown) => void,
) {
  const home = openHome(places.home);
  refuseLostKeys(home);
  const memory = tellingFileFailures("highest-sequence in the home", () =>
    openSequenceMemory(home.directory),
  );
  const openKeys = () => openKeyStore(home.keysPath, limits.SERVER_BUSY_TIMEOUT_MS);
  const firstStore = openPatiently(openKeys);
  const pepper = pepperFor(firstStore, home, { given, randomBytes });
  const store = followKeyStore(home.keysPath, firstStore, openKeys);
  let closed: string | undefined;
  const quota = createGroupCommitQuota({
    openLedger: () => {
      const ledger = openPatiently(() => openQuotaLedger(home.quotaPath));
      closed = closedDayWarning(ledger.closedThrough(), nowMs());
      return watchLedger(ledger, counted.quota);
    },
    onError: (error) => logFailure("quota commit", error),
  });
  return {
    memory,
    lookup: createKeyLookup({ store, pepper, nowMs }),
    quota,
    stranded: strandedKeysWarning(firstStore, pepper, nowMs()),
    closed,
    closeStores: () => {
      quota.close();
      store.close();
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

/** Says in the log whether the list of live opt-outs is obeyed; never who is on it, nor how many. */
function tellOptOuts(log: Log, problem: OptOutsErrorCode | undefined): void {
  if (problem === undefined) log.info("opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be asked: no entity is served");
}
