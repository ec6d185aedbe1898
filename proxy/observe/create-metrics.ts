import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { PROBLEMS } from "../request/problems.ts";
import type { SnapshotStatus } from "../snapshot/snapshot-source.ts";
import { DURATION_BOUNDS_SECONDS, type RequestTally } from "./request-tally.ts";
import { BATCH_BOUNDS, type QuotaTally } from "./watch-ledger.ts";

/** Where the numbers stand; they are read when somebody asks. */
interface MetricSources {
  readonly nowMs: () => number;
  readonly requests: RequestTally;
  readonly quota: QuotaTally;
  readonly inFlight: () => number;
  readonly connections: () => Promise<number>;
  readonly snapshot: () => SnapshotStatus;
  readonly isWithholdingEntities: () => boolean;
  readonly isStoreDown: (store: "keys" | "quota") => boolean;
  readonly linesSampledAway: () => number;
  readonly linesNotTaken: () => number;
}

/** The numbers of this process as Prometheus reads them. */
export interface Metrics {
  readonly registry: Registry;
  readonly text: () => Promise<string>;
}

/** The content type of `Metrics.text`. */
export const PROMETHEUS_TEXT = Registry.PROMETHEUS_CONTENT_TYPE;

/** Every number that is told, with what it says. */
export const METRICS = {
  govdata_proxy_requests_total:
    "Requests that ended, by route template, status and tier (none: nobody was admitted).",
  govdata_proxy_refusals_total: "Requests that got a problem, by its code and by what they ran into.",
  govdata_proxy_request_duration_seconds: "Time from the first byte read to the end of the answer, by route.",
  govdata_proxy_requests_in_flight: "Admitted requests under way.",
  govdata_proxy_connections: "Open connections of callers.",
  govdata_proxy_quota_commit_size: "Charges and refunds that one durable commit settled.",
  govdata_proxy_quota_commit_failures_total: "Commits that failed: everybody who waited for one got 503.",
  govdata_proxy_store_down: "1 while every request gets 503 because this store does not answer, else 0.",
  govdata_proxy_snapshot_sequence: "Sequence of the version served; absent without one.",
  govdata_proxy_snapshot_age_seconds: "Since the version served was published; absent without one.",
  govdata_proxy_snapshot_refused:
    "1 while the version that the pointer names is not the one served, by reason; else absent.",
  govdata_proxy_remote_problem:
    "1 while the copy here may not be what is published at the remote address, by reason; else absent.",
  govdata_proxy_remote_age_seconds:
    "Since the copy here was last known to be what is published at the remote address; absent without one.",
  govdata_proxy_remote_pulled_bytes_total:
    "Bytes of versions that came from the remote address; absent without one.",
  govdata_proxy_entities_withheld:
    "1 while no entity is served because nobody can say who opted out, else 0.",
  govdata_proxy_log_lines_dropped_total:
    "Lines not written: thinned out (sampled), or not taken by a full or hanging log (not_taken).",
} as const;

/**
 * Gathers the numbers. No label holds anything that a caller chose or that names one: routes are templates, tiers,
 * statuses and problems are lists in the code, so there are as many series as the code has, and no more.
 */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  tellRequests(registry, sources);
  tellQuota(registry, sources.quota);
  tellMetric(registry, "gauge", told("govdata_proxy_store_down"), () =>
    (["keys", "quota"] as const).map((store) => [sources.isStoreDown(store) ? 1 : 0, { store }]),
  );
  tellSnapshot(registry, sources);
  tellMetric(registry, "counter", told("govdata_proxy_log_lines_dropped_total"), () => [
    [sources.linesSampledAway(), { reason: "sampled" }],
    [sources.linesNotTaken(), { reason: "not_taken" }],
  ]);
  return { registry, text: () => registry.metrics() };
}

function told(name: keyof typeof METRICS) {
  return { name, help: METRICS[name] };
}

function tellRequests(registry: Registry, sources: MetricSources): void {
  const { requests } = sources;
  tellMetric(registry, "counter", told("govdata_proxy_requests_total"), () =>
    requests.counts().map(({ count, route, status, tier }) => [count, { route, status: `${status}`, tier }]),
  );
  tellMetric(registry, "counter", told("govdata_proxy_refusals_total"), () =>
    [...requests.refusals()].map(([problem, count]) => [
      count,
      { code: PROBLEMS[problem].code, situation: problem },
    ]),
  );
  tellHistogram(registry, told("govdata_proxy_request_duration_seconds"), DURATION_BOUNDS_SECONDS, () =>
    requests
      .times()
      .map(({ route, perClass, sumSeconds }) => ({ labels: { route }, perClass, sum: sumSeconds })),
  );
  tellMetric(registry, "gauge", told("govdata_proxy_requests_in_flight"), () => [[sources.inFlight()]]);
  tellMetric(registry, "gauge", told("govdata_proxy_connections"), async () => [
    [await sources.connections()],
  ]);
}

function tellQuota(registry: Registry, quota: QuotaTally): void {
  tellHistogram(registry, told("govdata_proxy_quota_commit_size"), BATCH_BOUNDS, () => [
    { labels: {}, perClass: quota.perClass, sum: quota.units },
  ]);
  tellMetric(registry, "counter", told("govdata_proxy_quota_commit_failures_total"), () => [
    [quota.failures],
  ]);
}

function tellSnapshot(registry: Registry, { snapshot, nowMs, isWithholdingEntities }: MetricSources): void {
  const ofServing = (read: (serving: NonNullable<SnapshotStatus["serving"]>) => number) => (): Sample[] => {
    const { serving } = snapshot();
    return serving === undefined ? [] : [[read(serving)]];
  };
  tellMetric(
    registry,
    "gauge",
    told("govdata_proxy_snapshot_sequence"),
    ofServing(({ sequence }) => sequence),
  );
  tellMetric(
    registry,
    "gauge",
    told("govdata_proxy_snapshot_age_seconds"),
    ofServing(({ manifest }) => (nowMs() - Date.parse(manifest.created_at)) / 1000),
  );
  tellMetric(registry, "gauge", told("govdata_proxy_snapshot_refused"), () => {
    const { problem } = snapshot();
    return problem === undefined ? [] : [[1, { reason: problem }]];
  });
  tellRemote(registry, { snapshot, nowMs });
  tellMetric(registry, "gauge", told("govdata_proxy_entities_withheld"), () => [
    [isWithholdingEntities() ? 1 : 0],
  ]);
}

function tellRemote(
  registry: Registry,
  { snapshot, nowMs }: Pick<MetricSources, "snapshot" | "nowMs">,
): void {
  tellMetric(registry, "gauge", told("govdata_proxy_remote_problem"), () => {
    const problem = snapshot().remote?.problem;
    return problem === undefined ? [] : [[1, { reason: problem }]];
  });
  tellMetric(registry, "gauge", told("govdata_proxy_remote_age_seconds"), () => {
    const atMs = snapshot().remote?.upToDateAtMs;
    return atMs === undefined ? [] : [[(nowMs() - atMs) / 1000]];
  });
  tellMetric(registry, "counter", told("govdata_proxy_remote_pulled_bytes_total"), () => {
    const { remote } = snapshot();
    return remote === undefined ? [] : [[remote.bytesPulled]];
  });
}

/** A number, and what tells it apart from others of the same name. */
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** A number as it is told: what it is called and what it says. */
interface ToldMetric {
  readonly name: string;
  readonly help: string;
}

/** One row of a histogram: how many in each class (one more than there are bounds), and their sum. */
interface HistogramRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly perClass: readonly number[];
  readonly sum: number;
}

const KINDS = { counter: Counter, gauge: Gauge } as const;

/** Tells numbers that are counted elsewhere: they are read at each scrape, and what is not read then is absent. */
function tellMetric(
  registry: Registry,
  kind: keyof typeof KINDS,
  { name, help }: ToldMetric,
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const values = async () => (await read()).map(([value, labels = {}]) => ({ value, labels }));
  // The package's own counting hashes its labels at each call, which a request should not pay for.
  Object.assign(new KINDS[kind]({ name, help, registers: [registry] }), {
    get: async () => ({ name, help, type: kind, values: await values(), aggregator: "sum" }),
  });
}

/** The same for a histogram, whose classes become cumulative as Prometheus wants them. */
function tellHistogram(
  registry: Registry,
  { name, help }: ToldMetric,
  bounds: readonly number[],
  read: () => readonly HistogramRow[],
): void {
  const told = async () => ({
    name,
    help,
    type: "histogram",
    values: read().flatMap((row) => samplesOf(name, bounds, row)),
    aggregator: "sum",
  });
  Object.assign(new Histogram({ name, help, registers: [registry] }), { get: told, getForPromString: told });
}

function samplesOf(name: string, bounds: readonly number[], { labels, perClass, sum }: HistogramRow) {
  let count = 0;
  const classes = perClass.map((inClass, at) => {
    count += inClass;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...classes,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
