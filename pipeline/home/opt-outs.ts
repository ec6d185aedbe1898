import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  type HiddenNames,
  hiddenBeside,
  hiddenEntity,
  hiddenNames,
} from "../../snapshots/format/hidden-entities.ts";
import type { Finding } from "../../snapshots/format/manifest.ts";
import { type DenyList, EVERYBODY_DENIED, readDenyList } from "../../snapshots/optouts/deny-list.ts";
import { createOptOuts, OPT_OUTS_MODES, OptOutsError } from "../../snapshots/optouts/opt-out-book.ts";
import { entitiesOf } from "../../snapshots/store/maintain/redact-draft.ts";
import type { LocatedVersion } from "../../snapshots/store/read/locate-version.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { homeFile, makeHome, readRegistry } from "./home.ts";
import type { RunEffects, Settings } from "./settings.ts";
import { readState, remember } from "./state.ts";

/**
 * Answers what must not be said of a version. What one of these versions knows of somebody is hidden in all of them; a
 * wallet that is another entity's there is that one's to show. Throws `SnapshotError` where a version is damaged.
 */
export function hiddenNamesOf(
  versions: readonly LocatedVersion[],
  { known, isHidden }: ReturnType<typeof optedOutBy>,
): (located: LocatedVersion) => HiddenNames {
  const found = versions.flatMap(entitiesOf).filter(({ entity_id }) => isHidden(entity_id));
  const names = hiddenNames([...known, ...found.map(hiddenEntity)]);
  return (located) =>
    hiddenBeside(
      names,
      entitiesOf(located).filter(({ entity_id }) => !isHidden(entity_id)),
    );
}

/** The live opt-outs: obeyed, or the reason why nobody may be named. */
export interface LiveOptOuts {
  readonly list: DenyList;
  readonly problem: OptOutsError | undefined;
}

/** Where the list of live opt-outs lies: where the operator said, or in the home. */
export function optOutsPathOf(settings: Settings): string {
  return settings.optOutsPath ?? homeFile(settings, "optOuts");
}

/** The list as it is, without making one: a home that never had a list has an empty one. */
export function readLiveOptOuts(settings: Settings): LiveOptOuts {
  try {
    return { list: readDenyList(optOutsPathOf(settings)), problem: undefined };
  } catch (error) {
    if (!(error instanceof OptOutsError)) throw error;
    const isNewHome = error.code === "OPT_OUTS_MISSING" && readState(settings).live_opt_outs === null;
    if (isNewHome) return { list: { count: 0, has: () => false }, problem: undefined };
    return { list: EVERYBODY_DENIED, problem: error };
  }
}

/**
 * The list as it is, made empty where this home never had one. One that was there and is gone is not made again: an
 * empty list in its place would name everybody who is on it.
 */
export function openLiveOptOuts(settings: Settings): LiveOptOuts {
  const path = optOutsPathOf(settings);
  if (!existsSync(path) && readState(settings).live_opt_outs === null) {
    const mode = settings.optOutsPath === undefined ? OPT_OUTS_MODES.owner : OPT_OUTS_MODES.group;
    try {
      makeHome(settings);
      createOptOuts({ path, mode, randomBytes });
    } catch (cause) {
      if (!(cause instanceof OptOutsError)) throw cause;
      throw new PipelineError("HOME_INVALID", "the list of live opt-outs cannot be created", {
        cause,
        hint: "Check that the folder of --optouts (GOVDATA_OPTOUTS), or the home, exists and is writable.",
      });
    }
    remember(settings, { live_opt_outs: 0 });
  }
  return readLiveOptOuts(settings);
}

/** What an operator can do about a list that cannot be asked. */
export const LOST_LIST_HINT =
  "Put the file back (--optouts, GOVDATA_OPTOUTS). If it is lost for good, set live_opt_outs to null in state.json of the " +
  "home: `govdata init` then makes an empty list, and whoever was on the old one only must be opted out again.";

/** The registry as it may be published: who is on the live list has opted out, like who did so in the registry. */
export function withLiveOptOuts(registry: Registry, { list }: LiveOptOuts): Registry {
  return {
    ...registry,
    entities: registry.entities.map((entity) =>
      entity.isOptedOut || !list.has(entity.entityId) ? entity : { ...entity, isOptedOut: true },
    ),
  };
}

/** What readers of a version are told of a list that could not be asked: why there are no entities in it. */
export function liveOptOutFindings({ problem }: LiveOptOuts): readonly Pick<Finding, "code" | "message">[] {
  if (problem === undefined) return [];
  return [{ code: problem.code, message: `no entity is published: ${problem.message}` }];
}

/**
 * Who may not be named in anything made of a published version: whoever opted out in the registry or on the live list,
 * and everybody while that list cannot be asked. Throws `PipelineError` REGISTRY_INVALID.
 */
export function optedOutOf(settings: Settings, { progress }: Pick<RunEffects, "progress">) {
  const live = readLiveOptOuts(settings);
  if (live.problem !== undefined) progress.warn(`no entity is named: ${live.problem.message}`);
  return optedOutBy(settings, live);
}

/**
 * The same for what deletes. Throws `PipelineError` HOME_INVALID where the list cannot be asked: nobody may be named then,
 * but what is deleted for that would not come back.
 */
export function surelyOptedOut(settings: Settings) {
  const live = readLiveOptOuts(settings);
  if (live.problem === undefined) return optedOutBy(settings, live);
  throw new PipelineError("HOME_INVALID", live.problem.message, {
    cause: live.problem,
    hint: LOST_LIST_HINT,
  });
}

/** Those whom the registry knows, with labels and wallets, and whoever is on the live list. */
function optedOutBy(settings: Settings, live: LiveOptOuts) {
  const known = withLiveOptOuts(readRegistry(settings), live).entities.filter(({ isOptedOut }) => isOptedOut);
  const ids = new Set(known.map(({ entityId }) => entityId));
  return { known, isHidden: (entityId: string) => ids.has(entityId) || live.list.has(entityId) };
}
