import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Entity } from "../../snapshots/format/entity.ts";
import {
  type HiddenNames,
  hiddenBeside,
  hiddenEntity,
  hiddenNames,
} from "../../snapshots/format/hidden-entities.ts";
import { type DenyList, EVERYBODY_DENIED, readDenyList } from "../../snapshots/optouts/deny-list.ts";
import {
  createOptOuts,
  isOptOutsFailure,
  OPT_OUTS_MODES,
  type OptOutsFailure,
} from "../../snapshots/optouts/opt-out-store.ts";
import { entitiesOf } from "../../snapshots/store/maintain/redact-draft.ts";
import type { LocatedVersion } from "../../snapshots/store/read/locate-version.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { homeFile, makeHome } from "./home.ts";
import { readRegistry } from "./read-registry.ts";
import type { RunEffects, Settings } from "./settings.ts";
import { readState, updateState } from "./state.ts";

/**
 * Returns a function that lists the names to hide in a version. Names of an opted-out entity from any of the versions
 * are hidden in all of them, except wallets that belong to another, visible entity in that version. Throws
 * `SnapshotFailure` if a version is damaged.
 */
export function hiddenNamesOf(
  versions: readonly LocatedVersion[],
  { known, isHidden }: ReturnType<typeof optedOutBy>,
): (located: LocatedVersion) => HiddenNames {
  const isOptedOut = ({ entity_id: id }: Entity): boolean => isHidden(id);
  let names: HiddenNames | undefined;
  return (located) => {
    // Only once names are asked for, as most datasets name nobody.
    names ??= hiddenNames([...known, ...versions.flatMap(entitiesOf).filter(isOptedOut).map(hiddenEntity)]);
    return hiddenBeside(
      names,
      entitiesOf(located).filter((entity) => !isOptedOut(entity)),
    );
  };
}

/** The list of live opt-outs; if it cannot be read, a list of everybody, with the problem. */
export interface LiveOptOuts {
  readonly list: DenyList;
  readonly problem: OptOutsFailure | undefined;
}

/** The path of the list of live opt-outs: set by the operator, or in the home. */
export function optOutsPathOf(settings: Settings): string {
  return settings.optOutsPath ?? homeFile(settings, "optOuts");
}

/** Reads the list without creating its file; returns an empty list for a home that never had one. */
export function readLiveOptOuts(settings: Settings): LiveOptOuts {
  try {
    return { list: readDenyList(optOutsPathOf(settings)), problem: undefined };
  } catch (error) {
    if (!isOptOutsFailure(error)) throw error;
    const isNewHome = error.code === "OPT_OUTS_MISSING" && readState(settings).live_opt_outs === null;
    if (isNewHome) return { list: { count: 0, has: () => false }, problem: undefined };
    return { list: EVERYBODY_DENIED, problem: error };
  }
}

/**
 * Reads the list; creates an empty one if this home never had one. A lost list is not created again, because an empty
 * one would make everybody on the old list visible.
 */
export function openLiveOptOuts(settings: Settings): LiveOptOuts {
  const path = optOutsPathOf(settings);
  if (!existsSync(path) && readState(settings).live_opt_outs === null) {
    const mode = settings.optOutsPath === undefined ? OPT_OUTS_MODES.owner : OPT_OUTS_MODES.group;
    try {
      makeHome(settings);
      createOptOuts({ path, mode, randomBytes });
    } catch (cause) {
      if (!isOptOutsFailure(cause)) throw cause;
      throw pipelineFailure("HOME_INVALID", "the list of live opt-outs cannot be created", {
        cause,
        hint: "Check that the folder of --optouts (GOVDATA_OPTOUTS), or the home, exists and is writable.",
      });
    }
    updateState(settings, { live_opt_outs: 0 });
  }
  return readLiveOptOuts(settings);
}

/** The hint for a list that cannot be read. */
export const LOST_LIST_HINT =
  "Put the file back (--optouts, GOVDATA_OPTOUTS). If it is lost, set live_opt_outs to null in state.json of the home: " +
  "`govdata init` then creates an empty list. Opt out again everybody who was only on the old list.";

/** The registry with live opt-outs: entities on the live list count as opted out, like those in the registry. */
export function withLiveOptOuts(registry: Registry, { list }: LiveOptOuts): Registry {
  return {
    ...registry,
    entities: registry.entities.map((entity) =>
      entity.isOptedOut || !list.has(entity.entityId) ? entity : { ...entity, isOptedOut: true },
    ),
  };
}

/**
 * The entities to hide in everything derived from a published version: those opted out in the registry or on the live
 * list, or everybody if that list cannot be read. Throws `REGISTRY_INVALID`.
 */
export function optedOutOf(settings: Settings, { progress }: Pick<RunEffects, "progress">) {
  const live = readLiveOptOuts(settings);
  if (live.problem !== undefined) progress.warn(`no entity is named: ${live.problem.message}`);
  return optedOutBy(settings, live);
}

/** As `optedOutOf`, but throws HOME_INVALID if the list cannot be read: hiding can be undone, and deleting cannot. */
export function requireOptedOut(settings: Settings) {
  const live = readLiveOptOuts(settings);
  if (live.problem === undefined) return optedOutBy(settings, live);
  throw pipelineFailure("HOME_INVALID", live.problem.message, {
    cause: live.problem,
    hint: LOST_LIST_HINT,
  });
}

/** Opted-out entities of the registry, with labels and wallets, and a test that includes the live list. */
function optedOutBy(settings: Settings, live: LiveOptOuts) {
  const known = withLiveOptOuts(readRegistry(settings), live).entities.filter(({ isOptedOut }) => isOptedOut);
  const ids = new Set(known.map(({ entityId }) => entityId));
  return { known, isHidden: (entityId: string) => ids.has(entityId) || live.list.has(entityId) };
}
