import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry } from "../facts/tracked.ts";
import { loadRegistry } from "../registry/load-registry.ts";
import { openWarehouse } from "../warehouse/open-warehouse.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { inHome } from "./in-home.ts";
import { openLiveOptOuts } from "./live-opt-outs.ts";
import type { Settings } from "./settings.ts";

const REGISTRY_FILE = "registry.yaml";
const WAREHOUSE_FILE = "warehouse.db";
const LAST_RUN_FILE = "last-run.json";

/** What one run remembers for the next; never published. */
const LastRun = z.strictObject({ opted_out_entities: z.int().min(0) });

/** The registry that a command reads: the one named, the home's, or the curated one. */
export function registryPathOf(settings: Settings): string {
  const own = join(settings.homeDirectory, REGISTRY_FILE);
  return settings.registryPath ?? (existsSync(own) ? own : curatedRegistryPath(settings));
}

/** Which registry a command reads: its file's name, without the path of this machine, and why this one. */
export interface RegistryInForce {
  readonly file: string;
  /** Named by option or variable, the home's own, or the one that comes with the program. */
  readonly origin: "named" | "home" | "curated";
}

/** Tells the registry in force to a person. */
export function registryInForce(settings: Settings): RegistryInForce {
  const path = registryPathOf(settings);
  const file = basename(path);
  if (settings.registryPath !== undefined) return { file, origin: "named" };
  return { file, origin: path === curatedRegistryPath(settings) ? "curated" : "home" };
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
  const { homeDirectory } = settings;
  return inHome(homeDirectory, () => {
    // Readable by its owner only, where we make it: a folder that was there is the operator's.
    mkdirSync(homeDirectory, { recursive: true, mode: 0o700 });
    return openWarehouse(homeWarehouseFiles(settings));
  });
}

/** Where the warehouse of the home lies, and what brings it up to date. */
export function homeWarehouseFiles({ homeDirectory, packageDirectory }: Settings): {
  readonly path: string;
  readonly migrationsDirectory: string;
} {
  return {
    path: join(homeDirectory, WAREHOUSE_FILE),
    migrationsDirectory: join(packageDirectory, "pipeline", "warehouse", "migrations"),
  };
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
  /** Whether a home that was there lets others in; it is the operator's, so we say it and change nothing. */
  readonly isOpenToOthers: boolean;
}

/**
 * Makes home, warehouse, an empty list of live opt-outs and a registry to edit, copied from the one named or the curated one. A registry that is there
 * is never overwritten. Throws `PipelineError` REGISTRY_INVALID before anything is made.
 */
export function initHome(settings: Settings): InitResult {
  const { homeDirectory } = settings;
  const template = settings.registryPath ?? curatedRegistryPath(settings);
  loadRegistry(template);
  openHomeWarehouse(settings).close();
  openLiveOptOuts(settings);
  const registry = join(homeDirectory, REGISTRY_FILE);
  const registryWasThere = existsSync(registry);
  if (!registryWasThere) {
    inHome(homeDirectory, () => writeFileSync(registry, readFileSync(template), { mode: 0o600, flag: "wx" }));
  }
  const isOpenToOthers = (statSync(homeDirectory).mode & 0o077) !== 0;
  return { home: homeDirectory, registry, registryWasThere, isOpenToOthers };
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

/** Remembers the number of opted-out entities for the next run; throws `PipelineError` HOME_INVALID. */
export function rememberOptOuts(settings: Settings, count: number): void {
  const path = join(settings.homeDirectory, LAST_RUN_FILE);
  const text = `${JSON.stringify(LastRun.parse({ opted_out_entities: count }))}\n`;
  inHome(settings.homeDirectory, () => {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  });
}
