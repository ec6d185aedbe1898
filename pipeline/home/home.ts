import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { putFile } from "../../snapshots/base/durable-files.ts";
import { openWarehouse, type Warehouse } from "../warehouse/warehouse.ts";
import { diskTroubleHint, onDisk } from "./atomic-write.ts";
import type { Settings } from "./settings.ts";

const HOME_FILES = {
  registry: "registry.yaml",
  warehouse: "warehouse.db",
  state: "state.json",
  listedSpaces: "listed-spaces.json",
  optOuts: "optouts.db",
  signingKey: "signing-key.pem",
  pseudonymKey: "voter-pseudonyms.key",
  holder: "running.json",
} as const;

/** The path of a file of the home, whether or not it exists. */
export function homeFile({ homeDirectory }: Settings, file: keyof typeof HOME_FILES): string {
  return join(homeDirectory, HOME_FILES[file]);
}

/** Runs `action`; errors of the disk become `HOME_INVALID`. */
export function inHome<Result>(
  { homeDirectory }: Pick<Settings, "homeDirectory">,
  action: () => Result,
): Result {
  const refusal = (code: string) => ({
    message: `the home ${homeDirectory} cannot be used (${code})`,
    hint:
      diskTroubleHint(code) ??
      "Set --home (GOVDATA_HOME) to a folder that you may write to, or to a new name.",
  });
  return onDisk("HOME_INVALID", refusal, action);
}

/** Writes or replaces a file of the home, readable by its owner alone. Throws `HOME_INVALID` and then changes nothing. */
export function writeHomeFile(settings: Settings, file: keyof typeof HOME_FILES, text: string): void {
  const path = homeFile(settings, file);
  const staged = `${path}.new`;
  inHome(settings, () => {
    // Left over from an interrupted write.
    rmSync(staged, { force: true });
    putFile(path, staged, [Buffer.from(text)]);
  });
}

/** Creates the home if it is missing, accessible to its owner alone; an existing folder keeps its mode. */
export function makeHome(settings: Settings): void {
  inHome(settings, () => mkdirSync(settings.homeDirectory, { recursive: true, mode: 0o700 }));
}

export function curatedRegistryPath({ packageDirectory }: Settings): string {
  return join(packageDirectory, "pipeline", "registry", HOME_FILES.registry);
}

/** The registry that a command reads: the one named, the home's, or the curated one. */
export function registryPathOf(settings: Settings): string {
  const homeRegistry = homeFile(settings, "registry");
  return settings.registryPath ?? (existsSync(homeRegistry) ? homeRegistry : curatedRegistryPath(settings));
}

/** The registry that a command reads, for display: its file name without the path, and why this one. */
export type RegistryInForce = ReturnType<typeof registryInForce>;

/** Returns the registry in force: named by option or variable, the home's own, or the curated one of the program. */
export function registryInForce(settings: Settings) {
  const path = registryPathOf(settings);
  const fallback = path === curatedRegistryPath(settings) ? "curated" : "home";
  return { file: basename(path), origin: settings.registryPath === undefined ? fallback : "named" } as const;
}

/** Opens the warehouse of the home; creates it if it is missing. The caller closes it. */
export function openHomeWarehouse(settings: Settings): Warehouse {
  makeHome(settings);
  return inHome(settings, () => openWarehouse(homeFile(settings, "warehouse")));
}

/** Runs `action` with the warehouse of the home, created if it is missing, and closes it. */
export async function withHomeWarehouse<Result>(
  settings: Settings,
  action: (warehouse: Warehouse) => Result | Promise<Result>,
): Promise<Result> {
  const warehouse = openHomeWarehouse(settings);
  try {
    return await action(warehouse);
  } finally {
    warehouse.close();
  }
}

export function hasWarehouse(settings: Settings): boolean {
  return existsSync(homeFile(settings, "warehouse"));
}
