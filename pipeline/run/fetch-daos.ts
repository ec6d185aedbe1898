import { PipelineError } from "../base/pipeline-error.ts";
import type { GovernanceSource } from "../facts/space-sink.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { FetchRecord, Warehouse } from "../warehouse/warehouse.ts";
import type { ProgressFacts, RunEffects } from "./effects.ts";
import { watchedFetch } from "./watched-fetch.ts";

/** Fetches one DAO whole, or records why not; what was known before stays in that case. */
async function fetchDao(
  dao: TrackedDao,
  source: GovernanceSource,
  warehouse: Warehouse,
  effects: RunEffects,
): Promise<FetchRecord> {
  const fetchedAtMs = effects.nowMs();
  const tick = (facts: ProgressFacts): void => effects.progress.tick("fetch", dao.spaceId, facts);
  tick({});
  const fetch = warehouse.beginSpaceFetch({ spaceId: dao.spaceId, sourceId: source.sourceId, fetchedAtMs });
  try {
    await source.fetchSpace(dao, watchedFetch(fetch, tick));
    return fetch.commit();
  } catch (error) {
    if (error instanceof PipelineError) return fetch.fail({ code: error.code, message: error.message });
    // The reason is published; what an unforeseen error says may hold a path or an address.
    effects.progress.warn(`${dao.spaceId}: ${error instanceof Error ? error.message : String(error)}`, error);
    return fetch.fail({
      code: "UNEXPECTED",
      message: "the source broke off for a reason we did not foresee",
    });
  }
}

function factsOf(record: FetchRecord, effects: RunEffects): ProgressFacts {
  const { sourceId, proposals, votes, logs, fetchedAtMs, error } = record;
  const rejected = Object.values(record.rejected).reduce((sum, count) => sum + count, 0);
  return {
    ...(error === undefined ? { proposals, votes, logs } : { error: error.code }),
    ...(rejected > 0 ? { rejected } : {}),
    source: sourceId,
    wall_ms: effects.nowMs() - fetchedAtMs,
  };
}

/**
 * Fetches DAOs into the warehouse, `atOnce` of them side by side (1 for a source whose fetches replace all). A DAO that
 * fails is recorded as failed and does not stop the others.
 */
export async function fetchDaos(input: {
  readonly daos: readonly TrackedDao[];
  readonly source: GovernanceSource;
  readonly warehouse: Warehouse;
  readonly effects: RunEffects;
  readonly atOnce: number;
}): Promise<readonly FetchRecord[]> {
  const { daos, source, warehouse, effects, atOnce } = input;
  const fetched = new Map<string, FetchRecord>();
  const queue = daos.values();
  const work = async (): Promise<void> => {
    for (const dao of queue) tell(await fetchDao(dao, source, warehouse, effects));
  };
  const tell = (record: FetchRecord): void => {
    fetched.set(record.spaceId, record);
    // A warning of its own, as the line of a step is rewritten by the next and unsaid by --quiet.
    if (record.error !== undefined) {
      effects.progress.warn(`${record.spaceId} could not be fetched: ${record.error.message}`);
    }
    effects.progress.step("fetch", fetched.size, daos.length, record.spaceId, factsOf(record, effects));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return daos.flatMap((dao) => fetched.get(dao.spaceId) ?? []);
}
