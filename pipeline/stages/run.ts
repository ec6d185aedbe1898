import { openHomeWarehouse, readRegistry } from "../home/home.ts";
import { whileLocked } from "../home/lock.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { notingOutcome } from "../home/state.ts";
import { type FetchOptions, type FetchResult, fetchInto } from "./fetch.ts";
import { type PublishOptions, type PublishResult, publishFrom } from "./publish.ts";
import { createStageClock } from "./stage-clock.ts";
import { withThreads } from "./thread-pool.ts";

/** What a whole run did. */
export interface RunResult {
  readonly fetched: FetchResult;
  readonly published: PublishResult;
}

/** `govdata run`: fetch, compute, gate, publish. A DAO that could not be fetched is published from its last good data. */
export function runAll(
  settings: Settings,
  options: { readonly fetch: FetchOptions; readonly publish: PublishOptions },
  effects: RunEffects,
): Promise<RunResult> {
  return notingOutcome(settings, effects, async () => {
    const startedAtMs = effects.nowMs();
    const registry = readRegistry(settings);
    return whileLocked(settings, async (disk) => {
      const warehouse = openHomeWarehouse(settings);
      try {
        return await withThreads(settings, registry, registry.daos.length, async (threads) => {
          const stage = { settings, registry, warehouse, disk, threads };
          const clock = createStageClock(effects);
          const bytesOf = ({ bytes }: FetchResult) => bytes;
          const fetched = await clock.timed("fetch", () => fetchInto(stage, options.fetch, effects), bytesOf);
          const { traffic, names } = fetched;
          const earlier = { startedAtMs, stages: clock.stages(), traffic, names };
          return { fetched, published: await publishFrom(stage, options.publish, effects, earlier) };
        });
      } finally {
        warehouse.close();
      }
    });
  });
}
