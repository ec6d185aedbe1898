import { basename, join } from "node:path";
import { OptOutsError, openOptOutBook } from "../../snapshots/optouts/opt-out-book.ts";
import { PipelineError } from "../facts/errors.ts";
import type { TrackedEntity } from "../facts/tracked.ts";
import { diskTroubleHint, replaceFile } from "../home/atomic-write.ts";
import { registryPathOf } from "../home/home.ts";
import { openLiveOptOuts, optOutsPathOf } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { addEntity, type EditedRegistry, requireEntity, setOptOut } from "../registry/edit-entities.ts";
import { loadRegistry } from "../registry/registry.ts";

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
export type OptOutResult = ReturnType<typeof setRegistryOptOut>;

/**
 * Opts an entity out of what is published next, and at once of what a proxy answers; or in again. Throws `PipelineError`
 * NOT_FOUND, and as `addRegistryEntity` does.
 */
export function setRegistryOptOut(settings: Settings, entityId: string, isOptedOut: boolean, nowMs: number) {
  const inRegistry = () =>
    edit(settings, (text, fileName) => setOptOut(text, fileName, entityId, isOptedOut));
  const onList = () => setLiveOptOut(settings, entityId, isOptedOut, nowMs);
  const both = ({ entity, isChanged }: ReturnType<typeof edit>, live: ReturnType<typeof onList>) => ({
    entity,
    isChanged: isChanged || live.isChanged,
    /** Whether a running proxy follows: not where the live list cannot be asked, when it names nobody at all. */
    isLive: live.isLive,
  });
  // Opting out is there at once or not at all, opting in again last of all: a crash in between hides rather than shows.
  if (!isOptedOut) return both(inRegistry(), onList());
  const path = editablePath(settings);
  requireEntity(loadRegistry(path), basename(path), entityId);
  const live = onList();
  try {
    return both(inRegistry(), live);
  } catch (error) {
    throw live.isLive ? afterLive(error, entityId) : error;
  }
}

/** The registry refused, but half of it is done, and that half is the one that hides. */
function afterLive(error: unknown, entityId: string): unknown {
  if (!(error instanceof PipelineError)) return error;
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : "";
  const message = `${entityId} is on the list of live opt-outs, but ${error.message}`;
  return new PipelineError(error.code, message, {
    cause: error,
    hint:
      "Proxies name it no more, and neither does a publish. Say it again once the registry can be written. " +
      (diskTroubleHint(code) ?? error.hint ?? ""),
  });
}

function setLiveOptOut(settings: Settings, entityId: string, isOptedOut: boolean, nowMs: number) {
  if (openLiveOptOuts(settings).problem !== undefined) return { isChanged: false, isLive: false };
  try {
    const book = openOptOutBook(optOutsPathOf(settings));
    try {
      return { isChanged: isOptedOut ? book.add(entityId, nowMs) : book.remove(entityId), isLive: true };
    } finally {
      book.close();
    }
  } catch (cause) {
    if (!(cause instanceof OptOutsError)) throw cause;
    throw new PipelineError("HOME_INVALID", cause.message, {
      cause,
      hint: "Check that you may write the list of live opt-outs and its folder, then repeat the command.",
    });
  }
}

function edit(settings: Settings, change: (text: string, fileName: string) => EditedRegistry) {
  const path = editablePath(settings);
  // Says what is wrong with a file that is no registry before a lock is taken on it.
  loadRegistry(path);
  return replaceFile(path, (text) => change(text, basename(path)));
}

function editablePath(settings: Settings): string {
  const path = registryPathOf(settings);
  const isHomes = path === join(settings.homeDirectory, basename(path));
  if (settings.registryPath !== undefined || isHomes) return path;
  throw new PipelineError("HOME_MISSING", "the home has no registry of its own to edit", {
    hint: "Run `govdata init` first: it copies the curated registry into the home.",
  });
}
