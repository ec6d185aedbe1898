import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry } from "../facts/tracked.ts";
import { loadRegistry } from "../registry/load-registry.ts";
import { openWarehouse } from "../warehouse/open-warehouse.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Settings } from "./settings.ts";

const REGISTRY_FILE = "registry.yaml";
const WAREHOUSE_FILE = "warehouse.db";
const LAST_RUN_FILE = "last-run.json";

/** What one run remembers for the next; never published. */
const LastRun = z.strictObject({ opted_out_entities: z.int().min(0) });

/** Makes the home, readable by its owner only. What is there already stays. */
function makeHome(homeDirectory: string): void {
  mkdirSync(homeDirectory, { recursive: true, mode: 0o700 });
  chmodSync(homeDirectory, 0o700);
}

/** The registry that a command reads: the one named, the home's, or the curated one. */
export function registryPathOf(settings: Settings): string {
  const own = join(settings.homeDirectory, REGISTRY_FILE);
  return settings.registryPath ?? (existsSync(own) ? own : curatedRegistryPath(settings));
}

function curatedRegistryPath(settings: Settings): string {
  return join(settings.packageDirectory, "pipeline", "registry", REGISTRY_FILE);
}

/** Reads the registry in force; throws `PipelineError` REGISTRY_INVALID with every problem it has. */
export function readRegistry(settings: Settings): Registry {
  return loadRegistry(registryPathOf(settings));
}

/** Opens the warehouse of the home, made where it is missing. The caller closes it. */
export function openHomeWarehouse(settings: Settings): Warehouse {
  makeHome(settings.homeDirectory);
  return openWarehouse({
    path: join(settings.homeDirectory, WAREHOUSE_FILE),
    migrationsDirectory: join(settings.packageDirectory, "pipeline", "warehouse", "migrations"),
  });
}

/** Whether this home was ever used. */
export function hasWarehouse(settings: Settings): boolean {
  return existsSync(join(settings.homeDirectory, WAREHOUSE_FILE));
}

/** What `init` made and what it found. */
export interface InitResult {
  readonly home: string;
  readonly registry: string;
  readonly registryWasThere: boolean;
}

/** Makes home, warehouse and a registry to edit, copied from the curated one. An edited registry is never overwritten. */
export function initHome(settings: Settings): InitResult {
  openHomeWarehouse(settings).close();
  const registry = join(settings.homeDirectory, REGISTRY_FILE);
  const registryWasThere = existsSync(registry);
  if (!registryWasThere) {
    copyFileSync(settings.registryPath ?? curatedRegistryPath(settings), registry);
    chmodSync(registry, 0o600);
  }
  return { home: settings.homeDirectory, registry, registryWasThere };
}

/** How many entities had opted out at the last publish from this home; `undefined` before the first. */
export function rememberedOptOuts(settings: Settings): number | undefined {
  const path = join(settings.homeDirectory, LAST_RUN_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return LastRun.parse(JSON.parse(readFileSync(path, "utf8"))).opted_out_entities;
  } catch (cause) {
    // A memory that cannot be read must not pass for "nobody had opted out".
    throw new PipelineError("HOME_INVALID", `${LAST_RUN_FILE} in the home cannot be read`, {
      cause,
      hint: `Check the registry's opt-outs by hand, then delete ${LAST_RUN_FILE}.`,
    });
  }
}

/** Remembers the number of opted-out entities for the next run. */
export function rememberOptOuts(settings: Settings, count: number): void {
  const path = join(settings.homeDirectory, LAST_RUN_FILE);
  const text = `${JSON.stringify(LastRun.parse({ opted_out_entities: count }))}\n`;
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
