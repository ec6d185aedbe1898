import { whileLocked } from "../home/lock.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { recordingOutcome } from "../home/state.ts";
import { type FetchOptions, type FetchResult, runFetch } from "./fetch.ts";
import { assertSpaceToPublish, reportNeeds } from "./needs.ts";
import { type PublishInput, type PublishOptions, type PublishResult, publishFrom } from "./publish.ts";
import { createStageClock } from "./run-report.ts";

/** `govdata run`: fetch, compute, check, publish. A DAO whose fetch failed keeps its last good data. */
export function runAll(
  settings: Settings,
  options: { readonly fetch: FetchOptions; readonly publish: PublishOptions },
  effects: RunEffects,
): Promise<{ readonly fetched: Omit<FetchResult, "registry">; readonly published: PublishResult }> {
  return whilePublishing(settings, effects, async (input) => {
    reportNeeds(settings, input.registry, effects, { isFetching: true });
    assertSpaceToPublish(settings, input.registry, effects);
    const endFetch = input.clock.begin("fetch");
    // The registry names who opted out, so it must not be printed with the rest.
    const { registry, ...fetched } = await runFetch(settings, options.fetch, effects, input.registry);
    endFetch(fetched.bytes);
    const published = await publishFrom({ ...input, registry, fetched }, options.publish, effects);
    return { fetched, published };
  });
}

/** `govdata publish`: computes, checks and publishes the data in the warehouse. */
export function runPublish(
  settings: Settings,
  options: PublishOptions,
  effects: RunEffects,
): Promise<PublishResult> {
  return whilePublishing(settings, effects, (input) => {
    reportNeeds(settings, input.registry, effects, { isFetching: false });
    return publishFrom(input, options, effects);
  });
}

/** Holds the lock while `stages` run, and stores the outcome in the home. */
function whilePublishing<Result>(
  settings: Settings,
  effects: RunEffects,
  stages: (input: PublishInput) => Promise<Result>,
): Promise<Result> {
  return recordingOutcome(settings, effects, async () => {
    const startedAtMs = effects.nowMs();
    const registry = readRegistry(settings);
    const about = { settings, registry, startedAtMs, clock: createStageClock(effects) };
    const fetched = { traffic: [], names: undefined };
    return whileLocked(settings, (disk) => stages({ ...about, disk, fetched }));
  });
}
