import { existsSync, statSync } from "node:fs";
import { PipelineError } from "../base/pipeline-error.ts";
import type { GovernanceSource } from "../facts/space-sink.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { createArchiveSource } from "../sources/archive/index.ts";
import type { FetchRecord, Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { fetchDaos } from "./fetch-daos.ts";
import { openHomeWarehouse, readRegistry } from "./home.ts";
import type { Settings } from "./settings.ts";

/** The sources `fetch --source` knows. */
export const SOURCE_IDS = ["archive"] as const;
export type SourceId = (typeof SOURCE_IDS)[number];

/** Where to fetch from, and which DAOs; no ids are all of the registry. */
export interface FetchOptions {
  readonly source: SourceId;
  /** Folder of an unpacked archive. */
  readonly from: string;
  readonly spaceIds: readonly string[];
}

/** What one fetch of one DAO brought, as commands print it. */
export type FetchSummary = FetchRecord;

/** What a fetch brought. */
export interface FetchResult {
  readonly records: readonly FetchRecord[];
  readonly failedCount: number;
}

function openSource(options: FetchOptions): GovernanceSource {
  if (!existsSync(options.from) || !statSync(options.from).isDirectory()) {
    throw new PipelineError("ARCHIVE_MISSING", `${options.from} is not a folder`, {
      hint: "Give --from the folder of an unpacked archive (fixtures/README.md shows its layout).",
    });
  }
  return createArchiveSource({ directory: options.from });
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
  warehouse: Warehouse,
  registry: Registry,
  options: FetchOptions,
  effects: RunEffects,
): Promise<FetchResult> {
  const source = openSource(options);
  const daos = chooseDaos(registry, options.spaceIds);
  const records = await fetchDaos({ daos, source, warehouse, effects });
  return { records, failedCount: records.filter((record) => record.status === "failed").length };
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
    return await fetchInto(warehouse, registry, options, effects);
  } finally {
    warehouse.close();
  }
}
