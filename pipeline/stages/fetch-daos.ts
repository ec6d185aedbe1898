import { forEachInFlight } from "../../snapshots/base/concurrency.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import type { GovernanceSource } from "../facts/governance-source.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { ProgressFacts, RunEffects } from "../home/settings.ts";
import type { OpenSpaceFetch } from "../warehouse/fetch-writer.ts";
import { type FetchRecord, rejectedCount } from "../warehouse/fetches.ts";
import type { WrittenRecord } from "../warehouse/record-writer.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** Creates a queue: a turn resolves after all earlier ones, to a function that ends it. */
function createTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let letNext: () => void = () => undefined;
    last = new Promise((resolve) => {
      letNext = resolve;
    });
    await before;
    return letNext;
  };
}

/** A fetch stops below this free disk space: its data must still be scored and published. */
const FREE_BYTES_MIN = 200_000_000;

function assertFreeSpace({ freeBytes }: RunEffects): void {
  if (freeBytes === undefined || freeBytes() >= FREE_BYTES_MIN) return;
  const space = `${FREE_BYTES_MIN / 1e6} MB`;
  throw pipelineFailure("SOURCE_FAILED", `less than ${space} are free on the disk of the home`, {
    hint: "Free some space. Completed DAOs are kept, and the next fetch continues from there.",
  });
}

/** Bytes of records between two checks of the disk: checking for each record would be slow. */
const BYTES_BETWEEN_LOOKS = 2_000_000;

/** A rather high estimate of the bytes that a record takes in the warehouse. */
function roughBytes(record: WrittenRecord): number {
  if (record.kind === "votes" || record.kind === "packed-votes") return 1_000 + 40 * record.votes.count;
  if (record.kind === "delegation-events") return 1_000 + 500 * record.events.length;
  if (record.kind === "delegate-list") return 1_000 + 500 * record.list.delegates.length;
  return 20_000;
}

/** Wraps a fetch so that it reports progress and stops when the disk runs full. */
function watched(
  fetch: OpenSpaceFetch,
  effects: RunEffects,
  report: (facts: ProgressFacts) => void,
): OpenSpaceFetch {
  const { memory } = fetch;
  let proposals = 0;
  let votes = 0;
  let logs = 0;
  // Check the disk before the first record.
  let bytesUnseen = BYTES_BETWEEN_LOOKS;
  return {
    ...fetch,
    ...(memory && {
      memory: {
        ...memory,
        checkpoint(page) {
          assertFreeSpace(effects);
          memory.checkpoint(page);
        },
      },
    }),
    put(record) {
      if (record.kind !== "rejection") bytesUnseen += roughBytes(record);
      if (bytesUnseen > BYTES_BETWEEN_LOOKS) {
        assertFreeSpace(effects);
        bytesUnseen = 0;
      }
      fetch.put(record);
      if (record.kind === "proposal") proposals += 1;
      else if (record.kind === "votes" || record.kind === "packed-votes") votes += record.votes.count;
      else if (record.kind === "delegation-events") logs += record.events.length;
      else return;
      report({ proposals, votes, ...(logs > 0 ? { logs } : {}) });
    },
  };
}

interface FetchDaosInput {
  readonly daos: readonly TrackedDao[];
  readonly source: GovernanceSource;
  readonly warehouse: Pick<Warehouse, "confirmFetch" | "beginSpaceFetch">;
  readonly effects: RunEffects;
  readonly atOnce: number;
  /** Bytes to read for a DAO; threads start with the largest, so that none is left for the end. */
  readonly bytesOf?: (dao: TrackedDao) => number;
  /** Read unchanged files again. */
  readonly isFull?: boolean | undefined;
  /** How long in all to wait for another try of DAOs whose source may only be away for a while. */
  readonly retryMs?: number | undefined;
  /** Threads for the DAOs of an archive's folder; DAOs with a governor are still read in the main thread. */
  readonly inThreads?: { readonly threads: ThreadPool; readonly directory: string } | undefined;
}

/** Fetches one DAO completely, or records the failure, keeps the earlier data and tells whether to try again. */
async function fetchDao(
  dao: TrackedDao,
  { source, warehouse, effects, inThreads, isFull = false }: FetchDaosInput,
  takeTurn: ReturnType<typeof createTurns>,
) {
  const fetchedAtMs = effects.nowMs();
  const tick = (facts: ProgressFacts): void => effects.progress.tick("fetch", dao.spaceId, facts);
  tick({});
  const attempt = { spaceId: dao.spaceId, sourceId: source.sourceId, fetchedAtMs };
  const state = source.stateOf?.(dao, fetchedAtMs);
  if (state !== undefined && !isFull) {
    const letNext = await takeTurn();
    try {
      const confirmed = warehouse.confirmFetch({ ...attempt, state });
      if (confirmed !== undefined) return { record: confirmed, isPassing: false };
    } finally {
      letNext();
    }
  }
  let endTurn = (): void => undefined;
  // Opened on first use and only once: a second turn would wait for the first.
  let opening: Promise<OpenSpaceFetch> | undefined;
  const begin = (): Promise<OpenSpaceFetch> => {
    opening ??= (async () => {
      // Fetches that replace data use the warehouse one at a time.
      if (inThreads !== undefined) endTurn = await takeTurn();
      return watched(warehouse.beginSpaceFetch(attempt), effects, tick);
    })();
    return opening;
  };
  try {
    assertFreeSpace(effects);
    // A chain's events have an order, and its reader needs single voter numbers.
    if (inThreads === undefined || dao.governor !== undefined) await source.fetchSpace(dao, await begin());
    else {
      // Threads read in parallel, but only one at a time has the warehouse open, from its first records on.
      const { threads, directory } = inThreads;
      await threads.run({ kind: "fetch", dao, directory }, async ({ records, voters }) => {
        const fetch = await begin();
        for (const record of records) fetch.put(record);
        return voters && fetch.numberVoters(voters);
      });
    }
    const fetch = await begin();
    // Files that changed while being read have no identifiable state.
    const isSettled = source.stateOf?.(dao, fetchedAtMs) === state;
    return { record: fetch.commit(isSettled ? state : undefined), isPassing: false };
  } catch (error) {
    const fetch = await begin();
    if (isPipelineFailure(error)) {
      const { code, message, isPassing } = error;
      return { record: fetch.fail({ code, message }), isPassing };
    }
    // The reason is published; an unexpected error's message might contain a path or a URL.
    effects.progress.warn(`${dao.spaceId}: ${error instanceof Error ? error.message : String(error)}`, error);
    const message = "an unexpected error occurred in the source";
    return { record: fetch.fail({ code: "UNEXPECTED", message }), isPassing: false };
  } finally {
    endTurn();
  }
}

function factsOf(record: FetchRecord, effects: RunEffects): ProgressFacts {
  const { sourceId, proposals, votes, logs, fetchedAtMs, error } = record;
  const rejected = rejectedCount(record);
  return {
    ...(error === undefined ? { proposals, votes, logs } : { error: error.code }),
    ...(rejected > 0 ? { rejected } : {}),
    source: sourceId,
    wall_ms: effects.nowMs() - fetchedAtMs,
  };
}

/** The first pause before DAOs are tried again; each later one is twice as long. */
const RETRY_FIRST_MS = 30_000;

/**
 * Fetches DAOs into the warehouse, `atOnce` in parallel (1 for a source whose fetches replace all). A DAO that fails is
 * recorded and does not stop the others; those whose source may only be away are tried again after the others.
 */
export async function fetchDaos(input: FetchDaosInput): Promise<readonly FetchRecord[]> {
  const { daos, effects, inThreads, bytesOf = () => 0, retryMs = 0 } = input;
  const atOnce = inThreads?.threads.atOnce ?? input.atOnce;
  const takeTurn = createTurns();
  const fetched = new Map<string, FetchRecord>();
  const warn = ({ spaceId, error }: FetchRecord) =>
    effects.progress.warn(`${spaceId} could not be fetched: ${error?.message}`);
  /** Fetches DAOs; returns those to try again, which are not reported as failed yet. */
  const fetchAll = async (some: readonly TrackedDao[], mayTryAgain: boolean) => {
    const again: { readonly dao: TrackedDao; readonly record: FetchRecord }[] = [];
    await forEachInFlight(some, atOnce, async (dao) => {
      const { record, isPassing } = await fetchDao(dao, input, takeTurn);
      fetched.set(dao.spaceId, record);
      if (isPassing && mayTryAgain) again.push({ dao, record });
      // Also a warning, because the step line is overwritten by the next one and suppressed by --quiet.
      else if (record.error !== undefined) warn(record);
      effects.progress.step("fetch", fetched.size, daos.length, dao.spaceId, factsOf(record, effects));
    });
    return again;
  };
  const bySize = (): readonly TrackedDao[] => {
    const sizes = new Map(daos.map((dao) => [dao, bytesOf(dao)]));
    return daos.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  };
  let waitMs = RETRY_FIRST_MS;
  let leftMs = effects.pause === undefined ? 0 : retryMs;
  let again = await fetchAll(inThreads === undefined ? daos : bySize(), leftMs >= waitMs);
  while (again.length > 0) {
    const what = again.length === 1 ? again[0]?.dao.spaceId : `${again.length} DAOs`;
    const reason = again[0]?.record.error?.message;
    effects.progress.warn(`${what} could not be fetched (${reason}); trying again in ${waitMs / 1000} s`);
    await effects.pause?.(waitMs);
    leftMs -= waitMs;
    waitMs *= 2;
    again = await fetchAll(
      again.map(({ dao }) => dao),
      leftMs >= waitMs,
    );
  }
  return daos.flatMap((dao) => fetched.get(dao.spaceId) ?? []);
}
