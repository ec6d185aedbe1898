import { Registry } from "prom-client";
import type { SnapshotStatus } from "../snapshot/snapshot-source.ts";
import { createHistogram, type RequestTally, type Sample } from "./request-log.ts";

type QuotaTally = ReturnType<typeof createQuotaTally>;

/** Failed commits, and the charges and refunds of each that succeeded. */
export function createQuotaTally() {
  return { failures: 0, units: createHistogram([1, 2, 4, 8, 16, 32, 64, 128, 256]) };
}

interface MetricSources {
  readonly nowMs: () => number;
  readonly requests: RequestTally;
  readonly quota: QuotaTally;
  readonly inFlight: () => number;
  readonly connections: () => Promise<number>;
  readonly snapshot: () => SnapshotStatus;
  readonly isStoreDown: (store: "keys" | "quota") => boolean;
  readonly linesSampledAway: () => number;
  readonly linesNotTaken: () => number;
}

interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly read: (sources: MetricSources) => readonly Sample[] | Promise<readonly Sample[]>;
}

const one = (value: number): readonly Sample[] => [{ value }];
const present = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : one(value));
const because = (reason: string | undefined): readonly Sample[] =>
  reason === undefined ? [] : [{ value: 1, labels: { reason } }];
const secondsSince = (atMs: number | undefined, nowMs: number): readonly Sample[] =>
  present(atMs === undefined ? undefined : (nowMs - atMs) / 1000);

/**
 * All our metrics. No label contains anything that a caller chose or that identifies one: routes are templates, and
 * tiers, statuses and problems are lists in the code, so the code bounds the number of series.
 */
export const METRICS: Readonly<Record<string, Metric>> = {
  govdata_proxy_requests_total: {
    kind: "counter",
    help: "Requests that ended, by route template, status and tier (none: not admitted).",
    read: ({ requests }) => requests.requests(),
  },
  govdata_proxy_refusals_total: {
    kind: "counter",
    help: "Refused requests, by error code and exact situation.",
    read: ({ requests }) => requests.refusals(),
  },
  govdata_proxy_request_duration_seconds: {
    kind: "histogram",
    help: "Time from the first byte read to the end of the answer, by route.",
    read: ({ requests }) => requests.seconds(),
  },
  govdata_proxy_requests_in_flight: {
    kind: "gauge",
    help: "Admitted requests in progress.",
    read: ({ inFlight }) => one(inFlight()),
  },
  govdata_proxy_connections: {
    kind: "gauge",
    help: "Open connections of callers.",
    read: async ({ connections }) => one(await connections()),
  },
  govdata_proxy_quota_commit_size: {
    kind: "histogram",
    help: "Charges and refunds that one durable commit settled.",
    read: ({ quota }) => quota.units.samples(),
  },
  govdata_proxy_quota_commit_failures_total: {
    kind: "counter",
    help: "Commits that failed: every request waiting for one got 503.",
    read: ({ quota }) => one(quota.failures),
  },
  govdata_proxy_store_down: {
    kind: "gauge",
    help: "1 while every request gets 503 because this store does not answer, else 0.",
    read: ({ isStoreDown }) =>
      (["keys", "quota"] as const).map((store) => ({ value: isStoreDown(store) ? 1 : 0, labels: { store } })),
  },
  govdata_proxy_snapshot_sequence: {
    kind: "gauge",
    help: "Sequence of the version served; absent without one.",
    read: ({ snapshot }) => present(snapshot().serving?.sequence),
  },
  govdata_proxy_snapshot_age_seconds: {
    kind: "gauge",
    help: "Seconds since the version served was published; absent without one.",
    read: ({ snapshot, nowMs }) => {
      const { serving } = snapshot();
      return secondsSince(serving && Date.parse(serving.manifest.created_at), nowMs());
    },
  },
  govdata_proxy_snapshot_refused: {
    kind: "gauge",
    help: "1 while the version that the pointer names is not the one served, by reason; else absent.",
    read: ({ snapshot }) => because(snapshot().problem),
  },
  govdata_proxy_remote_problem: {
    kind: "gauge",
    help: "1 while the copy of a remote version may be outdated, by reason; else absent.",
    read: ({ snapshot }) => because(snapshot().remote?.problem),
  },
  govdata_proxy_remote_age_seconds: {
    kind: "gauge",
    help: "Seconds since the copy was last known to be current; absent without a remote address.",
    read: ({ snapshot, nowMs }) => secondsSince(snapshot().remote?.upToDateAtMs, nowMs()),
  },
  govdata_proxy_remote_pulled_bytes_total: {
    kind: "counter",
    help: "Bytes of versions downloaded; absent without a remote address.",
    read: ({ snapshot }) => present(snapshot().remote?.bytesPulled),
  },
  govdata_proxy_entities_withheld: {
    kind: "gauge",
    help: "1 while no entity is served because the opt-outs cannot be read, else 0.",
    read: ({ snapshot }) => one(snapshot().optOutsProblem === undefined ? 0 : 1),
  },
  govdata_proxy_log_lines_dropped_total: {
    kind: "counter",
    help: "Log lines not written: left out by sampling (sampled), or not accepted (not_taken).",
    read: ({ linesSampledAway, linesNotTaken }) => [
      { value: linesSampledAway(), labels: { reason: "sampled" } },
      { value: linesNotTaken(), labels: { reason: "not_taken" } },
    ],
  },
};

export type Metrics = ReturnType<typeof createMetrics>;

export const PROMETHEUS_TEXT = Registry.PROMETHEUS_CONTENT_TYPE;

/** Creates the metrics of this process in Prometheus format; each call of `text` reads the current numbers. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const textOf = async ([name, { kind, help, read }]: readonly [string, Metric]): Promise<string> => {
    const lines = (await read(sources)).map((sample) => lineOf(name, sample));
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ""].join("\n");
  };
  return {
    /** For metrics of the process itself, which prom-client collects. */
    registry,
    text: async (): Promise<string> => {
      const texts = await Promise.all(Object.entries(METRICS).map(textOf));
      return [...texts, await registry.metrics()].join("\n");
    },
  };
}

/** Formats one sample. Label values come from the code, so none needs escaping. */
function lineOf(name: string, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}
