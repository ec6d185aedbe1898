import { existsSync, readFileSync, statSync } from "node:fs";
import { putHomeFile } from "../home/atomic-write.ts";
import { curatedRegistryPath, homeFile, inHome, openHomeWarehouse } from "../home/home.ts";
import { openLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { loadRegistry } from "../registry/registry.ts";

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
  const registry = homeFile(settings, "registry");
  const registryWasThere = existsSync(registry);
  if (!registryWasThere) {
    inHome(settings, () => putHomeFile(registry, readFileSync(template)));
  }
  const isOpenToOthers = (statSync(homeDirectory).mode & 0o077) !== 0;
  return { home: homeDirectory, registry, registryWasThere, isOpenToOthers };
}
