import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { PipelineError } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { loadRegistry } from "../registry/registry.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { openWarehouse } from "../warehouse/warehouse.ts";
import type { Settings } from "./settings.ts";

/** Codes of the system and of SQLite that a full or failing disk gives; the last are its shared memory and its journal. */
const FULL_OR_FAILING = /^(ENOSPC|EDQUOT|EIO|SQLITE_FULL|SQLITE_IOERR.*)$/;
const READ_ONLY = /^(EROFS|SQLITE_READONLY.*)$/;

/** What to do about a disk that refused, by its code; `undefined` where the code is of something else. */
export function diskTroubleHint(code: string): string | undefined {
  if (FULL_OR_FAILING.test(code)) {
    return "Its disk is full, or fails: `df -h` and `df -i` on the folder of --home (GOVDATA_HOME), then the system's log.";
  }
  if (READ_ONLY.test(code)) {
    return "Its disk or its files are read-only: look at the mount and the rights of the folder of --home (GOVDATA_HOME).";
  }
  return undefined;
}

/** Does something in the home; what the system says against it becomes `PipelineError` HOME_INVALID. */
export function inHome<Result>(homeDirectory: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof PipelineError || !(cause instanceof Error && "code" in cause)) throw cause;
    throw new PipelineError(
      "HOME_INVALID",
      `the home ${homeDirectory} cannot be used (${String(cause.code)})`,
      {
        cause,
        hint:
          diskTroubleHint(String(cause.code)) ??
          "Give --home (GOVDATA_HOME) a folder that you may write to, or a name that is free.",
      },
    );
  }
}

/** The name of a home's own registry. */
export const REGISTRY_FILE = "registry.yaml";
const WAREHOUSE_FILE = "warehouse.db";

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
export function curatedRegistryPath(settings: Settings): string {
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
