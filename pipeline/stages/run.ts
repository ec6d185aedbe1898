import { whileLocked } from "../home/lock.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { recordingOutcome } from "../home/state.ts";
import { type FetchOptions, type FetchResult, runFetch } from "./fetch.ts";
import { assertSpaceToPublish, reportNeeds } from "./needs.ts";
import { type PublishInput, type PublishOptions, type PublishResult, publishFrom } from "./publish.ts";
import { createStageClock } from "./stage-clock.ts";

/**
 * `govdata run`: fetch, compute, check, publish. A DAO whose fetch failed is published from its last good
 * data.
 */
export function runAll(
  settings: Settings,
  options: { readonly fetch: FetchOptions; readonly publish: PublishOptions },
  effects: RunEffects,
): Promise<{ readonly fetched: Omit<FetchResult, "registry">; readonly published: PublishResult }> {
  return whilePublishing(settings, effects, async (input) => {
    const { registry, clock } = input;
    reportNeeds(settings, registry, effects, { isFetching: true });
    assertSpaceToPublish(settings, registry, effects);
    const fetch = () => runFetch(settings, options.fetch, effects, registry);
    // The registry names who opted out, so it must not be printed with the rest.
    const { registry: current, ...fetched } = await clock.timed("fetch", fetch, ({ bytes }) => bytes);
    const published = await publishFrom({ ...input, registry: current }, options.publish, effects, fetched);
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
    return whileLocked(settings, (disk) =>
      stages({ settings, registry, disk, startedAtMs, clock: createStageClock(effects) }),
    );
  });
}
