import type { OptedOut } from "../exports/hidden-names.ts";
import type { RunEffects } from "./effects.ts";
import { readRegistry } from "./home.ts";
import { readLiveOptOuts } from "./live-opt-outs.ts";
import type { Settings } from "./settings.ts";

/**
 * Who may not be named in anything made of a published version: whoever opted out in the registry or on the live list,
 * and everybody while that list cannot be asked. Throws `PipelineError` REGISTRY_INVALID.
 */
export function optedOutOf(settings: Settings, { progress }: Pick<RunEffects, "progress">): OptedOut {
  const { list, problem } = readLiveOptOuts(settings);
  if (problem !== undefined) progress.warn(`no entity is named: ${problem.message}`);
  const known = readRegistry(settings).entities.filter(
    ({ entityId, isOptedOut }) => isOptedOut || list.has(entityId),
  );
  return { known, isHidden: list.has };
}
