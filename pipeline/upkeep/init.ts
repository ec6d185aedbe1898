import { existsSync, readFileSync, statSync } from "node:fs";
import { curatedRegistryPath, homeFile, openHomeWarehouse, writeHomeFile } from "../home/home.ts";
import { openLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { loadRegistry } from "../registry/registry.ts";

export type InitResult = ReturnType<typeof initHome>;

/**
 * Creates the home with a warehouse, an empty list of live opt-outs and a copy of the registry given by
 * --registry or of the curated one. Never overwrites an existing registry. Throws `PipelineFailure`
 * REGISTRY_INVALID before anything is created.
 */
export function initHome(settings: Settings) {
  const { homeDirectory } = settings;
  const template = settings.registryPath ?? curatedRegistryPath(settings);
  loadRegistry(template);
  openHomeWarehouse(settings).close();
  openLiveOptOuts(settings);
  const registry = homeFile(settings, "registry");
  const registryWasThere = existsSync(registry);
  if (!registryWasThere) writeHomeFile(settings, "registry", readFileSync(template, "utf8"));
  // An existing home belongs to the operator: report its permissions, but do not change them.
  const isOpenToOthers = (statSync(homeDirectory).mode & 0o077) !== 0;
  return { home: homeDirectory, registry, registryWasThere, isOpenToOthers };
}
