import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { HttpCounters } from "../sources/http/http-client.ts";
import type { FetchRecord, Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { fetchDaos } from "./fetch-daos.ts";
import { assertArchiveMatches } from "./fetch-matching.ts";
import type { NamesSummary } from "./fetch-names.ts";
import { openHomeWarehouse, readRegistry } from "./home.ts";
import type { SourceOptions } from "./open-source.ts";
import type { Settings } from "./settings.ts";
import type { SourceId } from "./source-ids.ts";
import { withThreads } from "./threads/open-threads.ts";
import type { ThreadPool } from "./threads/thread-pool.ts";

/** Where to fetch from, one source after the other, and which DAOs; no ids are all of the registry that a source can have anything about. */
export interface FetchOptions extends Omit<SourceOptions, "source"> {
  readonly sources: readonly SourceId[];
  readonly spaceIds: readonly string[];
}

/** What one fetch of one DAO brought, as commands print it. */
export type FetchSummary = FetchRecord;

/** What was asked of the network for one source. */
export interface SourceTraffic extends HttpCounters {
  readonly sourceId: string;
}

/** What a fetch brought. */
export interface FetchResult {
  readonly records: readonly FetchRecord[];
  readonly failedCount: number;
  /** Read from archives and from the network. */
  readonly bytes: number;
  /** Of the sources that are live. */
  readonly traffic: readonly SourceTraffic[];
  /** `undefined` where no chain was read. */
  readonly names: NamesSummary | undefined;
}

/** The DAOs that were asked for; throws `PipelineError` BAD_OPTION for one that is not tracked. */
export function chooseDaos(registry: Registry, spaceIds: readonly string[]): readonly TrackedDao[] {
  if (spaceIds.length === 0) return registry.daos;
  return [...new Set(spaceIds)].map((spaceId) => {
    const dao = registry.daos.find((candidate) => candidate.spaceId === spaceId);
    if (dao !== undefined) return dao;
    throw new PipelineError("BAD_OPTION", `${spaceId} is not in the registry`, {
      hint: "`govdata status` lists the DAOs that are tracked.",
    });
  });
}

interface Places {
  readonly settings: Settings;
  readonly warehouse: Warehouse;
  readonly registry: Registry;
  readonly threads: ThreadPool | undefined;
}

async function fetchFrom(
  { settings, warehouse, registry, threads }: Places,
  { spaceIds, ...options }: SourceOptions & { readonly spaceIds: readonly string[] },
  effects: RunEffects,
): Promise<{
  readonly records: readonly FetchRecord[];
  readonly traffic: readonly SourceTraffic[];
  readonly archivedBytes: number;
}> {
  // What speaks with hubs and chains takes as long to load as all the rest, and most commands never fetch.
  const { openSource } = await import("./open-source.ts");
  const { source, isFor, atOnce, bytesOf, counters, close } = openSource(settings, options, effects);
  try {
    const daos = chooseDaos(registry, spaceIds).filter(isFor);
    const isFull = options.isFull === true;
    const inThreads =
      options.source === "archive" && threads !== undefined && options.from !== undefined
        ? { threads, directory: options.from }
        : undefined;
    const records = await fetchDaos({ daos, source, warehouse, effects, atOnce, bytesOf, inThreads, isFull });
    const seen = counters();
    return {
      records,
      traffic: seen === undefined ? [] : [{ sourceId: source.sourceId, ...seen }],
      archivedBytes: daos.reduce((sum, dao) => sum + bytesOf(dao), 0),
    };
  } finally {
    await close();
  }
}

/**
 * The fetch stage, into a warehouse that is open already. Throws `PipelineError` BAD_OPTION where no source has anything
 * about a DAO that was asked for, and NOTHING_FETCHED when every fetch failed.
 */
export async function fetchInto(
  places: Places,
  { sources, ...options }: FetchOptions,
  effects: RunEffects,
): Promise<FetchResult> {
  const records: FetchRecord[] = [];
  const traffic: SourceTraffic[] = [];
  const [first, second] = sources;
  if (first === "archive" && second === undefined && options.from !== undefined) {
    assertArchiveMatches(options.from, chooseDaos(places.registry, options.spaceIds));
  }
  let archived = 0;
  for (const source of sources) {
    const fetched = await fetchFrom(places, { ...options, source }, effects);
    records.push(...fetched.records);
    traffic.push(...fetched.traffic);
    archived += fetched.archivedBytes;
  }
  let names: NamesSummary | undefined;
  if (sources.includes("governor")) {
    const daos = chooseDaos(places.registry, options.spaceIds);
    const { askForNames } = await import("./ask-for-names.ts");
    const asked = await askForNames({ ...places, daos }, options, effects);
    names = asked.summary;
    if (asked.counters !== undefined) traffic.push({ sourceId: "ens", ...asked.counters });
  }
  const unheard = options.spaceIds.find((spaceId) => records.every((record) => record.spaceId !== spaceId));
  if (unheard !== undefined) {
    throw new PipelineError("BAD_OPTION", `--source ${sources.join(",")} has nothing about ${unheard}`, {
      hint: "A governor is read where the registry names one for the DAO.",
    });
  }
  if (records.length > 0 && records.every((record) => record.status === "failed")) {
    throw new PipelineError("NOTHING_FETCHED", `none of ${records.length} DAOs could be fetched`, {
      hint: "Check --source and --from; what was fetched before is kept, and nothing was published.",
    });
  }
  return {
    records,
    bytes: archived + traffic.reduce((sum, source) => sum + source.bytes, 0),
    failedCount: records.filter((record) => record.status === "failed").length,
    traffic,
    names,
  };
}

/** `govdata fetch`: fills the warehouse and publishes nothing. */
export async function runFetch(
  settings: Settings,
  options: FetchOptions,
  effects: RunEffects,
): Promise<FetchResult> {
  const registry = readRegistry(settings);
  const warehouse = openHomeWarehouse(settings);
  try {
    return await withThreads(settings, registry, chooseDaos(registry, options.spaceIds).length, (threads) =>
      fetchInto({ settings, warehouse, registry, threads }, options, effects),
    );
  } finally {
    warehouse.close();
  }
}
