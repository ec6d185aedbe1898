import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { createAccount } from "../../../proxy/keys/accounts.ts";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { createKeyLookup, type KeyLookup } from "../../../proxy/keys/key-lookup.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { createLog } from "../../../proxy/observe/create-log.ts";
import { createRequestLog } from "../../../proxy/observe/request-log.ts";
import type { DailyQuota } from "../../../proxy/quota/daily-quota.ts";
import { createGroupCommit } from "../../../proxy/quota/group-commit.ts";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { createAdmit, createInFlight, type InFlight } from "../../../proxy/request/admit.ts";
import type { Endpoint } from "../../../proxy/request/endpoint.ts";
import { type AppParts, buildApp } from "../../../proxy/server/build-app.ts";
import { readinessOf } from "../../../proxy/snapshot/readiness.ts";
import { createSnapshotSource } from "../../../proxy/snapshot/snapshot-source.ts";
import { type AccessTier, byTier } from "../../../snapshots/format/value-sets.ts";
import { followDenyList } from "../../../snapshots/optouts/deny-list.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../snapshots/optouts/opt-out-store.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";

/** Noon of a day, by the tests' clock. */
export const NOON_MS = Date.parse("2026-04-01T12:00:00.000Z");

export const PEPPER = "pepper for tests, 32 characters or more";

/** What a test may put in place of the real parts. */
export interface TestProxyOptions {
  readonly folder: string;
  /** Root of published versions; without it nothing is loaded. */
  readonly published?: string;
  readonly inFlightMax?: number;
  readonly corsOrigins?: readonly string[];
  readonly endpoints?: readonly Endpoint[];
  readonly lookup?: (real: KeyLookup) => KeyLookup;
  readonly quota?: (real: DailyQuota) => DailyQuota;
  readonly inFlight?: (real: InFlight) => InFlight;
  readonly isServing?: () => boolean;
  readonly stopping?: AbortSignal;
}

export type TestProxy = Awaited<ReturnType<typeof createTestProxy>>;

export interface AskOptions {
  readonly key?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly bytes: Buffer;
  /** Code of the error envelope; undefined for an answer that is none. */
  readonly code: string | undefined;
}

/** The real proxy without a socket, with a clock that stands still and one account and key per tier. */
export async function createTestProxy(options: TestProxyOptions) {
  const home = mkdtempSync(join(options.folder, "home-"));
  const clock = { nowMs: NOON_MS };
  const nowMs = () => clock.nowMs;
  const store = openKeyTable(join(home, "keys.db"), 100);
  const keyOf = (tier: AccessTier) => {
    createAccount(store, tier, { tier }, NOON_MS);
    const issuer = { table: store, pepper: PEPPER, nowMs: NOON_MS, randomBytes };
    return createKey(issuer, { account: tier, terms: {}, environment: "live", expiresAtMs: null }).key;
  };
  const keys = byTier(keyOf);
  const quotaPath = join(home, "quota.db");
  const quota = createGroupCommit({
    ledger: openQuotaLedger(quotaPath),
    tickMs: () => performance.now(),
    onError: () => {},
  });
  let sequence = 0;
  const root = options.published;
  const optOutsPath = join(home, "optouts.db");
  createOptOuts({ path: optOutsPath, mode: OPT_OUTS_MODES.owner, randomBytes });
  const denyList = followDenyList({ path: optOutsPath, nowMs, onChange: () => {} });
  const snapshots = createSnapshotSource({
    denyList,
    versions: {
      readPointer: () => readPointer(root ?? join(home, "nothing")),
      open: (sequenceMin) => openSnapshot(root ?? join(home, "nothing"), { sequenceMin }),
    },
    memory: {
      highest: () => sequence,
      remember: (next) => {
        sequence = next;
      },
    },
    nowMs,
    onEvent: () => {},
  });
  await snapshots.poll();
  const logLines: string[] = [];
  const log = createLog({ write: (line) => void logLines.push(line) }, "info");
  const find = (digests: readonly Buffer[]) =>
    digests.map(store.findByDigest).find((key) => key !== undefined);
  const lookup = createKeyLookup({ store: { revision: store.revision, find }, peppers: [PEPPER], nowMs });
  const inFlight = createInFlight(options.inFlightMax ?? 1000);
  const parts: AppParts = {
    admit: createAdmit({
      lookup: options.lookup?.(lookup) ?? lookup,
      quota: options.quota?.(quota) ?? quota,
      inFlight: options.inFlight?.(inFlight) ?? inFlight,
      nowMs,
      isServing: options.isServing ?? snapshots.isServing,
      onError: () => {},
    }),
    tickMs: nowMs,
    snapshots,
    corsOrigins: new Set(options.corsOrigins ?? []),
    stopping: options.stopping ?? new AbortController().signal,
    readiness: () =>
      readinessOf(snapshots.status(), {
        nowMs: nowMs(),
        maxAgeMs: undefined,
        isStopping: options.stopping?.aborted === true,
        isUnsignedCopy: false,
        storeProblem: undefined,
      }),
    nowMs,
    newRequestId: () => randomBytes(12).toString("hex"),
    log,
    observers: [
      createRequestLog(log, { nowMs: () => 0, onDropped: () => {}, linesPerSecondMax: Infinity }).observe,
    ],
    ...(options.endpoints === undefined ? {} : { endpoints: options.endpoints }),
  };
  const { app } = buildApp(parts);
  return {
    app,
    clock,
    store,
    keys,
    quotaPath,
    /** The list of live opt-outs: empty, and looked at again when the clock has moved on. */
    optOutsPath,
    logLines,
    /** Looks at the pointer, as the server does once a second. */
    poll: snapshots.poll,
    usedBy: (account: string) => {
      const ledger = openQuotaLedger(quotaPath);
      const used = ledger.usage(account, "0000-01-01").reduce((sum, day) => sum + day.used, 0);
      ledger.close();
      return used;
    },
    ask: (url: string, request?: AskOptions) => ask(app, url, request),
    close: async () => {
      await app.close();
      snapshots.close();
      denyList.close();
      await quota.close();
      store.close();
    },
  };
}

async function ask(
  app: FastifyInstance,
  url: string,
  { key, method = "GET", headers = {} }: AskOptions = {},
): Promise<TestAnswer> {
  const answer = await app.inject({
    method: method as "GET",
    url,
    headers: { ...(key === undefined ? {} : { "x-api-key": key }), ...headers },
  });
  const parsed = answer.statusCode >= 400 && answer.body !== "" ? JSON.parse(answer.body) : {};
  return {
    status: answer.statusCode,
    headers: answer.headers as Record<string, string | undefined>,
    body: answer.body,
    bytes: answer.rawPayload,
    code: parsed.error?.code,
  };
}

/** An answer without what differs between any two: date, request id and the quota counters. */
export function comparable({ status, headers, body }: TestAnswer) {
  const {
    date: _date,
    "x-request-id": _id,
    ratelimit: _ratelimit,
    "x-ratelimit-remaining": _remaining,
    ...rest
  } = headers;
  return { status, headers: rest, body };
}
