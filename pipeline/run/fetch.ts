import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { FetchRecord, Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { fetchDaos } from "./fetch-daos.ts";
import { openHomeWarehouse, readRegistry } from "./home.ts";
import { openSource, SOURCE_IDS, type SourceId, type SourceOptions } from "./open-source.ts";
import type { Settings } from "./settings.ts";

export { SOURCE_IDS, type SourceId };

/** Where to fetch from, and which DAOs; no ids are all of the registry that the source can have anything about. */
export interface FetchOptions extends SourceOptions {
  readonly spaceIds: readonly string[];
}

/** What one fetch of one DAO brought, as commands print it. */
export type FetchSummary = FetchRecord;

/** What a fetch brought. */
export interface FetchResult {
  readonly records: readonly FetchRecord[];
  readonly failedCount: number;
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

/** The fetch stage, into a warehouse that is open already. */
export async function fetchInto(
  places: { readonly settings: Settings; readonly warehouse: Warehouse; readonly registry: Registry },
  options: FetchOptions,
  effects: RunEffects,
): Promise<FetchResult> {
  const { settings, warehouse, registry } = places;
  const { source, isFor, atOnce, close } = openSource(settings, options, effects);
  try {
    const asked = chooseDaos(registry, options.spaceIds);
    const daos = options.spaceIds.length === 0 ? asked.filter(isFor) : asked;
    const records = await fetchDaos({ daos, source, warehouse, effects, atOnce });
    return { records, failedCount: records.filter((record) => record.status === "failed").length };
  } finally {
    await close();
  }
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
    return await fetchInto({ settings, warehouse, registry }, options, effects);
  } finally {
    warehouse.close();
  }
}
