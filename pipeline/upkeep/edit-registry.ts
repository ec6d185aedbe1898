import { basename, join } from "node:path";
import { openOptOutBook } from "../../snapshots/optouts/opt-out-book.ts";
import { OptOutsError } from "../../snapshots/optouts/opt-out-database.ts";
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

interface Edited {
  readonly entity: TrackedEntity;
  readonly isChanged: boolean;
}

interface LiveChange {
  readonly isChanged: boolean;
  /** Whether a running proxy follows: not where the live list cannot be asked, when it names nobody at all. */
  readonly isLive: boolean;
}

/** An entity after its opt-out was set, and whether that changed anything. */
export type OptOutResult = Edited & LiveChange;

/**
 * Opts an entity out of what is published next, and at once of what a proxy answers; or in again. Throws `PipelineError`
 * NOT_FOUND, and as `addRegistryEntity` does.
 */
export function setRegistryOptOut(
  settings: Settings,
  entityId: string,
  isOptedOut: boolean,
  nowMs: number,
): OptOutResult {
  const inRegistry = () =>
    edit(settings, (text, fileName) => setOptOut(text, fileName, entityId, isOptedOut));
  const onList = () => setLiveOptOut(settings, entityId, isOptedOut, nowMs);
  const both = ({ entity, isChanged }: Edited, live: LiveChange): OptOutResult => ({
    entity,
    isChanged: isChanged || live.isChanged,
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

function setLiveOptOut(settings: Settings, entityId: string, isOptedOut: boolean, nowMs: number): LiveChange {
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
      hint: "Check that you may write to the list of live opt-outs and to its folder, then say it again.",
    });
  }
}

function edit(settings: Settings, change: (text: string, fileName: string) => EditedRegistry): Edited {
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
