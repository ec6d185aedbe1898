import { basename, join } from "node:path";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry, TrackedEntity } from "../facts/tracked.ts";
import { addEntity, type EditedRegistry, setOptOut } from "../registry/edit-entities.ts";
import { loadRegistry } from "../registry/load-registry.ts";
import { replaceFile } from "../registry/replace-file.ts";
import { readRegistry, registryPathOf } from "./home.ts";
import type { Settings } from "./settings.ts";

/** DAOs and entities of the registry in force. Throws `PipelineError` REGISTRY_INVALID. */
export function listRegistry(settings: Settings): Registry {
  return readRegistry(settings);
}

/**
 * Adds an entity to the registry that was named, or to the home's. Throws `PipelineError` BAD_OPTION where the registry
 * would be invalid with it, and HOME_MISSING where there is only the curated one, which nobody edits.
 */
export function addRegistryEntity(
  settings: Settings,
  entity: { readonly label: string; readonly wallets: readonly string[] },
): TrackedEntity {
  return edit(settings, (text, fileName) => addEntity(text, fileName, entity)).entity;
}

/** An entity after its opt-out was set, and whether that changed anything. */
export interface OptOutResult {
  readonly entity: TrackedEntity;
  readonly isChanged: boolean;
}

/** Opts an entity out of what is published next, or in again. Throws `PipelineError` NOT_FOUND, and as `addRegistryEntity` does. */
export function setRegistryOptOut(settings: Settings, entityId: string, isOptedOut: boolean): OptOutResult {
  return edit(settings, (text, fileName) => setOptOut(text, fileName, entityId, isOptedOut));
}

function edit(
  settings: Settings,
  change: (text: string, fileName: string) => EditedRegistry,
): { entity: TrackedEntity; isChanged: boolean } {
  const path = editablePath(settings);
  // Says what is wrong with a file that is no registry before a lock is taken on it.
  loadRegistry(path);
  let edited: (EditedRegistry & { isChanged: boolean }) | undefined;
  replaceFile(path, (text) => {
    const result = change(text, basename(path));
    edited = { ...result, isChanged: result.text !== text };
    return result.text;
  });
  if (edited === undefined) throw new Error("an edit that did not fail must have run");
  return { entity: edited.entity, isChanged: edited.isChanged };
}

function editablePath(settings: Settings): string {
  const path = registryPathOf(settings);
  const isHomes = path === join(settings.homeDirectory, basename(path));
  if (settings.registryPath !== undefined || isHomes) return path;
  throw new PipelineError("HOME_MISSING", "the home has no registry of its own to edit", {
    hint: "Run `govdata init` first: it copies the curated registry into the home.",
  });
}
