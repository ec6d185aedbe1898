import { basename, join } from "node:path";
import { errorCode } from "../../snapshots/base/failure.ts";
import type { Correction } from "../../snapshots/format/imprint.ts";
import { isOptOutsFailure, openOptOutStore } from "../../snapshots/optouts/opt-out-store.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import type { TrackedEntity } from "../facts/tracked.ts";
import { diskTroubleHint, replaceFile } from "../home/atomic-write.ts";
import { registryPathOf } from "../home/home.ts";
import { openLiveOptOuts, optOutsPathOf } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { addCorrection, addEntity, requireEntity, setOptOut } from "../registry/edit-entities.ts";
import { loadRegistry } from "../registry/registry.ts";

/**
 * Adds an entity to the registry given by --registry, or to the home's. Throws `BAD_OPTION` if
 * the registry would become invalid, and HOME_MISSING if there is only the curated one, which is never
 * edited.
 */
export function addRegistryEntity(
  settings: Settings,
  entity: { readonly label: string; readonly wallets: readonly string[] },
): TrackedEntity {
  return edit(settings, (text, fileName) => addEntity(text, fileName, entity)).entity;
}

/** Records a correction, which the next version publishes. Throws as `addRegistryEntity`. */
export function addRegistryCorrection(settings: Settings, correction: Correction): Correction {
  return edit(settings, (text, fileName) => addCorrection(text, fileName, correction)).correction;
}

/** An entity after its opt-out was set, and whether that changed anything. */
export type OptOutResult = ReturnType<typeof setRegistryOptOut>;

/** Opts an entity out of versions and a proxy's answers, or back in. Throws NOT_FOUND, and as `addRegistryEntity`. */
export function setRegistryOptOut(settings: Settings, entityId: string, isOptedOut: boolean, nowMs: number) {
  const inRegistry = () =>
    edit(settings, (text, fileName) => setOptOut(text, fileName, entityId, isOptedOut));
  const onList = () => setLiveOptOut(settings, entityId, isOptedOut, nowMs);
  const outcomeOf = (
    { entity, isChanged }: ReturnType<typeof inRegistry>,
    live: ReturnType<typeof onList>,
  ) => ({
    entity,
    isChanged: isChanged || live.isChanged,
    /** Whether a running proxy follows; not while the live list is unavailable, as it then names no entity at all. */
    isLive: live.isLive,
  });
  // Opt-outs go to the live list first, and opt-ins last, so that a crash in between hides an entity and
  // never exposes it.
  if (!isOptedOut) return outcomeOf(inRegistry(), onList());
  const path = editablePath(settings);
  requireEntity(loadRegistry(path), basename(path), entityId);
  const live = onList();
  try {
    return outcomeOf(inRegistry(), live);
  } catch (error) {
    if (!live.isLive || !isPipelineFailure(error)) throw error;
    const hint = diskTroubleHint(errorCode(error.cause) ?? "") ?? error.hint ?? "";
    const message = `${entityId} is on the list of live opt-outs, but ${error.message}`;
    throw pipelineFailure(error.code, message, {
      cause: error,
      hint: `Proxies and new versions already hide it. Repeat the command once the registry is writable. ${hint}`,
    });
  }
}

function setLiveOptOut(settings: Settings, entityId: string, isOptedOut: boolean, nowMs: number) {
  if (openLiveOptOuts(settings).problem !== undefined) return { isChanged: false, isLive: false };
  try {
    const optOuts = openOptOutStore(optOutsPathOf(settings));
    try {
      return {
        isChanged: isOptedOut ? optOuts.add(entityId, nowMs) : optOuts.remove(entityId),
        isLive: true,
      };
    } finally {
      optOuts.close();
    }
  } catch (cause) {
    if (!isOptOutsFailure(cause)) throw cause;
    throw pipelineFailure("HOME_INVALID", cause.message, {
      cause,
      hint: "Check that you may write the list of live opt-outs and its folder, then repeat the command.",
    });
  }
}

function edit<Edited extends { readonly text: string }>(
  settings: Settings,
  change: (text: string, fileName: string) => Edited,
) {
  const path = editablePath(settings);
  // Report an invalid registry before locking the file.
  loadRegistry(path);
  return replaceFile(path, (text) => change(text, basename(path)));
}

function editablePath(settings: Settings): string {
  const path = registryPathOf(settings);
  const isHomes = path === join(settings.homeDirectory, basename(path));
  if (settings.registryPath !== undefined || isHomes) return path;
  throw pipelineFailure("HOME_MISSING", "the home has no registry to edit", {
    hint: "Run `govdata init` first: it copies the curated registry into the home.",
  });
}
