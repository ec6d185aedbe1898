import type { AddressInfo } from "node:net";
import { followDenyList } from "../snapshots/optouts/follow-deny-list.ts";
import type { OptOutsErrorCode } from "../snapshots/optouts/opt-outs-error.ts";
import { createAccess } from "./access/access.ts";
import { createInFlight } from "./access/in-flight.ts";
import { buildApp, describeError } from "./app.ts";
import { openHome, pepperFor } from "./home.ts";
import { OperatorError } from "./http/operator-error.ts";
import type { RandomBytes } from "./keys/base62.ts";
import { followKeyStore } from "./keys/followed-key-store.ts";
import { createKeyLookup } from "./keys/key-lookup.ts";
import { openKeyStore } from "./keys/key-store.ts";
import { createLog, type Log, type LogStream } from "./observe/create-log.ts";
import { logRequests } from "./observe/log-requests.ts";
import { createGroupCommitQuota } from "./quota/group-commit-quota.ts";
import { openQuotaLedger } from "./quota/quota-ledger.ts";
import type { Places, ServeSettings } from "./settings.ts";
import { createDelegateAnswers } from "./snapshot/delegate-answers.ts";
import { createOptOutGuard } from "./snapshot/opt-out-guard.ts";
import { openSequenceMemory } from "./snapshot/sequence-memory.ts";
import { createSnapshotSource, type PublishedVersions } from "./snapshot/snapshot-source.ts";
import * as limits from "./transport-limits.ts";

const REQUEST_ID_BYTES = 12;

/** What the world gives to a server. */
export interface ServerWorld {
  readonly nowMs: () => number;
  readonly randomBytes: RandomBytes;
  readonly logStream: LogStream;
  readonly pepper: string | undefined;
  readonly versions: PublishedVersions;
  /** Runs a task again and again; returns the way to end that. */
  readonly repeat: (task: () => Promise<void>, everyMs: number) => () => void;
}

/** A server that listens. */
export interface RunningServer {
  /** `http://host:port`, with the port that was really taken. */
  readonly address: string;
  /** Stops accepting, lets the answers under way finish, closes the stores. */
  readonly stop: () => Promise<void>;
}

/** Opens the stores, loads what is published, listens, and follows the pointer from then on. */
export async function startServer(
  places: Places,
  settings: ServeSettings,
  world: ServerWorld,
): Promise<RunningServer> {
  const { app, snapshots, optOuts, announceStop, closeStores } = assemble(places, settings, world);
  try {
    await snapshots.poll();
    await app.listen({ host: settings.host, port: settings.port });
  } catch (error) {
    await app.close();
    closeStores();
    throw listenFailure(error, settings);
  }
  const endPolling = world.repeat(() => {
    // So that a list that went away is in the log even while nobody asks.
    optOuts.problem();
    return snapshots.poll();
  }, limits.SNAPSHOT_POLL_MS);
  return {
    address: addressOf(app.server.address()),
    stop: async () => {
      announceStop();
      endPolling();
      const deadline = setTimeout(() => app.server.closeAllConnections(), limits.STOP_DEADLINE_MS);
      await app.close();
      clearTimeout(deadline);
      closeStores();
    },
  };
}

/** Puts the parts together, without listening. */
function assemble(places: Places, settings: ServeSettings, world: ServerWorld) {
  const { nowMs, randomBytes } = world;
  const home = openHome(places.home);
  const memory = openSequenceMemory(home.directory);
  const openKeys = () => openKeyStore(home.keysPath, limits.SERVER_BUSY_TIMEOUT_MS);
  const firstStore = openKeys();
  const pepper = pepperFor(firstStore, home, { given: world.pepper, randomBytes });
  const store = followKeyStore(home.keysPath, firstStore, openKeys);
  const log = createLog(world.logStream, settings.logLevel);
  let isStopping = false;
  const logFailure = (where: "keys" | "quota" | "quota commit", error: unknown) =>
    log.error({ where, ...describeError(error) }, "store failed");
  const quota = createGroupCommitQuota({
    openLedger: () => openQuotaLedger(home.quotaPath),
    onError: (error) => logFailure("quota commit", error),
  });
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
  const access = createAccess({
    lookup: createKeyLookup({ store, pepper, nowMs }),
    quota,
    inFlight: createInFlight(settings.inFlightMax),
    nowMs,
    closedBecause: () => {
      if (isStopping) return "shutting-down";
      return snapshots.status().serving === undefined ? "no-snapshot" : undefined;
    },
    onError: logFailure,
  });
  const app = buildApp({
    access,
    snapshots,
    delegates: createDelegateAnswers(limits.DELEGATE_CACHE_BYTES_MAX),
    optOuts,
    corsOrigins: settings.corsOrigins,
    isStopping: () => isStopping,
    nowMs,
    newRequestId: () => Buffer.from(randomBytes(REQUEST_ID_BYTES)).toString("hex"),
    maxAgeMs: settings.maxAgeMs,
    log,
    observe: logRequests(log),
  });
  return {
    app,
    snapshots,
    optOuts,
    announceStop: () => {
      isStopping = true;
    },
    closeStores: () => {
      snapshots.close();
      denyList.close();
      quota.close();
      store.close();
    },
  };
}

/** Says in the log whether the list of live opt-outs is obeyed; never who is on it, nor how many. */
function tellOptOuts(log: Log, problem: OptOutsErrorCode | undefined): void {
  if (problem === undefined) log.info("opt-outs obeyed");
  else log.warn({ problem }, "opt-outs cannot be asked: no entity is served");
}

function addressOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no network address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function listenFailure(error: unknown, { host, port }: ServeSettings): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there",
    EADDRNOTAVAIL: "this machine has no such address",
    EACCES: "this user may not use that port",
    ENOTFOUND: "that name has no address",
  };
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new OperatorError(
    "ADDRESS_UNUSABLE",
    `Cannot listen on ${host}, port ${port}: ${reason}.`,
    "Choose another: --host ADDRESS --port N (0 takes a free port).",
    error,
  );
}
