import { existsSync, readFileSync, statSync } from "node:fs";
import { putHomeFile } from "../home/atomic-write.ts";
import { curatedRegistryPath, homeFile, inHome, openHomeWarehouse } from "../home/home.ts";
import { openLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { loadRegistry } from "../registry/registry.ts";

/** What `init` made and what it found. */
export type InitResult = ReturnType<typeof initHome>;

/**
 * Makes home, warehouse, an empty list of live opt-outs and a registry to edit, copied from the one named or the curated one. A registry that is there
 * is never overwritten. Throws `PipelineError` REGISTRY_INVALID before anything is made.
 */
export function initHome(settings: Settings) {
  const { homeDirectory } = settings;
  const template = settings.registryPath ?? curatedRegistryPath(settings);
  loadRegistry(template);
  openHomeWarehouse(settings).close();
  openLiveOptOuts(settings);
  const registry = homeFile(settings, "registry");
  const registryWasThere = existsSync(registry);
  if (!registryWasThere) {
    inHome(settings, () => putHomeFile(registry, readFileSync(template)));
  }
  // A home that was there is the operator's: we say that it lets others in, and change nothing.
  const isOpenToOthers = (statSync(homeDirectory).mode & 0o077) !== 0;
  return { home: homeDirectory, registry, registryWasThere, isOpenToOthers };
}
